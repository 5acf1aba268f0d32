"""Platform `fake`: applies acceleration and wheel angles directly, and reports at every poll."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from vdsim_interface.extras.fake.car import KinematicCar
from vdsim_interface.parameters.fields import choice, real
from vdsim_interface.platforms.body_model import BodyModel
from vdsim_interface.platforms.raw import RawScaling, raw_pedals
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.wire import Address, Encoded, Endpoint, Received
from vdsim_interface.values import (
    Applied,
    Authority,
    AuxiliaryCommand,
    Gear,
    Notice,
    PlatformCommand,
    RawCommand,
    Sensors,
    VehicleReport,
    WireCommand,
    drive_direction,
    notice_kinds,
    travel_direction,
)

FAKE_GEARS: dict[Gear, int] = {gear: drive_direction(gear) for gear in Gear}
GRAVITY_MPS2 = 9.80665


@dataclass(frozen=True)
class FakeParameters(RawScaling):
    """The car of platform `fake`."""

    PREFIX: ClassVar[str] = "fake"

    drive_lag_s: float = real(0.15, "lag of drive and brake [s]", at_least=0, at_most=5)
    steer_lag_s: float = real(0.08, "lag of the steering [s]", at_least=0, at_most=5)
    full_throttle_mps2: float = real(
        4.0, "acceleration at full raw throttle [m/s2]", above=0, at_most=15
    )
    full_brake_mps2: float = real(8.0, "deceleration at full raw brake [m/s2]", above=0, at_most=15)
    unattended_brake_mps2: float = real(
        1.5, "brake while no command is received [m/s2]", at_least=0, at_most=15
    )
    slope_rad: float = real(0.0, "slope of the road, positive uphill [rad]", above=-0.5, below=0.5)
    range_km: float = real(400.0, "distance on a full tank or battery [km]", above=0, at_most=5000)
    initial_fuel_percent: float = real(
        100.0, "modelled fuel or charge at the start [%]", at_least=0, at_most=100
    )
    initial_gear: str = choice("PARK", "gear at start", tuple(gear.name for gear in Gear))


class FakePlatform:
    """A car without a wire: `encode` sets its inputs, `poll` returns its reports."""

    def __init__(self, parameters: FakeParameters, setup: PlatformSetup) -> None:
        self._parameters = parameters
        self._geometry = setup.geometry
        self._car = KinematicCar(
            setup.geometry.wheelbase_m, parameters.drive_lag_s, parameters.steer_lag_s
        )
        self._body = BodyModel(
            Gear[parameters.initial_gear],
            1000.0 * parameters.range_km,
            frozenset({"gear", "hand_brake"}),
            parameters.initial_fuel_percent,
        )
        self._slope_mps2 = -GRAVITY_MPS2 * math.sin(parameters.slope_rad)
        self._gear = Gear[parameters.initial_gear]
        self._hand_brake = False
        self._drive_mps2 = 0.0
        self._brake_mps2 = parameters.unattended_brake_mps2
        self._front_rad = 0.0
        self._rear_rad = 0.0
        self._polled_s: float | None = None
        self._sequence = 0

    def endpoints(self) -> tuple[Endpoint, ...]:
        """No socket."""
        return ()

    def encode(self, command: PlatformCommand, now: float) -> Encoded:
        """Apply the command from now on."""
        if command.authority is Authority.SILENT:
            self._drive_mps2 = 0.0
            self._brake_mps2 = self._parameters.unattended_brake_mps2
            return Encoded(())
        self._body.apply(command.body)
        self._gear = command.body.gear
        self._hand_brake = command.body.hand_brake
        if command.raw is not None:
            return self._apply_raw(command.raw)
        vehicle = command.vehicle
        sense = travel_direction(self._gear, self._car.speed_mps)
        drive = sense * vehicle.long_accel_mps2
        self._drive_mps2 = max(drive, 0.0)
        self._brake_mps2 = max(-drive, command.hold_mps2, 0.0)
        self._front_rad = vehicle.front_wheel_angle_rad
        self._rear_rad = vehicle.rear_wheel_angle_rad
        sent = WireCommand(self._front_rad, long_accel_mps2=vehicle.long_accel_mps2)
        return Encoded((), wire=sent)

    def _apply_raw(self, raw: RawCommand) -> Encoded:
        parameters, geometry = self._parameters, self._geometry
        pedals = raw_pedals(
            raw, parameters, geometry.front_wheel_angle_max_rad, geometry.rear_wheel_angle_max_rad
        )
        self._drive_mps2 = pedals.throttle * parameters.full_throttle_mps2
        self._brake_mps2 = pedals.brake * parameters.full_brake_mps2
        self._front_rad, self._rear_rad = pedals.front_rad, pedals.rear_rad
        sent = WireCommand(pedals.front_rad, pedals.throttle, pedals.brake)
        effort = self._drive_mps2 - self._brake_mps2
        return Encoded((), changes=pedals.changes, wire=sent, effort_mps2=effort)

    def receive(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        """Drop it: there is no wire."""
        text = f"datagram of {len(datagram)} bytes dropped: this platform has no wire"
        return Received(None, (Notice(notice_kinds.LINK_REJECT, text),))

    def poll(self, now: float) -> tuple[VehicleReport, ...]:
        """Move the car up to now and report."""
        elapsed_s = 0.0 if self._polled_s is None else min(max(now - self._polled_s, 0.0), 1.0)
        self._polled_s = now
        car = self._car
        locked = self._gear is Gear.PARK or self._hand_brake
        brake = self._brake_mps2 + (self._parameters.full_brake_mps2 if locked else 0.0)
        car.advance(
            elapsed_s,
            direction=FAKE_GEARS[self._gear],
            drive_mps2=self._drive_mps2,
            brake_mps2=brake,
            front_rad=self._front_rad,
            rear_rad=self._rear_rad,
            slope_mps2=self._slope_mps2,
        )
        self._sequence += 1
        return (self._report(now),)

    def auxiliary(self, command: AuxiliaryCommand, now: float) -> tuple[Notice, ...]:
        """Refuse: this car has no additional controls."""
        names = ", ".join(name for name, _ in command.values)
        text = f"auxiliary control {names} ignored: this platform has none"
        return (Notice(notice_kinds.PLATFORM_LIMIT, text),)

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """No wire, no statistics."""
        return {}

    def _report(self, now: float) -> VehicleReport:
        car = self._car
        lateral = car.speed_mps * car.yaw_rate_radps
        return VehicleReport(
            stamp_s=now,
            vehicle_time_s=now,
            velocity_mps=car.speed_mps,
            front_wheel_angle_rad=car.front_rad,
            rear_wheel_angle_rad=car.rear_rad,
            body=self._body.advance(car.speed_mps, now),
            applied=Applied(car.front_rad, car.accel_mps2),
            x_m=car.x_m,
            y_m=car.y_m,
            yaw_rad=car.yaw_rad,
            pitch_rad=-self._parameters.slope_rad,
            yaw_rate_radps=car.yaw_rate_radps,
            accel_x_mps2=car.accel_mps2,
            accel_y_mps2=lateral,
            sensors=Sensors(
                accel_x_mps2=car.accel_mps2,
                accel_y_mps2=lateral,
                yaw_rate_radps=car.yaw_rate_radps,
                gnss_x_m=car.x_m,
                gnss_y_m=car.y_m,
            ),
            sequence=self._sequence,
        )
