"""The tracks of the double lane change: ISO 3888-1 (severe) and ISO 3888-2 (obstacle avoidance).

Lengths are fixed, lane widths follow from the width of the car. x runs along the track from its
first gate, y = 0 is the middle of the first lane, the evasion goes to the left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

CONE_RADIUS_M = 0.14  # base circle; the lane's border touches it
_LONGEST_CONE_GAP_M = 3.0


@dataclass(frozen=True)
class Lane:
    """A straight piece between two rows of cones."""

    x0_m: float
    x1_m: float
    right_m: float
    left_m: float

    @property
    def middle_m(self) -> float:
        """Middle of the lane."""
        return 0.5 * (self.right_m + self.left_m)


@dataclass(frozen=True)
class LaneChangeTrack:
    """Three lanes with gaps between them, in which the car changes sides."""

    name: str
    entry: Lane
    evasion: Lane
    exit: Lane

    @property
    def lanes(self) -> tuple[Lane, Lane, Lane]:
        """The lanes in driving order."""
        return self.entry, self.evasion, self.exit

    def gates(self) -> tuple[tuple[float, Lane], ...]:
        """Return x and lane of every pair of cones."""
        gates = []
        for lane in self.lanes:
            gaps = math.ceil((lane.x1_m - lane.x0_m) / _LONGEST_CONE_GAP_M)
            length = lane.x1_m - lane.x0_m
            gates += [(lane.x0_m + length * k / gaps, lane) for k in range(gaps + 1)]
        return tuple(gates)

    def cones_m(self) -> tuple[tuple[float, float], ...]:
        """Return the centres of all cones; the lanes' borders touch them from inside."""
        return tuple(
            (x, y)
            for x, lane in self.gates()
            for y in (lane.right_m - CONE_RADIUS_M, lane.left_m + CONE_RADIUS_M)
        )


def iso_3888_1(width_m: float) -> LaneChangeTrack:
    """Return the severe double lane change of 125 m; the right borders 1 and 3 are in line."""
    right = -0.5 * (1.1 * width_m + 0.25)
    evasion_right = right + 3.5
    return LaneChangeTrack(
        "ISO 3888-1",
        Lane(0.0, 15.0, right, -right),
        Lane(45.0, 70.0, evasion_right, evasion_right + 1.2 * width_m + 0.25),
        Lane(95.0, 125.0, right, right + 1.3 * width_m + 0.25),
    )


def iso_3888_2(width_m: float) -> LaneChangeTrack:
    """Return the obstacle avoidance of 61 m; the left borders 1 and 3 are in line."""
    left = 0.5 * (1.1 * width_m + 0.25)
    evasion_right = left + 1.0
    exit_width = max(1.3 * width_m + 0.25, 3.0)
    return LaneChangeTrack(
        "ISO 3888-2",
        Lane(0.0, 12.0, -left, left),
        Lane(25.5, 36.5, evasion_right, evasion_right + width_m + 1.0),
        Lane(49.0, 61.0, left - exit_width, left),
    )
