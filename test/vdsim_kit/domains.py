"""A ROS domain that no other test on this machine uses, for as long as it is held.

A domain is held by an abstract Unix socket of its number: the kernel gives it to one process of the
machine and frees it when that process ends, however it ends. A domain with a UDP port in use
belongs to somebody who does not take part in this, and is passed over.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

FIRST, LAST = 1, 101  # 0 is everybody's; above 101 the ports reach Linux's ephemeral ones
_PORT_BASE = 7400  # DDS: the ports of domain d begin at 7400 + 250 d
_PORTS_PER_DOMAIN = 250
_TABLES = (Path("/proc/net/udp"), Path("/proc/net/udp6"))


class NoFreeDomainError(RuntimeError):
    """Every domain is held or in use."""


class Domain:
    """A held domain."""

    def __init__(self, number: int, holder: socket.socket) -> None:
        self.number = number
        self._holder = holder

    def release(self) -> None:
        """Leave the domain to others."""
        self._holder.close()

    def __enter__(self) -> Domain:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def hold_domain(after: int | None = None) -> Domain:
    """Hold the first free domain after `after`, by default after a place that differs by process.

    Going on from the previous domain keeps a process that ends late out of the next test.
    """
    count = LAST - FIRST + 1
    start = os.getpid() if after is None else after - FIRST + 1
    busy = domains_in_use(local_udp_ports())
    for step in range(count):
        number = FIRST + (start + step) % count
        holder = None if number in busy else hold(f"ros_domain.{number}")
        if holder is not None:
            return Domain(number, holder)
    raise NoFreeDomainError(f"no ROS domain of {FIRST} to {LAST} is free on this machine")


def hold(name: str) -> socket.socket | None:
    """Hold a name that one process of this machine can have; None while another has it."""
    holder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        holder.bind(f"\0vdsim.{name}")
    except OSError as error:
        holder.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise
    return holder


def domains_in_use(ports: Iterable[int]) -> set[int]:
    """The domains to which UDP ports belong."""
    return {(port - _PORT_BASE) // _PORTS_PER_DOMAIN for port in ports if port >= _PORT_BASE}


def local_udp_ports() -> set[int]:
    """Every UDP port that a process of this machine has bound."""
    rows = [row for table in _TABLES if table.exists() for row in table.read_text().splitlines()]
    places = [row.split()[1] for row in rows if ":" in row.split()[1]]
    return {int(place.rpartition(":")[2], 16) for place in places}
