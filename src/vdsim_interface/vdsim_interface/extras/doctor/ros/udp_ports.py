"""The UDP ports that are open on this machine, as the kernel lists them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

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
