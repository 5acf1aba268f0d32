"""What a platform is: one folder below platforms/ with a `SPEC` in its __init__.py.

A platform turns the pipeline's PlatformCommand into what its vehicle understands, and what its
vehicle says into VehicleReport values. It owns no socket and reads no clock: the shell opens the
endpoints it names, hands in datagrams, and sends the datagrams it returns.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from vdsim_interface.parameters.fields import Parameters
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.values import (
    AuxiliaryCommand,
    Change,
    Gear,
    Notice,
    PlatformCommand,
    VehicleReport,
    WireCommand,
)

Address = tuple[str, int]


LINK_NAMES = frozenset(
    {
        *("accepted", "lost", "loss_ratio", "reordered", "duplicates", "clamped", "sessions"),
        *("rate_hz", "sent_rate_hz", "age_s", "jitter_s", "clock_offset_s", "clock_skew_ppm"),
    }
)
"""Names of link statistics; beside them `rejected_<reason>`. Offsets: the peer's clock - ours."""


class Datagram(NamedTuple):
    """Bytes for the wire, and the endpoint that sends them."""

    endpoint: str
    data: bytes


@dataclass(frozen=True)
class Endpoint:
    """A UDP socket that the platform needs: where it listens, where it sends to."""

    name: str
    listen: Address | None
    send_to: tuple[Address, ...] = ()


class Encoded(NamedTuple):
    """A command on its way out. `sequence` None: the wire has none, or nothing was sent."""

    datagrams: tuple[Datagram, ...]
    sequence: int | None = None
    changes: tuple[Change, ...] = ()
    wire: WireCommand | None = None


class Received(NamedTuple):
    """What a datagram said: a report, or nothing but a reason why it was dropped."""

    report: VehicleReport | None
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class Capabilities:
    """What the wire carries. What it does not carry is held and echoed by a body model.

    `commands`, `reports`: names of BodyCommand / BodyState fields on the wire. `driver_activity`:
    whether the vehicle says that a person uses its controls. `rear_steering`: whether it steers its
    rear wheels when told to.
    """

    commands: frozenset[str] = frozenset()
    reports: frozenset[str] = frozenset()
    driver_activity: bool = False
    auxiliary: tuple[str, ...] = ()
    rear_steering: bool = False


class Platform(Protocol):
    """A vehicle as the pipeline sees it; each has its own way to communicate ([VI-4.3])."""

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Name the sockets that the shell must open."""

    def encode(self, command: PlatformCommand, now: float) -> Encoded:
        """Turn a command into datagrams; SILENT authority gives none."""

    def receive(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        """Take a datagram; never raises on what a wire can bring."""

    def poll(self, now: float) -> tuple[VehicleReport, ...]:
        """Give the reports of a vehicle that lives in this process; () for one on a wire."""

    def auxiliary(self, command: AuxiliaryCommand, now: float) -> tuple[Notice, ...]:
        """Take additional control values by name ([VI-2.2])."""

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """Say how the link does, by name (see LINK_NAMES); {} without a wire."""


class PlatformSetup(NamedTuple):
    """What every platform is built with besides its own parameters."""

    geometry: VehicleGeometry
    period_s: float


@dataclass(frozen=True)
class PlatformSpec:
    """A platform's description; `create` makes one from its parameters."""

    name: str
    doc: str
    capabilities: Capabilities
    parameters: type[Parameters]
    create: Callable[[Any, PlatformSetup], Platform]
    gears: Mapping[Gear, object]
