"""Speed and turn of Twist or Ackermann messages -> speed and curvature, limited or refused.

The limits keep the path before the speed: where the lateral acceleration would be too large, the
car drives the commanded curvature more slowly. A command that turns at standstill is refused: the
car stops, or stays, with its wheels as they are.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from vdsim_interface.extras.adapters.parameters import AdapterParameters
from vdsim_interface.values import HighLevelCommand

LINEAR, ANGULAR = "linear.x", "angular.z"
SPEED, ANGLE = "speed", "steering_angle"


class Twist(NamedTuple):
    """geometry_msgs/Twist, body frame (ISO 8855): m/s and rad/s."""

    linear_x: float
    linear_y: float
    angular_z: float


class Ackermann(NamedTuple):
    """ackermann_msgs/AckermannDrive: speed in m/s, angle of the front wheels in rad, + = left.

    `rates`: the names of its rates of change that are not 0; the interface has limits of its own.
    """

    speed: float
    steering_angle: float
    rates: tuple[str, ...] = ()


class Adapted(NamedTuple):
    """The command to publish, None for none; why it is refused; which fields were limited."""

    command: HighLevelCommand | None
    refusal: str = ""
    limited: tuple[str, ...] = ()


class MotionAdapter:
    """Converts one message at a time; remembers the curvature that a stop keeps."""

    def __init__(self, parameters: AdapterParameters) -> None:
        self._parameters = parameters
        self._curvature = 0.0

    def on_twist(self, twist: Twist, now: float) -> Adapted:
        """Convert a Twist: its yaw rate divided by its speed is the curvature."""
        speed, turn = twist.linear_x, twist.angular_z
        if bad := _not_finite({LINEAR: speed, "linear.y": twist.linear_y, ANGULAR: turn}):
            return bad
        least = self._parameters.turning_speed_min_mps
        limited = ["linear.y"] if twist.linear_y else []
        if abs(speed) >= least:
            return self._limit(speed, turn / speed, (LINEAR, ANGULAR), limited, now)
        if abs(turn) <= least * self._parameters.curvature_max_1pm:
            return self._limit(speed, self._curvature, (LINEAR, ANGULAR), limited, now)
        why = (
            f"angular.z={turn:.3g} rad/s at linear.x={speed:.3g} m/s: a car does not turn on the "
            f"spot; it needs {least:g} m/s"
        )
        return Adapted(HighLevelCommand(now, 0.0, self._curvature), why, tuple(limited))

    def on_ackermann(self, drive: Ackermann, now: float) -> Adapted:
        """Convert an AckermannDrive: speed and front wheel angle; the wheels may turn at rest."""
        speed, angle = drive.speed, drive.steering_angle
        if bad := _not_finite({SPEED: speed, ANGLE: angle}):
            return bad
        limited = [*drive.rates]
        if abs(angle) > self._parameters.vehicle.front_wheel_angle_max_rad:
            limited.append(ANGLE)
            angle = math.copysign(self._parameters.vehicle.front_wheel_angle_max_rad, angle)
        curvature = math.tan(angle) / self._parameters.vehicle.wheelbase_m
        return self._limit(speed, curvature, (SPEED, ANGLE), limited, now)

    def _limit(
        self,
        speed: float,
        curvature: float,
        names: tuple[str, str],
        limited: list[str],
        now: float,
    ) -> Adapted:
        """`names`: the fields of the message behind speed and curvature."""
        limits = self._parameters
        most = limits.curvature_max_1pm
        bent = min(max(curvature, -most), most)
        bound = limits.forward_speed_max_mps if speed > 0.0 else limits.backward_speed_max_mps
        if bent:
            bound = min(bound, math.sqrt(limits.lateral_accel_max_mps2 / abs(bent)))
        slowed = math.copysign(min(abs(speed), bound), speed)
        changed = [
            name
            for name, before, after in zip(names, (speed, curvature), (slowed, bent), strict=True)
            if not math.isclose(before, after)
        ]
        self._curvature = bent
        return Adapted(
            HighLevelCommand(now, slowed, bent), "", tuple(dict.fromkeys([*limited, *changed]))
        )


def _not_finite(values: dict[str, float]) -> Adapted | None:
    names = [name for name, value in values.items() if not math.isfinite(value)]
    return Adapted(None, f"{', '.join(names)}: not a finite number") if names else None
