"""tier4_vehicle_msgs/ActuationCommand -> raw command of the interface.

Pedals are shares in [0, 1], the steering is the angle of the front wheels in rad. Safety rules do
not change a raw command: it passes as it is or is blocked, and its time-out stops the car.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from vdsim_interface.platforms.raw import RawScaling
from vdsim_interface.values import RawCommand

from vdsim_autoware.adapter.control import Clamped, clamped
from vdsim_autoware.adapter.parameters import AutowareParameters

_SCALING = RawScaling()


class Actuation(NamedTuple):
    """One ActuationCommand: pedals in [0, 1], angle of the front wheels, + = left."""

    received_s: float
    accel: float
    brake: float
    steering_rad: float

    def not_finite(self) -> tuple[str, ...]:
        """Name the fields that are not finite numbers."""
        values = {
            "accel_cmd": self.accel,
            "brake_cmd": self.brake,
            "steer_cmd": self.steering_rad,
        }
        return tuple(name for name, value in values.items() if not math.isfinite(value))


def raw_command(actuation: Actuation, parameters: AutowareParameters) -> tuple[RawCommand, str]:
    """Scale a command to counts; also return what was outside its range."""
    limit = parameters.vehicle.front_wheel_angle_max_rad
    accel = clamped("accel_cmd", actuation.accel, 0.0, 1.0)
    brake = clamped("brake_cmd", actuation.brake, 0.0, 1.0)
    steer = clamped("steer_cmd", actuation.steering_rad, -limit, limit)
    text = "; ".join(part.text for part in (accel, brake, steer) if part.text)
    return _counts(actuation.received_s, accel, brake, steer), text


def stop_command(actuation: Actuation, brake: float, parameters: AutowareParameters) -> RawCommand:
    """Brake by this share of the pedal, and keep to the steering of the command."""
    stop = actuation._replace(accel=0.0, brake=brake)
    return raw_command(stop, parameters)[0]


def _counts(now: float, accel: Clamped, brake: Clamped, steer: Clamped) -> RawCommand:
    return RawCommand(
        stamp_s=now,
        throttle=round(accel.value * _SCALING.raw_throttle_full),
        brake=round(brake.value * _SCALING.raw_brake_full),
        front_steer=round(steer.value * _SCALING.raw_steer_per_rad),
    )
