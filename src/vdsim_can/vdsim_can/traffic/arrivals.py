"""How regularly a message arrives: rate, gaps, and frames outside of its jitter budget."""

from __future__ import annotations

import math
from collections import deque

from vdsim_can.car import MessageRow

KEPT = 64


class Arrivals:
    """The last arrivals of one message [s]. `outside_n`: gaps that missed the cycle by more.

    `gaps`: the last ones; `last_s`: of the last frame.
    """

    def __init__(self) -> None:
        self.gaps: deque[float] = deque(maxlen=KEPT)
        self.last_s = -math.inf
        self.outside_n = 0
        self.total_n = 0

    def add(self, now: float, row: MessageRow) -> None:
        """Note a frame."""
        gap_s = now - self.last_s
        self.last_s = now
        self.total_n += 1
        if not 0.0 <= gap_s < math.inf:
            return
        self.gaps.append(gap_s)
        if row.jitter_ms and abs(1e3 * gap_s - row.cycle_ms) > row.jitter_ms:
            self.outside_n += 1

    def restart(self) -> None:
        """Time jumped: the next gap is none."""
        self.last_s = -math.inf

    def age_s(self, now: float) -> float:
        """Return the time since the last frame, good or not [s]; infinite before the first."""
        return now - self.last_s

    @property
    def rate_hz(self) -> float:
        """Frames a second over the last gaps; 0 before the second frame."""
        total_s = sum(self.gaps)
        return len(self.gaps) / total_s if total_s > 0.0 else 0.0

    @property
    def worst_s(self) -> float:
        """The longest of the last gaps [s]."""
        return max(self.gaps, default=0.0)

    @property
    def jitter_s(self) -> float:
        """The standard deviation of the last gaps [s]."""
        if len(self.gaps) < 2:
            return 0.0
        mean = sum(self.gaps) / len(self.gaps)
        return math.sqrt(sum((gap - mean) ** 2 for gap in self.gaps) / len(self.gaps))
