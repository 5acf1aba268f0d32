"""Whether two options name the same port of one machine, where only one socket can be. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

_LOCALHOST = "127.0.0.1"


class NamedPort(NamedTuple):
    """A port as an option names it: where something listens, or where something is sent to."""

    option: str
    host: str
    port: int


def same_machine(first: str, second: str) -> bool:
    """Whether a socket at one address is one at the other, as far as their texts show.

    All addresses of a machine (0.0.0.0) hold its loopback ones; whether another address is this
    machine's, the text does not show.
    """
    first, second = (_LOCALHOST if host == "localhost" else host for host in (first, second))
    if first == second:
        return True
    try:
        pair = ipaddress.IPv4Address(first), ipaddress.IPv4Address(second)
    except ValueError:  # a name
        return False
    (one, other) = sorted(pair)
    return one.is_unspecified and other.is_loopback


def equal_ports(ports: Iterable[NamedPort]) -> tuple[NamedPort, NamedPort] | None:
    """The first two that cannot both be; None when there are none. Port 0 is any free one."""
    for first, second in combinations((port for port in ports if port.port), 2):
        if first.port == second.port and same_machine(first.host, second.host):
            return first, second
    return None
