"""Names of hosts -> IPv4 addresses: looked up when a link is opened, never while it runs."""

from __future__ import annotations

import socket
from dataclasses import fields, replace
from typing import Any, TypeVar

from vdsim_interface.parameters import Parameters

P = TypeVar("P", bound=Parameters)
HOST_RULE = "cannot be resolved: must be an IPv4 address or a name that has one"


def ipv4_of(host: str) -> str | None:
    """The address that a name stands for now; None when there is none. May ask a name server."""
    try:
        found = socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_DGRAM)
    except (OSError, UnicodeError):  # unknown, or not even the form of a name
        return None
    return str(found[0][4][0])


def with_addresses(parameters: P) -> P:
    """The parameters with the address of every host in place of its name.

    Sources of datagrams are compared with them, and those are addresses. Raises ParameterError for
    a host that cannot be resolved.
    """
    looked_up: dict[str, Any] = {}
    for item in fields(parameters):  # type: ignore[arg-type]
        value = getattr(parameters, item.name)
        if isinstance(value, Parameters):
            looked_up[item.name] = with_addresses(value)
        elif item.metadata["meaning"].is_host:
            looked_up[item.name] = ipv4_of(value)
            if looked_up[item.name] is None:
                parameters.refuse(item.name, HOST_RULE)
    return replace(parameters, **looked_up)  # type: ignore[type-var]
