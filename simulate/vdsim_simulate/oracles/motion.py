"""The car's motion, looked up by time."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cached_property
from itertools import pairwise

from vdsim_simulate import record as facts
from vdsim_simulate.record import Record, Sample, once

G_MPS2 = 9.81
SLIP_LIMIT = 0.07
"""Wheels that slip more are near the peak of the tyre: more brake would not brake more."""

SPINS = 1.0


def ahead_of(speed_mps: float) -> float:
    """Return 1 for a car that moves forward or stands, -1 in reverse."""
    return -1.0 if speed_mps < 0.0 else 1.0


class Motion:
    """The samples of a record, by time."""

    def __init__(self, record: Record) -> None:
        self._samples = record.car
        self._times_s = [sample.time_s for sample in record.car]
        self._frozen = record.intervals("car")
        self._loaded_s = record.times(facts.LOADED)
        self._grade = record.scene.grade

    def rise(self, time_s: float) -> float:
        """Return the rise of the road in the direction of the drive."""
        return self._grade * ahead_of(self.at(time_s).vx_mps)

    @cached_property
    def _headings_rad(self) -> list[float]:
        headings_rad, loaded_s = [0.0], list(self._loaded_s)
        for a, b in pairwise(self._samples):
            heading_rad = headings_rad[-1] + b.yaw_rate_radps * (b.time_s - a.time_s)
            if loaded_s and loaded_s[0] <= b.time_s:
                del loaded_s[0]
                heading_rad = 0.0
            headings_rad.append(heading_rad)
        return headings_rad

    def heading_rad(self, time_s: float) -> float:
        """Return by how much the car has turned to the left since its start, up the grade."""
        return self._headings_rad[self._index(time_s)]

    def at(self, time_s: float) -> Sample:
        """Return the car at the first tick from this time on."""
        return self._samples[self._index(time_s)]

    def _index(self, time_s: float) -> int:
        return min(bisect_left(self._times_s, time_s), len(self._samples) - 1)

    def between(self, from_s: float, to_s: float) -> list[Sample]:
        """Return the ticks of an interval."""
        times = self._times_s
        return self._samples[bisect_left(times, from_s) : bisect_left(times, to_s)]

    def stands_for(self, for_s: float, at_most_mps: float, from_s: float, to_s: float) -> bool:
        """Whether the car stands for so long at a stretch, within an interval."""
        since_s = math.inf
        for car in self.between(from_s, to_s):
            since_s = math.inf if abs(car.vx_mps) > at_most_mps else min(since_s, car.time_s)
            if car.time_s - since_s >= for_s:
                return True
        return False

    def decel_mps2(self, time_s: float, window_s: float = 0.2) -> float:
        """Return how fast the speed fell in the time before [m/s2]; nan: not known.

        A car that stood still in time makes up for some of it at once, when it runs again.
        """
        if any(begin_s <= time_s and time_s - window_s <= end_s for begin_s, end_s in self._frozen):
            return math.nan
        first, last = self.at(time_s - window_s), self.at(time_s)
        passed_s = last.time_s - first.time_s
        return (abs(first.vx_mps) - abs(last.vx_mps)) / passed_s if passed_s > 0.0 else math.nan

    def later_s(self, since_s: float, due_s: float) -> float:
        """Return a time that is due after another one, for a car whose time may stand still."""
        for begins_s, ends_s in self._frozen:
            if since_s < ends_s and begins_s < due_s:
                due_s += ends_s - max(begins_s, since_s)
        return due_s

    def most_slip(self, time_s: float, window_s: float = 0.5) -> float:
        """Return the largest slip of a wheel in the time before."""
        return max((s.slip for s in self.between(time_s - window_s, time_s)), default=0.0)


@once
def motion_of(record: Record) -> Motion:
    """Return the motion of a record."""
    return Motion(record)


def spins_unseen(record: Record, from_s: float, to_s: float, above_mps: float) -> bool:
    """Whether a wheel spins where nothing shows it: on MORAI (docs/morai.md), above a speed."""
    cars = motion_of(record).between(from_s, to_s) if record.scene.platform == "morai" else []
    return any(car.slip > SPINS and abs(car.vx_mps) > above_mps for car in cars)
