"""How many periods of the simulator a moment of a clock is worth."""

from __future__ import annotations

import math

LONGEST_GAP_S = 1.0
"""A clock that goes on by more has jumped: the simulator goes on where it was."""
_ROUNDING = 1e-6


class Periods:
    """Follows a clock, real or simulated, that may pause, jump or be set back."""

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._reached_s = math.nan
        self.jumps = 0

    def due(self, clock_s: float) -> int:
        """Return how many periods have passed since the last call."""
        gap_s = clock_s - self._reached_s
        if not 0.0 <= gap_s <= LONGEST_GAP_S:
            self.jumps += not math.isnan(gap_s)
            self._reached_s = clock_s
            return 0
        count = math.floor(gap_s / self._period_s + _ROUNDING)
        self._reached_s += count * self._period_s
        return count
