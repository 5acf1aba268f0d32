"""Height and slope of the road under the car, from the points of Autoware's trajectory.

The points are read from the serialized message: a trajectory has hundreds of points at 10 Hz, and
as objects they would cost more than the car.
"""

from __future__ import annotations

import math
import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LARGEST_POSITION_M = 1e7
"""Of a point and of an initial pose: further away a difference of two would not be exact."""
MOST_POINTS = 20_000
"""Autoware's have some hundred. Each period of the car looks at all of them."""
_LITTLE_ENDIAN = b"\x00\x01"
_ENCAPSULATION = 4
_POINT = 88
"""Bytes from one point to the next: duration 8, pose 56, six floats 24."""
_POSITION_AFTER_DURATION = 8


class Surface(NamedTuple):
    """The road at a place: height [m], direction [rad] and rise [-] of the trajectory there."""

    z_m: float
    direction_rad: float
    rise: float

    def rise_along(self, yaw_rad: float) -> float:
        """Return the rise in another direction."""
        return self.rise * math.cos(yaw_rad - self.direction_rad)


def points_of(message: bytes) -> NDArray[np.float64] | None:
    """Return x, y, z of each point of a serialized Trajectory; None for one that is not usable."""
    if message[:2] != _LITTLE_ENDIAN:
        return None
    data = message[_ENCAPSULATION:]
    try:
        (name_size,) = struct.unpack_from("<I", data, 8)
        count_at = _aligned(12 + name_size, 4)
        (count,) = struct.unpack_from("<I", data, count_at)
    except struct.error:
        return None
    first = _aligned(count_at + 4 + _POSITION_AFTER_DURATION, 8)
    # A duration needs 4 bytes of alignment, a pose 8: only before the first pose can there be 4
    # bytes more, because a point is a multiple of 8 bytes long.
    if not 1 <= count <= MOST_POINTS or first + (count - 1) * _POINT + 24 > len(data):
        return None
    points = np.ndarray((count, 3), "<f8", data, first, (_POINT, 8)).astype(np.float64)
    return points if bool((np.abs(points) <= LARGEST_POSITION_M).all()) else None


def stamp_ns_of(message: bytes) -> int:
    """Return the stamp of a serialized Trajectory whose points could be read [ns]."""
    seconds, nanoseconds = struct.unpack_from("<iI", message, _ENCAPSULATION)
    return int(seconds) * 10**9 + int(nanoseconds)


def _aligned(offset: int, to: int) -> int:
    return -(-offset // to) * to


class Trajectory:
    """The latest trajectory."""

    def __init__(self) -> None:
        self._points: NDArray[np.float64] | None = None
        self._since_ns = 0

    def on_message(self, message: bytes) -> bool:
        """Use a serialized Trajectory; False for one that is not usable, or empty."""
        points = points_of(message)
        if points is None:
            return False
        stamp_ns = stamp_ns_of(message)
        if stamp_ns == 0 or stamp_ns > self._since_ns:  # without a stamp: when it arrives
            self._points = points
        return True

    def forget(self, since_ns: int) -> None:
        """Forget it: the car was put elsewhere. Only one that was stamped later counts again."""
        self._points, self._since_ns = None, since_ns

    def surface(self, x_m: float, y_m: float) -> Surface | None:
        """Return the road at the point next to a place; None before the first trajectory."""
        points = self._points
        if points is None:
            return None
        away = (points[:, 0] - x_m) ** 2 + (points[:, 1] - y_m) ** 2
        nearest = int(np.argmin(away))
        if len(points) < 2:
            return Surface(float(points[nearest, 2]), 0.0, 0.0)
        begin = min(nearest, len(points) - 2)
        dx, dy, dz = (points[begin + 1] - points[begin]).tolist()
        length = math.hypot(dx, dy)
        rise = dz / length if length > 1e-6 else 0.0
        rise = min(max(rise, -1.0), 1.0)
        return Surface(float(points[nearest, 2]), math.atan2(dy, dx), rise)
