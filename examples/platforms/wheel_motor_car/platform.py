"""PlatformCommand and auxiliary torques -> VDSimPlant, its motion -> VehicleReport."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from vdsim_interface.parameters.fields import choice, real
from vdsim_interface.platforms.auxiliary import accepted
from vdsim_interface.platforms.body_model import BodyModel
from vdsim_interface.platforms.raw import RawScaling, raw_pedals
from vdsim_interface.platforms.spec import (
    Address,
    Encoded,
    Endpoint,
    PlatformSetup,
    Received,
)
from vdsim_interface.values import (
    Applied,
    Authority,
    AuxiliaryCommand,
    Gear,
    Notice,
    PlatformCommand,
    Sensors,
    VehicleReport,
    WireCommand,
    drive_direction,
    notice_kinds,
    travel_direction,
)

from vdsim_plant import VDSimPlant

GEARS = {gear: drive_direction(gear) for gear in Gear}
WHEELS = ("fl", "fr", "rl", "rr")
AUXILIARY = tuple(f"wheel_torque_{wheel}_nm" for wheel in WHEELS)
AUXILIARY_TIMEOUT_S = 0.5
TICK_S = 0.005
LONGEST_GAP_S = 1.0
NO_TORQUE = (0.0, -math.inf)


@dataclass(frozen=True)
class WheelMotorParameters(RawScaling):
    """The car."""

    PREFIX: ClassVar[str] = "wheel_motor_car"

    config: str = choice("ioniq5_awd", "the car", ("ioniq5_awd", "compact_fwd"))
    mu: float = real(0.9, "friction of the road", above=0, at_most=1.2)
    motor_nm: float = real(1500.0, "largest torque of a wheel's motor [N m]", above=0, at_most=1e4)
    full_throttle_mps2: float = real(4.0, "acceleration at full raw throttle [m/s2]", above=0)
    full_brake_mps2: float = real(8.0, "deceleration at full raw brake [m/s2]", above=0)
    unattended_brake_mps2: float = real(1.5, "brake while no command is received [m/s2]", above=0)
    range_km: float = real(400.0, "distance on a full battery [km]", above=0)


class WheelMotorCar:
    """A car that every poll moves on to the present.

    The safety rules decide the acceleration: of the auxiliary torques only the difference between
    the wheels acts, their mean is taken off. So no auxiliary command drives a car that is to stop.
    """

    def __init__(self, parameters: WheelMotorParameters, setup: PlatformSetup) -> None:
        self._parameters = parameters
        self._geometry = setup.geometry
        self._plant = VDSimPlant(
            parameters.config, base_mu=parameters.mu, control_dt=TICK_S, limit_to_motor=True
        )
        car = self._plant.vehicle.parameters
        self._mass_kg, self._radius_m = car.body.mass_kg, car.wheels.radius_m
        self._body = BodyModel(
            Gear.PARK, 1000.0 * parameters.range_km, frozenset({"gear", "hand_brake"})
        )
        self._gear, self._hand_brake = Gear.PARK, False
        self._drive_mps2, self._brake_mps2 = 0.0, parameters.unattended_brake_mps2
        self._front_rad = 0.0
        self._torques: dict[str, tuple[float, float]] = {}
        self._takes_torques = False
        self._polled_s: float | None = None
        self._left_s = 0.0
        self._sequence = 0

    def endpoints(self) -> tuple[Endpoint, ...]:
        """No socket."""
        return ()

    def encode(self, command: PlatformCommand, now: float) -> Encoded:
        """Apply the command from now on."""
        self._takes_torques = command.authority is Authority.COMMAND
        if command.authority is Authority.SILENT:
            self._drive_mps2 = 0.0
            self._brake_mps2 = self._parameters.unattended_brake_mps2
            return Encoded(())
        self._body.apply(command.body)
        self._gear, self._hand_brake = command.body.gear, command.body.hand_brake
        if command.raw is not None:
            limit = self._geometry.front_wheel_angle_max_rad
            pedals = raw_pedals(command.raw, self._parameters, limit, 0.0)
            self._drive_mps2 = pedals.throttle * self._parameters.full_throttle_mps2
            self._brake_mps2 = pedals.brake * self._parameters.full_brake_mps2
            self._front_rad = pedals.front_rad
            wire = WireCommand(pedals.front_rad, pedals.throttle, pedals.brake)
            effort = self._drive_mps2 - self._brake_mps2
            return Encoded((), changes=pedals.changes, wire=wire, effort_mps2=effort)
        speed_mps = self._plant.motion().vx_mps
        accel = command.vehicle.long_accel_mps2
        drive = travel_direction(self._gear, speed_mps) * accel
        self._drive_mps2 = max(drive, 0.0)
        self._brake_mps2 = max(-drive, command.hold_mps2, 0.0)
        self._front_rad = command.vehicle.front_wheel_angle_rad
        return Encoded((), wire=WireCommand(self._front_rad, long_accel_mps2=accel))

    def receive(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        """Drop it: there is no wire."""
        text = f"datagram of {len(datagram)} bytes dropped: this platform has no wire"
        return Received(None, (Notice(notice_kinds.LINK_REJECT, text),))

    def poll(self, now: float) -> tuple[VehicleReport, ...]:
        """Move the car up to now and report."""
        if self._polled_s is not None:
            self._left_s += min(max(now - self._polled_s, 0.0), LONGEST_GAP_S)
        self._polled_s = now
        while self._left_s >= TICK_S - 1e-9:
            self._left_s -= TICK_S
            self._plant.step([self._front_rad, 0.0], self._drive_nm(now), self._brake_nm())
        self._sequence += 1
        return (self._report(now),)

    def auxiliary(self, command: AuxiliaryCommand, now: float) -> tuple[Notice, ...]:
        """Use a torque at a wheel until it is half a second old ([VI-2.2])."""
        values, notices = accepted(command, AUXILIARY)
        most = self._parameters.motor_nm
        for name, value in values:
            self._torques[name] = min(max(value, -most), most), now
        return notices

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """No wire, no statistics."""
        return {}

    def _drive_nm(self, now: float) -> list[float]:
        """Return the torque of each wheel's motor [N m]: the drive and the difference on top."""
        force_n = GEARS[self._gear] * self._drive_mps2 * self._mass_kg
        each = 0.25 * self._radius_m * force_n
        if not self._takes_torques:
            return [each] * len(WHEELS)
        asked = [self._fresh(name, now) for name in AUXILIARY]
        mean = sum(asked) / len(asked)
        return [each + torque - mean for torque in asked]

    def _fresh(self, name: str, now: float) -> float:
        torque, stamp_s = self._torques.get(name, NO_TORQUE)
        return torque if now - stamp_s <= AUXILIARY_TIMEOUT_S else 0.0

    def _brake_nm(self) -> list[float]:
        locked = self._gear is Gear.PARK or self._hand_brake
        decel = self._brake_mps2 + (self._parameters.full_brake_mps2 if locked else 0.0)
        return [0.25 * self._radius_m * self._mass_kg * decel] * len(WHEELS)

    def _report(self, now: float) -> VehicleReport:
        motion = self._plant.motion()
        return VehicleReport(
            stamp_s=now,
            vehicle_time_s=now,
            velocity_mps=motion.vx_mps,
            front_wheel_angle_rad=motion.steer_applied_rad,
            body=self._body.advance(motion.vx_mps, now),
            applied=Applied(motion.steer_applied_rad, motion.ax_mps2),
            lateral_velocity_mps=motion.vy_mps,
            x_m=motion.x_m,
            y_m=motion.y_m,
            roll_rad=motion.roll_rad,
            pitch_rad=motion.pitch_rad,
            yaw_rad=motion.yaw_rad,
            yaw_rate_radps=motion.yaw_rate_radps,
            accel_x_mps2=motion.ax_mps2,
            accel_y_mps2=motion.ay_mps2,
            sensors=Sensors(
                accel_x_mps2=motion.ax_mps2,
                accel_y_mps2=motion.ay_mps2,
                yaw_rate_radps=motion.yaw_rate_radps,
                wheel_spin_radps=motion.wheel_spin_radps,
                wheel_radius_m=motion.wheel_radius_m,
            ),
            sequence=self._sequence,
        )
