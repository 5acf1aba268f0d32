"""Offset and skew between two clocks that share nothing but the stamps on the packets.

Every packet gives `arrival - stamp` = offset + one-way delay. The delay is never negative, so the
smallest value of each one-second block is the least disturbed; the straight line through the
minima of the last blocks is the offset, its slope the skew. The offset therefore includes the
shortest one-way delay, which one direction alone cannot separate.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

BLOCK_S = 1.0
BLOCKS = 60
PPM = 1e6


@dataclass(frozen=True)
class ClockEstimate:
    """The peer's clock relative to the local clock."""

    offset_s: float
    """Local minus peer, plus the shortest one-way delay."""
    skew_ppm: float
    """How much faster the local clock runs, in parts per million; 0 until two blocks exist."""


class ClockEstimator:
    """Collects (arrival, stamp) pairs of one session."""

    def __init__(self, block_s: float = BLOCK_S, blocks: int = BLOCKS) -> None:
        self._block_s = block_s
        self._minima: deque[tuple[float, float]] = deque(maxlen=blocks)
        self._block_start_s = 0.0

    def reset(self) -> None:
        """Discard everything: the peer has started a new session."""
        self._minima.clear()

    def add(self, stamp_s: float, now: float) -> None:
        """A packet stamped `stamp_s` [s] by the peer arrived at `now` [s]."""
        difference = now - stamp_s
        if not self._minima or now - self._block_start_s >= self._block_s:
            self._block_start_s = now
            self._minima.append((now, difference))
        elif difference < self._minima[-1][1]:
            self._minima[-1] = (now, difference)

    def estimate(self, now: float) -> ClockEstimate | None:
        """Evaluate the line through the minima at `now` [s]; None before the first packet."""
        if not self._minima:
            return None
        count = len(self._minima)
        mean_time = sum(time for time, _ in self._minima) / count
        mean_difference = sum(difference for _, difference in self._minima) / count
        spread = sum((time - mean_time) ** 2 for time, _ in self._minima)
        if spread == 0.0:
            return ClockEstimate(mean_difference, 0.0)
        slope = (
            sum((time - mean_time) * (value - mean_difference) for time, value in self._minima)
            / spread
        )
        return ClockEstimate(mean_difference + slope * (now - mean_time), slope * PPM)
