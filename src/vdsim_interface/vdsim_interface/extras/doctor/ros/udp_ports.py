"""Where nodes are searched, and the UDP ports that this machine has open, by its kernel."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from vdsim_interface.extras.doctor.snapshot import Network

_TABLES = ("/proc/net/udp", "/proc/net/udp6")
_ADDRESS_COLUMN = 1


class OpenPorts(NamedTuple):
    """All open ports, and those open on every address."""

    ports: frozenset[int]
    on_all_addresses: frozenset[int]


def parse(tables: list[str]) -> OpenPorts:
    """Read tables of the kernel: a heading, then one socket a line, address and port in hex."""
    ports, wildcard = set(), set()
    for table in tables:
        for line in table.splitlines()[1:]:
            address, _, port = line.split()[_ADDRESS_COLUMN].partition(":")
            ports.add(int(port, 16))
            if not address.strip("0"):
                wildcard.add(int(port, 16))
    return OpenPorts(frozenset(ports), frozenset(wildcard))


def open_ports() -> OpenPorts:
    """Read them; none where the system has no such tables."""
    tables = []
    for name in _TABLES:
        try:
            tables.append(Path(name).read_text(encoding="ascii"))
        except OSError:
            continue
    return parse(tables)


def network_of(environ: Mapping[str, str]) -> Network:
    """Return what the checks look at, of this process."""
    opened = open_ports()
    return Network(
        domain_id=int(environ.get("ROS_DOMAIN_ID") or 0),
        discovery_range=environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE") or "SUBNET",
        udp_ports=opened.ports,
        wildcard_ports=opened.on_all_addresses,
    )
