"""The pieces a ground is described with. World frame ENU: x east, y north, metres."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground.limits import (
    ParameterError,
    checked_mu,
    checked_number,
    checked_sequence,
)

Point = tuple[float, float]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class XPatch:
    """A strip across the road: friction `mu` where x0_m <= x < x1_m, at every y."""

    x0_m: float
    x1_m: float
    mu: float

    def __post_init__(self) -> None:
        for key in ("x0_m", "x1_m"):
            object.__setattr__(self, key, checked_number(key, getattr(self, key)))
        object.__setattr__(self, "mu", checked_mu("mu", self.mu))
        if self.x0_m >= self.x1_m:
            raise ParameterError("", f"x0>=x1 ({self.x0_m:g} >= {self.x1_m:g})")


@dataclass(frozen=True)
class SplitMu:
    """Two halves: friction `mu_left` where y >= y_m, `mu_right` below, all along x."""

    mu_left: float
    mu_right: float
    y_m: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu_left", checked_mu("mu_left", self.mu_left))
        object.__setattr__(self, "mu_right", checked_mu("mu_right", self.mu_right))
        object.__setattr__(self, "y_m", checked_number("y_m", self.y_m))


@dataclass(frozen=True)
class PolygonPatch:
    """Friction `mu` inside a polygon of any shape and orientation; its sides must not cross."""

    points_m: tuple[Point, ...]
    mu: float

    def __post_init__(self) -> None:
        points = _points(self.points_m)
        object.__setattr__(self, "points_m", points)
        object.__setattr__(self, "mu", checked_mu("mu", self.mu))
        if len(points) < 3:
            raise ParameterError("points_m", f"has {len(points)} points: must have at least 3")
        if _area(points) == 0.0:
            raise ParameterError("points_m", "encloses no area")
        if _sides_cross(points):
            raise ParameterError("points_m", "has sides that cross each other")


def rectangle(
    centre_m: Point, length_m: float, width_m: float, heading_rad: float, mu: float
) -> PolygonPatch:
    """Return a rectangle as a polygon; `heading_rad` turns its length axis from x towards y."""
    along = (math.cos(heading_rad), math.sin(heading_rad))
    corners = tuple(
        (
            centre_m[0] + u * length_m / 2.0 * along[0] - v * width_m / 2.0 * along[1],
            centre_m[1] + u * length_m / 2.0 * along[1] + v * width_m / 2.0 * along[0],
        )
        for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    )
    return PolygonPatch(corners, mu)


def _points(given: object) -> tuple[Point, ...]:
    points = []
    for index, item in enumerate(checked_sequence("points_m", given, "a list of [x, y] points")):
        key = f"points_m[{index}]"
        pair = checked_sequence(key, item, "[x, y]")
        if len(pair) != 2:
            raise ParameterError(key, "must be [x, y]")
        points.append((checked_number(key, pair[0]), checked_number(key, pair[1])))
    return tuple(points)


def _area(points: tuple[Point, ...]) -> float:
    twice = sum(ax * by - bx * ay for (ax, ay), (bx, by) in _sides(points))
    return abs(twice) / 2.0


def _sides(points: tuple[Point, ...]) -> Iterable[tuple[Point, Point]]:
    return zip(points, (*points[1:], points[0]), strict=True)


def _sides_cross(points: tuple[Point, ...]) -> bool:
    """Whether two sides cross; each against all later ones at once, as there may be thousands."""
    ends = np.array([*points, points[0]]).T
    starts, stops = ends[:, :-1], ends[:, 1:]
    count = len(points)
    with np.errstate(all="ignore"):
        for i in range(count - 2):
            last = count - 1 if i == 0 else count  # the first and the last side share a corner
            c, d = starts[:, i + 2 : last], stops[:, i + 2 : last]
            a, b = starts[:, i], stops[:, i]
            apart = _turn(a, b, c) * _turn(a, b, d) < 0.0
            if (apart & (_turn(c, d, a) * _turn(c, d, b) < 0.0)).any():
                return True
    return False


def _turn(a: Array, b: Array, c: Array) -> Array:
    turn: Array = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return turn
