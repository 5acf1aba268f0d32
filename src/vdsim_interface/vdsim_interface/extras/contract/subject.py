"""A platform under test, what its peer sees, and the one error of the contract."""

import importlib

from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.platforms.peer import Peer, PeerMotion, ReceivedCommand
from vdsim_interface.platforms.spec import PlatformSetup, PlatformSpec
from vdsim_interface.platforms.wire import Encoded, Platform
from vdsim_interface.values import (
    Authority,
    BodyCommand,
    Gear,
    Mode,
    PlatformCommand,
    RawCommand,
    VehicleCommand,
    VehicleReport,
    WireCommand,
)

SETUP = PlatformSetup(VehicleGeometry(), 0.01)
STANDING = PeerMotion(0.0)
SETTLE_PERIODS = 500
"""So long may it take to enable a vehicle, and to turn its wheels at the rate that it allows."""
STAY_PERIODS = 6
"""For so long what is on the wire stays: a message that `WireCommand` does not show has a cycle."""
IN_DRIVE = BodyCommand(Gear.DRIVE)


class ContractError(AssertionError):
    """A platform breaks a promise; the text states what was expected and what happened."""


def require(holds: bool, expected: str, *found: object) -> None:
    """Raise ContractError unless the promise holds; `found` is what was seen instead."""
    if not holds:
        seen = f"; found: {', '.join(str(item) for item in found)}" if found else ""
        raise ContractError(f"{expected}{seen}")


class Subject:
    """A platform under test, with its peer when it has a wire.

    `spec`: with the capabilities of the vehicle that the default parameters name. `last_datagram`:
    the one that the latest report came from.
    """

    def __init__(self, spec: PlatformSpec) -> None:
        self.spec = spec.with_parameters(spec.parameters())
        self.platform: Platform = spec.create(spec.parameters(), SETUP)
        self.peer: Peer | None = None
        self.now = 10.0
        self.last_datagram = b""
        if self.platform.endpoints():
            package = spec.create.__module__.rpartition(".")[0]
            try:
                self.peer = importlib.import_module(f"{package}.contract_peer").Peer()
            except ModuleNotFoundError as error:
                why = (
                    f"{spec.name}: a platform with a wire needs contract_peer.py with a class Peer"
                )
                raise ContractError(f"{why} ({error})") from error

    def report(self, motion: PeerMotion = STANDING) -> VehicleReport:
        """Return one vehicle report; a platform without a wire is polled for it.

        After a silence a platform may wait for a second report in a row.
        """
        found: VehicleReport | None = None
        for _ in range(2):
            self.now += 0.01
            if self.peer is None:
                (report,) = self.platform.poll(self.now)
                return report
            for datagram, source in self.peer.report(motion, self.now):
                received = self.platform.receive(datagram.data, source, datagram.endpoint, self.now)
                if received.report is not None:
                    found, self.last_datagram = received.report, datagram.data
            if found is not None:
                return found
        raise ContractError("the platform must decode the report of its contract_peer")

    def settled(
        self, given: PlatformCommand, motion: PeerMotion = STANDING
    ) -> tuple[Encoded, ReceivedCommand | None]:
        """Send a command until what is on the wire stays, and return it as sent and as decoded.

        A vehicle that has to be enabled, or limits the rate of a channel, needs several periods.
        """
        before: WireCommand | None = None
        decoded: ReceivedCommand | None = None
        stays_n = 0
        for _ in range(SETTLE_PERIODS):
            report = self.report(motion)
            encoded = self.platform.encode(given, self.now)
            if self.peer is not None:
                decoded = self.peer.receive(encoded.datagrams, self.now) or decoded
            obeys = self.peer is None or decoded is not None
            stays_n = stays_n + 1 if report.ready and obeys and encoded.wire == before else 0
            if stays_n == STAY_PERIODS:
                break
            before = encoded.wire
        return encoded, decoded


def command(
    accel: float = 0.0,
    front: float = 0.0,
    body: BodyCommand = IN_DRIVE,
    authority: Authority = Authority.COMMAND,
    raw: RawCommand | None = None,
) -> PlatformCommand:
    """A command as the safety stage sends it."""
    mode = Mode.AUTONOMOUS if authority is Authority.COMMAND else Mode.MANUAL
    return PlatformCommand(authority, mode, VehicleCommand(0.0, accel, front, 0.0), body, raw)


def near(what: str, found: float, expected: float, tolerance: float = 1e-3) -> None:
    """Raise ContractError unless two numbers agree."""
    require(abs(found - expected) < tolerance, f"{what} must be {expected:g}", f"{found:g}")


def wire_of(encoded: Encoded) -> WireCommand:
    """Return what an encoded command puts on the wire."""
    if encoded.wire is None:
        raise ContractError("an encoded command must state what is on the wire (Encoded.wire)")
    return encoded.wire


def decoded_of(command: ReceivedCommand | None) -> ReceivedCommand:
    """Return what the peer has decoded."""
    if command is None:
        raise ContractError("the contract_peer must decode the platform's datagrams")
    return command
