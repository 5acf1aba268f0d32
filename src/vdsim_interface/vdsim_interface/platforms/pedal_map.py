"""The map between pedal and acceleration, exact in both directions.

A pedal is one number from -1 (full brake) over 0 (coasting) to +1 (full throttle). The map holds
the acceleration in the travel direction on a grid of speeds and pedals and is linear in between. At
every speed the acceleration rises strictly with the pedal, so each acceleration within reach
belongs to exactly one pedal. The pedals of the grid may end before -1 and 1: where wheels lock or
spin, more pedal gives less acceleration, and the map excludes that range.
"""

from bisect import bisect_right
from itertools import pairwise
from math import isfinite

Rows = tuple[tuple[float, ...], tuple[float, ...], float]


class PedalMapError(ValueError):
    """A table is not a pedal map."""


class PedalMap:
    """Bilinear grid: `accel_mps2[speed index][pedal index]`."""

    def __init__(
        self,
        speeds_mps: tuple[float, ...],
        pedals: tuple[float, ...],
        accel_mps2: tuple[tuple[float, ...], ...],
    ) -> None:
        _check(speeds_mps, pedals, accel_mps2)
        self.speeds_mps = speeds_mps
        self.pedals = pedals
        self.accel_mps2 = accel_mps2
        self._last_cell = 0

    def accel(self, pedal: float, speed_mps: float) -> float:
        """Return the acceleration [m/s2] that a pedal causes at a speed (both within the grid)."""
        return self._accel(self._rows(speed_mps), pedal)

    def _accel(self, rows: Rows, pedal: float) -> float:
        low, high, share = rows
        pedals = self.pedals
        right = bisect_right(pedals, pedal) or 1
        if right == len(pedals):
            right -= 1
        left = right - 1
        part = (pedal - pedals[left]) / (pedals[right] - pedals[left])
        if not 0.0 <= part <= 1.0:
            part = min(max(part, 0.0), 1.0)
        a_left = low[left] + share * (high[left] - low[left])
        a_right = low[right] + share * (high[right] - low[right])
        return a_left + part * (a_right - a_left)

    def pedal(self, accel_mps2: float, speed_mps: float) -> float:
        """Return the pedal for an acceleration at a speed; out of reach gives the end of travel."""
        low, high, share = self._rows(speed_mps)
        # The result rarely leaves the cell of the previous period.
        left = self._last_cell
        right = left + 1
        a_left = low[left] + share * (high[left] - low[left])
        a_right = low[right] + share * (high[right] - low[right])
        if not a_left <= accel_mps2 < a_right:
            left = self._last_cell = _cell(low, high, share, accel_mps2)
            right = left + 1
            a_left = low[left] + share * (high[left] - low[left])
            a_right = low[right] + share * (high[right] - low[right])
        part = (accel_mps2 - a_left) / (a_right - a_left)
        if not 0.0 <= part <= 1.0:
            part = min(max(part, 0.0), 1.0)
        pedals = self.pedals
        return pedals[left] + part * (pedals[right] - pedals[left])

    def brake(self, decel_mps2: float, speed_mps: float) -> float:
        """Return the brake pedal (0 to 1) for a deceleration; beyond the grid its slope continues.

        The grid ends where wheels lock on a dry road with brakes as they were measured. Whoever
        goes beyond supervises the wheels' slip.
        """
        end, slope = self._brake_end(self._rows(speed_mps))
        if -decel_mps2 >= end:
            return max(-self.pedal(-decel_mps2, speed_mps), 0.0)
        return min((end + decel_mps2) / slope - self.pedals[0], 1.0)

    def effort(self, throttle: float, brake: float, speed_mps: float) -> float:
        """Return the acceleration [m/s2] that both pedals together give at a speed."""
        rows = self._rows(speed_mps)
        drive = self._accel(rows, throttle)
        if brake <= 0.0:
            return drive
        end, slope = self._brake_end(rows)
        beyond = brake + self.pedals[0]
        braked = end - beyond * slope if beyond > 0.0 else self._accel(rows, -brake)
        return drive + braked - self._accel(rows, 0.0)

    def _brake_end(self, rows: Rows) -> tuple[float, float]:
        """Return the acceleration at the grid's last brake, and its slope over the pedal there."""
        (low, high, share), (last, before, *_) = rows, self.pedals
        end = low[0] + share * (high[0] - low[0])
        return end, (low[1] + share * (high[1] - low[1]) - end) / (before - last)

    def _rows(self, speed_mps: float) -> Rows:
        """Return the two neighbouring rows and the share of the upper one; limited to the ends."""
        speeds = self.speeds_mps
        speed = abs(speed_mps)
        upper = bisect_right(speeds, speed)
        if upper == 0:
            return self.accel_mps2[0], self.accel_mps2[0], 0.0
        if upper == len(speeds):
            return self.accel_mps2[-1], self.accel_mps2[-1], 0.0
        below = speeds[upper - 1]
        share = (speed - below) / (speeds[upper] - below)
        return self.accel_mps2[upper - 1], self.accel_mps2[upper], share


def _cell(low: tuple[float, ...], high: tuple[float, ...], share: float, accel: float) -> int:
    """Find the cell of pedals between whose accelerations one lies; the end cells are open."""
    left, right = 0, len(low) - 1
    while right - left > 1:
        middle = (left + right) >> 1
        if low[middle] + share * (high[middle] - low[middle]) <= accel:
            left = middle
        else:
            right = middle
    return left


def _check(
    speeds: tuple[float, ...], pedals: tuple[float, ...], rows: tuple[tuple[float, ...], ...]
) -> None:
    if not speeds or speeds[0] < 0.0 or any(b <= a for a, b in pairwise(speeds)):
        raise PedalMapError(f"speed_mps={list(speeds)}: must rise from 0 or above")
    if len(pedals) < 3 or any(b <= a for a, b in pairwise(pedals)):
        raise PedalMapError(f"pedal={list(pedals)}: must be three or more, rising")
    if not -1.0 <= pedals[0] < 0.0 < pedals[-1] <= 1.0 or 0.0 not in pedals:
        raise PedalMapError(f"pedal={list(pedals)}: must go from braking over 0 to throttle")
    if len(rows) != len(speeds) or any(len(row) != len(pedals) for row in rows):
        raise PedalMapError("accel_mps2: must have one value for every speed and pedal")
    for speed, row in zip(speeds, rows, strict=True):
        if not all(map(isfinite, row)):
            raise PedalMapError(f"accel_mps2 at {speed:g} m/s: must be finite")
        for pedal, (a, b) in zip(pedals, pairwise(row), strict=False):
            if b <= a:
                raise PedalMapError(
                    f"accel_mps2 at {speed:g} m/s: must rise with the pedal, "
                    f"but falls from {a:g} to {b:g} after pedal {pedal:g}"
                )
