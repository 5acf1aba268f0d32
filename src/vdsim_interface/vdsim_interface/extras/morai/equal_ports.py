"""Refuses two parameters of a group that name the same UDP port."""

from collections.abc import Mapping

from vdsim_protocol.port_rule import NamedPort, equal_ports

from vdsim_interface.parameters.fields import Parameters


def refuse_equal_ports(parameters: Parameters, *hosts_of: Mapping[str, str]) -> None:
    """Raise ParameterError for the later of two fields; each mapping has fields and their hosts."""
    found = equal_ports(
        NamedPort(name, host, getattr(parameters, name))
        for hosts in hosts_of
        for name, host in hosts.items()
    )
    if found is not None:
        earlier, later = found
        used = f"{parameters.name_of(earlier.option)} ({earlier.port})"
        parameters.refuse(later.option, f"must not be the port of {used}")
