"""The line that a task wants a car to follow, in the world frame (ENU)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_CELL_M = 0.5


class Reference(Protocol):
    """A line that can be followed."""

    def errors(self, x: Array, y: Array, yaw: Array) -> tuple[Array, Array]:
        """Return how far left of the line [m] and how much turned to its left [rad] cars are."""

    def curvature_ahead(self, x: Array, y: Array, distance: Array) -> Array:
        """Return the curvature [1/m] of the line a distance [m] ahead; positive to the left."""

    def points(self, x0: float, x1: float) -> Array:
        """Return points of the line for a picture, k x 2 [m]."""


@dataclass(frozen=True)
class StraightLine:
    """The x axis."""

    def errors(self, x: Array, y: Array, yaw: Array) -> tuple[Array, Array]:
        """Return y and the heading."""
        return y, turned(yaw)

    def curvature_ahead(self, x: Array, y: Array, distance: Array) -> Array:
        """Return 0."""
        return np.zeros_like(x)

    def points(self, x0: float, x1: float) -> Array:
        """Return both ends."""
        return np.array([[x0, 0.0], [x1, 0.0]])


@dataclass(frozen=True)
class Circle:
    """A circle to the left that touches the x axis in the origin."""

    radius_m: float

    def errors(self, x: Array, y: Array, yaw: Array) -> tuple[Array, Array]:
        """Return the distance to the inside of the circle, and from its tangent."""
        along, away = y - self.radius_m, np.hypot(x, y - self.radius_m)
        heading = np.arctan2(along, x) + 0.5 * math.pi
        return self.radius_m - away, turned(yaw - heading)

    def curvature_ahead(self, x: Array, y: Array, distance: Array) -> Array:
        """Return the same everywhere."""
        return np.full_like(x, 1.0 / self.radius_m)

    def points(self, x0: float, x1: float) -> Array:
        """Return the whole circle."""
        angle = np.linspace(0.0, 2.0 * math.pi, 200)
        return self.radius_m * np.column_stack([np.sin(angle), 1.0 - np.cos(angle)])


class Curve:
    """y over x, from a table with even spacing; straight on beyond its ends."""

    def __init__(self, shape: Callable[[Array], Array], x0_m: float, x1_m: float) -> None:
        self._x0 = x0_m
        self._grid = np.arange(x0_m, x1_m + _CELL_M, _CELL_M)
        self._y = np.asarray(shape(self._grid), dtype=np.float64)
        slope = np.gradient(self._y, _CELL_M)
        self._heading = np.arctan(slope)
        self._curvature = np.gradient(slope, _CELL_M) / (1.0 + slope**2) ** 1.5

    def errors(self, x: Array, y: Array, yaw: Array) -> tuple[Array, Array]:
        """Return the distance across the line at the car's x, and from its heading there."""
        below, share = self._place(x)
        line = self._y[below] + share * (self._y[below + 1] - self._y[below])
        heading = self._heading[below] + share * (self._heading[below + 1] - self._heading[below])
        return (y - line) * np.cos(heading), turned(yaw - heading)

    def curvature_ahead(self, x: Array, y: Array, distance: Array) -> Array:
        """Return that of the nearest point of the table."""
        found: Array = self._curvature[self._place(x + distance)[0]]
        return found

    def points(self, x0: float, x1: float) -> Array:
        """Return the table from x0 to x1."""
        shown = (self._grid >= x0) & (self._grid <= x1)
        return np.column_stack([self._grid[shown], self._y[shown]])

    def _place(self, x: Array) -> tuple[NDArray[np.int64], Array]:
        place = np.clip((x - self._x0) * (1.0 / _CELL_M), 0.0, len(self._grid) - 1.001)
        below = place.astype(np.int64)
        return below, place - below


def turned(angle: Array) -> Array:
    """Return an angle [rad] within half a turn of 0."""
    wrapped: Array = angle - 2.0 * math.pi * np.round(angle * (0.5 / math.pi))
    return wrapped
