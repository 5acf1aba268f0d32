"""Things with a place and a size, seen from above, and whether two of them touch. Frame ENU."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Thing:
    """An object of the scene. Velocity and acceleration along its own axes."""

    object_id: int
    object_type: int
    x_m: float
    y_m: float
    yaw_rad: float
    length_m: float
    width_m: float
    height_m: float
    speed_mps: float = 0.0
    lateral_accel_mps2: float = 0.0


def touch(a: Thing, b: Thing) -> bool:
    """Whether two rectangles overlap: no side of either separates them."""
    apart = (b.x_m - a.x_m, b.y_m - a.y_m)
    for yaw in (a.yaw_rad, a.yaw_rad + math.pi / 2.0, b.yaw_rad, b.yaw_rad + math.pi / 2.0):
        axis = (math.cos(yaw), math.sin(yaw))
        distance = abs(apart[0] * axis[0] + apart[1] * axis[1])
        if distance > _reach(a, yaw) + _reach(b, yaw):
            return False
    return True


def _reach(thing: Thing, yaw: float) -> float:
    """Half the extent of a rectangle along a direction."""
    turned = yaw - thing.yaw_rad
    along, across = abs(math.cos(turned)), abs(math.sin(turned))
    return 0.5 * (thing.length_m * along + thing.width_m * across)


def distance_m(a: Thing, b: Thing) -> float:
    """Between the middles."""
    return math.hypot(b.x_m - a.x_m, b.y_m - a.y_m)
