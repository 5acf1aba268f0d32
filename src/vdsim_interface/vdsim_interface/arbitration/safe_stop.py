"""The commands that bring the car to standstill after the source in control was lost.

Used by gamepad and keyboard (dead-man released, device lost) and by the command mux (time-out,
lock). A stop holds the steering, brakes at a stated rate, tapers off near standstill so that no
command drives the car backwards, and then holds the car: the stream of commands never ends by
itself. Where a slope keeps the car rolling, the stop brakes harder until it stands. It works on
every level; the raw level, which has no speed, brakes with a stated pedal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from vdsim_interface.arbitration.motion import MeasuredMotion
from vdsim_interface.parameters.fields import Parameters, real, whole
from vdsim_interface.values import (
    Command,
    Gear,
    HighLevelCommand,
    VehicleCommand,
    braking_accel,
    drive_direction,
)
from vdsim_interface.values.speeds import STANDSTILL_MPS

_TAPER_S = 0.5
"""Near standstill the deceleration falls in proportion to the speed, with this time constant."""

_SLOWS, _AHEAD_S, _LATE_MPS3 = 0.5, 0.5, 1.0
"""A car that has slowed for _AHEAD_S by less than _SLOWS of what its stop asks for is braked
harder, by _LATE_MPS3 for as long as it is too fast: a slope drives it."""

_EMERGENCY_RAMP = 5.0
"""An emergency stop builds its deceleration up this many times faster."""


@dataclass(frozen=True)
class SafeStopParameters(Parameters):
    """Deceleration and brake of a safe stop."""

    PREFIX: ClassVar[str] = "safe_stop"

    decel_mps2: float = real(2.5, "deceleration of a safe stop [m/s2]", above=0, at_most=8)
    jerk_mps3: float = real(10.0, "ramp of that deceleration [m/s3]", above=0)
    raw_brake: int = whole(500, "brake of a safe stop on the raw level [raw units]", at_least=0)
    raw_brake_rate: float = real(2000.0, "ramp of that brake [raw units/s]", at_least=100)
    blind_s: float = real(
        10.0,
        "without odometry, a stop on the vehicle level ends after this time [s]",
        above=0,
        at_most=120,
    )

    emergency_decel_mps2: float = real(
        6.0, "deceleration of an emergency stop [m/s2]", above=0, at_most=8
    )
    emergency_raw_brake: int = whole(
        1000, "brake of an emergency stop on the raw level [raw units]", at_least=0
    )

    def emergency(self) -> SafeStopParameters:
        """Return the parameters of an emergency stop: it brakes harder, and builds up faster."""
        return replace(
            self,
            decel_mps2=max(self.emergency_decel_mps2, self.decel_mps2),
            jerk_mps3=_EMERGENCY_RAMP * self.jerk_mps3,
            raw_brake=max(self.emergency_raw_brake, self.raw_brake),
            raw_brake_rate=_EMERGENCY_RAMP * self.raw_brake_rate,
        )

    def stopping_distance_m(self, speed_mps: float, reaction_s: float) -> float:
        """Return the distance [m] in which a car that follows the commands stops.

        `reaction_s`: sum of all delays before the car starts to brake. Half of the deceleration's
        ramp is added to it; the taper adds min(speed, decel * taper time) * taper time.
        """
        ramp_s = self.decel_mps2 / self.jerk_mps3
        taper_speed = min(speed_mps, self.decel_mps2 * _TAPER_S)
        braking = speed_mps**2 / (2.0 * self.decel_mps2)
        return speed_mps * (reaction_s + ramp_s / 2.0) + braking + taper_speed * _TAPER_S


def _no_faster_mps(command: HighLevelCommand, motion: MeasuredMotion) -> float:
    """Return the size of a commanded speed, not above that of the car, 0 against its motion.

    Otherwise a stop would drive a car that slows by itself: by its fail-safe, or uphill.
    """
    if motion.velocity_mps is None:
        return abs(command.velocity_mps)
    same_way = command.velocity_mps * motion.velocity_mps > 0.0
    return min(abs(command.velocity_mps), abs(motion.velocity_mps)) if same_way else 0.0


def without_controller(command: Command, wheelbase_m: float) -> Command:
    """Return a high-level command as a vehicle command that keeps the steering; others as given."""
    if not isinstance(command, HighLevelCommand):
        return command
    return VehicleCommand(command.stamp_s, 0.0, math.atan(command.curvature_1pm * wheelbase_m))


def request_to_stand(last: Command | None, now: float) -> HighLevelCommand | None:
    """Return the end of a stop that is left in motion; None where `last` asks for no speed.

    Autonomy may begin again while the last command is fresh, and must not drive by it.
    """
    if isinstance(last, HighLevelCommand) and last.velocity_mps:
        return last._replace(stamp_s=now, velocity_mps=0.0)
    return None


class Stopping:
    """A stop from its first period on, and for how long it has not slowed the car as it should."""

    def __init__(self, now: float) -> None:
        self._began_s = now
        self._late_s = 0.0
        self._due_mps = math.inf

    def step(
        self,
        command: Command,
        motion: MeasuredMotion,
        parameters: SafeStopParameters,
        *,
        dt_s: float,
        now: float,
    ) -> Command:
        """Return the command after `command`."""
        if isinstance(command, HighLevelCommand):
            speed = max(0.0, _no_faster_mps(command, motion) - parameters.decel_mps2 * dt_s)
            velocity = math.copysign(speed, command.velocity_mps) if speed else 0.0
            return command._replace(stamp_s=now, velocity_mps=velocity)
        if isinstance(command, VehicleCommand):
            self._look(motion, parameters, dt_s)
            target = _braking_accel(motion, parameters, now - self._began_s, self._late_s)
            # Acceleration ends at once; only the brake is ramped.
            start = command.long_accel_mps2 if command.long_accel_mps2 * target > 0.0 else 0.0
            accel = approach(start, target, parameters.jerk_mps3 * dt_s)
            return command._replace(stamp_s=now, long_accel_mps2=accel)
        brake = approach(command.brake, parameters.raw_brake, parameters.raw_brake_rate * dt_s)
        return command._replace(stamp_s=now, throttle=0, brake=round(brake))

    def _look(self, motion: MeasuredMotion, parameters: SafeStopParameters, dt_s: float) -> None:
        """Count the time in which the car is faster than it has to be by now."""
        if motion.velocity_mps is None:
            return
        speed, slows_mps2 = abs(motion.velocity_mps), _SLOWS * parameters.decel_mps2
        self._due_mps = min(self._due_mps, speed + slows_mps2 * _AHEAD_S) - slows_mps2 * dt_s
        if speed > self._due_mps:
            self._late_s += dt_s


def _braking_accel(
    motion: MeasuredMotion, parameters: SafeStopParameters, elapsed_s: float, late_s: float
) -> float:
    """Acceleration [m/s2] that brakes in the engaged gear; by the motion while it is unknown."""
    if motion.velocity_mps is None:
        gear_direction = drive_direction(motion.gear) if motion.gear is not None else 1
        return -gear_direction * parameters.decel_mps2 if elapsed_s < parameters.blind_s else 0.0
    speed = abs(motion.velocity_mps)
    if speed < STANDSTILL_MPS:
        return 0.0
    gear = Gear.NEUTRAL if motion.gear is None else motion.gear
    most = max(parameters.decel_mps2, parameters.emergency_decel_mps2)
    decel = min(min(parameters.decel_mps2, speed / _TAPER_S) + _LATE_MPS3 * late_s, most)
    return braking_accel(gear, motion.velocity_mps, decel)


def approach(value: float, target: float, step: float) -> float:
    """Return `value` moved towards `target` by at most `step`."""
    return target if abs(target - value) <= step else value + math.copysign(step, target - value)
