"""autoware_control_msgs/Control -> acceleration and wheel angle of the interface.

Velocity and acceleration together (`longitudinal: bounded`): the acceleration drives the car, in
the direction of travel, and the velocity bounds it: above it the drive fades out within
`velocity_margin_mps`, and a car at rest with velocity 0 is held. A margin, because on a hill the
drive that keeps the speed is a positive acceleration. Where is_defined_acceleration is false the
velocity alone drives: a gain times the error of the speed.

Autoware counts an acceleration that speeds up in REVERSE as positive, as its controllers and its
simulator do. The interface counts along the body's x axis (ISO 8855).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from vdsim_interface.values import Gear, VehicleCommand, drive_direction, make_vehicle_command

from vdsim_autoware.adapter.parameters import ACCELERATION, BOUNDED, AutowareParameters


class Control(NamedTuple):
    """One Control message: angle of the front wheels, + = left; speed along the body's x axis."""

    received_s: float
    steering_rad: float
    velocity_mps: float
    acceleration_mps2: float
    is_defined_acceleration: bool

    def not_finite(self) -> tuple[str, ...]:
        """Name the fields that are not finite numbers."""
        values = {
            "steering_tire_angle": self.steering_rad,
            "velocity": self.velocity_mps,
            "acceleration": self.acceleration_mps2,
        }
        return tuple(name for name, value in values.items() if not math.isfinite(value))


class Clamped(NamedTuple):
    """A value inside its range; `text` names what was outside, empty for nothing."""

    value: float
    text: str = ""


def clamped(name: str, value: float, low: float, high: float) -> Clamped:
    """Bring a value into its range."""
    if low <= value <= high:
        return Clamped(value)
    inside = min(max(value, low), high)
    return Clamped(inside, f"{name}={value:.3g} is outside {low:g} to {high:g}: {inside:g} is used")


def travel_sign(gear: Gear, velocity_mps: float) -> float:
    """Return +1 for forward, -1 for backward: by the gear, in P and N by the commanded speed."""
    return float(drive_direction(gear)) or (-1.0 if velocity_mps < 0.0 else 1.0)


def acceleration(
    control: Control, gear: Gear, speed_mps: float, parameters: AutowareParameters
) -> Clamped:
    """Return the commanded acceleration along the body's x axis [m/s2]."""
    sign = travel_sign(gear, control.velocity_mps)
    speed, target = sign * speed_mps, sign * control.velocity_mps
    low, high = -parameters.decel_max_mps2, parameters.accel_max_mps2
    rule, text = parameters.longitudinal, ""
    is_usable = control.is_defined_acceleration or parameters.use_undefined_acceleration
    if rule == ACCELERATION or (rule == BOUNDED and is_usable):
        forward, text = clamped("acceleration", control.acceleration_mps2, low, high)
    else:
        forward = min(max(parameters.velocity_gain_1ps * (max(target, 0.0) - speed), low), high)
    if rule == BOUNDED and forward > 0.0:
        forward *= min(1.0, max(0.0, 1.0 - (speed - target) / parameters.velocity_margin_mps))
    at_rest = abs(speed) < parameters.standstill_speed_mps
    if rule != ACCELERATION and target <= 0.0 and at_rest:
        forward = min(forward, -parameters.hold_mps2)
    return Clamped(sign * forward, text)


def steering(control: Control, parameters: AutowareParameters) -> Clamped:
    """Return the commanded wheel angle inside the mechanical limit [rad]."""
    limit = parameters.vehicle.front_wheel_angle_max_rad
    return clamped("steering_tire_angle", control.steering_rad, -limit, limit)


def command(now: float, accel_mps2: float, angle_rad: float) -> VehicleCommand:
    """Build the command of the interface."""
    return make_vehicle_command(now, accel_mps2, angle_rad, 0.0)
