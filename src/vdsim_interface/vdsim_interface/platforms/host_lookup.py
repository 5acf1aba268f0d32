"""Host names -> IPv4 addresses: resolved when a link is opened, never while it runs."""

from __future__ import annotations

import socket
from dataclasses import fields, replace
from typing import Any, TypeVar

from vdsim_interface.parameters.fields import Parameters

P = TypeVar("P", bound=Parameters)
HOST_RULE = "cannot be resolved: must be an IPv4 address or a name that has one"


def ipv4_of(host: str) -> str | None:
    """The current address of a name; None when there is none. May query a name server."""
    try:
        addresses = socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_DGRAM)
    except (OSError, UnicodeError):  # unknown, or not a valid host name
        return None
    return str(addresses[0][4][0])


def with_addresses(parameters: P) -> P:
    """The parameters with the address of every host in place of its name.

    The sources of datagrams, which are addresses, are compared with them. Raises ParameterError for
    a host that cannot be resolved.
    """
    resolved: dict[str, Any] = {}
    for item in fields(parameters):  # type: ignore[arg-type]
        value = getattr(parameters, item.name)
        if isinstance(value, Parameters):
            resolved[item.name] = with_addresses(value)
        elif item.metadata["meaning"].is_host:
            resolved[item.name] = ipv4_of(value)
            if resolved[item.name] is None:
                parameters.refuse(item.name, HOST_RULE)
    return replace(parameters, **resolved)  # type: ignore[type-var]
