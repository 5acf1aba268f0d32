"""The pose of the simulated car as Autoware's localization would report it, at the rear axle.

The interface's body frame is the car's centre of gravity, Autoware's base_link the middle of the
rear axle. The world frames are the same: ENU, the map's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from vdsim_interface.parameters.fields import Parameters, real, text


@dataclass(frozen=True)
class LocalizationParameters(Parameters):
    """Everything that the node simulated_localization reads."""

    base_to_rear_axle_m: float = real(
        1.8,
        "rear axle behind the body frame of the interface (the centre of gravity of the simulated "
        "car) [m]",
        at_least=-20,
        at_most=20,
    )
    rate_hz: float = real(
        50.0, "rate of kinematic_state, acceleration and tf [Hz]", at_least=10, at_most=1000
    )
    map_frame: str = text("map", "frame of the poses (ENU)", at_start=True)
    base_frame: str = text("base_link", "frame of the rear axle", at_start=True)


class Planar(NamedTuple):
    """Position [m] and heading [rad] in the map."""

    x_m: float
    y_m: float
    yaw_rad: float


def yaw_of(x: float, y: float, z: float, w: float) -> float:
    """Return the heading of a quaternion [rad]."""
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def moved(pose: Planar, forward_m: float) -> Planar:
    """Return the pose of a point `forward_m` ahead of `pose` on the car."""
    return Planar(
        pose.x_m + forward_m * math.cos(pose.yaw_rad),
        pose.y_m + forward_m * math.sin(pose.yaw_rad),
        pose.yaw_rad,
    )


def start_pose(x: float, y: float, quaternion: tuple[float, float, float, float]) -> Planar | None:
    """Return an initial pose; None for one that is no pose (x, y, z, w of the quaternion)."""
    if not math.isfinite(x + y + sum(quaternion)) or sum(q * q for q in quaternion) < 0.5:
        return None
    return Planar(x, y, yaw_of(*quaternion))
