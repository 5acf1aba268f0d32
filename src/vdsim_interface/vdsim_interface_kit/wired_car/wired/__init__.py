"""Platform `wired`: a packet of the car is its speed as a float64, one for it an acceleration."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from vdsim_interface.parameters.fields import Parameters, whole
from vdsim_interface.platforms.spec import (
    Address,
    Capabilities,
    Datagram,
    Encoded,
    Endpoint,
    PlatformSetup,
    PlatformSpec,
    Received,
)
from vdsim_interface.values import (
    Applied,
    Authority,
    AuxiliaryCommand,
    BodyState,
    Gear,
    Notice,
    PlatformCommand,
    VehicleReport,
    WireCommand,
    notice_kinds,
)

NUMBER = struct.Struct("<d")


@dataclass(frozen=True)
class WiredParameters(Parameters):
    """The socket of the car."""

    PREFIX: ClassVar[str] = "wired"

    listen_port: int = whole(7010, "port of the reports", at_least=0, at_most=65535)


class WiredCar:
    """Any packet of eight bytes and more is a report."""

    def __init__(self, parameters: WiredParameters, setup: PlatformSetup) -> None:
        self._port = parameters.listen_port
        self._sequence = 0
        self._accepted_n = 0

    def endpoints(self) -> tuple[Endpoint, ...]:
        """One socket."""
        return (Endpoint("car", ("127.0.0.1", self._port), (("127.0.0.1", self._port + 1),)),)

    def encode(self, command: PlatformCommand, now: float) -> Encoded:
        """The acceleration."""
        if command.authority is Authority.SILENT:
            return Encoded(())
        self._sequence += 1
        motion = command.vehicle
        wire = WireCommand(motion.front_wheel_angle_rad, long_accel_mps2=motion.long_accel_mps2)
        packet = Datagram("car", NUMBER.pack(motion.long_accel_mps2))
        return Encoded((packet,), sequence=self._sequence, wire=wire)

    def receive(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        """The speed."""
        if len(datagram) < NUMBER.size:
            return Received(None, (Notice(notice_kinds.LINK_REJECT, "too short"),))
        (speed_mps,) = NUMBER.unpack_from(datagram)
        self._accepted_n += 1
        report = VehicleReport(now, now, speed_mps, 0.0, BodyState(gear=Gear.DRIVE), Applied(0, 0))
        return Received(report)

    def poll(self, now: float) -> tuple[VehicleReport, ...]:
        """It is on a wire."""
        return ()

    def auxiliary(self, command: AuxiliaryCommand, now: float) -> tuple[Notice, ...]:
        """It has none."""
        return (Notice(notice_kinds.PLATFORM_LIMIT, "no auxiliary control"),)

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """How many reports there were."""
        return {"accepted": float(self._accepted_n)}


SPEC = PlatformSpec(
    name="wired",
    doc="a float64 over UDP",
    capabilities=Capabilities(),
    parameters=WiredParameters,
    create=WiredCar,
    gears={gear: gear.value for gear in Gear},
    wire="a float64 over UDP",
)
