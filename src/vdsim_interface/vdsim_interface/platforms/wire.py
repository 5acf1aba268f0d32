"""What goes between the pipeline and a platform: datagrams, endpoints, commands, reports."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from vdsim_interface.values import (
    AuxiliaryCommand,
    Change,
    Notice,
    PlatformCommand,
    VehicleReport,
    WireCommand,
)

Address = tuple[str, int]


class Datagram(NamedTuple):
    """Bytes for the wire, and the endpoint that sends them."""

    endpoint: str
    data: bytes


class Transport(Protocol):
    """An open, non-blocking way to a vehicle other than UDP, with a socket's calls."""

    def recvfrom(self, size: int, /) -> tuple[bytes, Address]:
        """Return the oldest packet that has arrived; BlockingIOError when there is none."""

    def sendto(self, data: bytes, address: Address, /) -> int:
        """Send a packet; raises OSError."""

    def fileno(self) -> int:
        """Return the file descriptor to wait for; -1 where there is none."""

    def close(self) -> None:
        """Close it."""


@dataclass(frozen=True)
class Endpoint:
    """A UDP socket that the platform needs: the address that it binds, and its destinations.

    `opens`: opens another kind of transport in its place, such as a CAN bus, or raises OSError with
    one line; `send_to` then names the bus, with port 0. `peers`: names the only senders that may be
    accepted at a time [s], or nobody; in a flood the kernel discards the others' datagrams.
    """

    name: str
    listen: Address | None
    send_to: tuple[Address, ...] = ()
    opens: Callable[[], Transport] | None = None
    peers: Callable[[float], frozenset[Address]] | None = None


class Encoded(NamedTuple):
    """An encoded command. `sequence` None: the wire has none, or nothing was sent.

    `effort_mps2`: what the command gives in the travel direction on level ground, as far as the
    platform knows, after its limits; nan: what was commanded. Of raw pedals only the platform can
    say it: a stop that replaces them begins there. `carries_body`: gear, hand brake and lamps of
    the command are in it.
    """

    datagrams: tuple[Datagram, ...]
    sequence: int | None = None
    changes: tuple[Change, ...] = ()
    wire: WireCommand | None = None
    effort_mps2: float = math.nan
    notices: tuple[Notice, ...] = ()
    carries_body: bool = True


class Received(NamedTuple):
    """A decoded datagram: a report, or None and the reason why it was dropped."""

    report: VehicleReport | None
    notices: tuple[Notice, ...] = ()


class Platform(Protocol):
    """A vehicle as the pipeline uses it; each has its own way to communicate ([VI-4.3])."""

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Return the sockets that the node must open."""

    def encode(self, command: PlatformCommand, now: float) -> Encoded:
        """Encode a command as datagrams; none with authority SILENT."""

    def receive(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        """Decode a datagram; never raises, whatever arrives."""

    def poll(self, now: float) -> tuple[VehicleReport, ...]:
        """Return the reports of a vehicle in this process; () for one on a wire."""

    def auxiliary(self, command: AuxiliaryCommand, now: float) -> tuple[Notice, ...]:
        """Use additional control values by name ([VI-2.2])."""

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """Return link statistics by name (LINK_NAMES of vocabulary.py); {} without a wire."""
