"""A stream at a lower rate."""

from __future__ import annotations

import math


class Pace:
    """Passes a stream on at a lower rate."""

    def __init__(self, rate_hz: float) -> None:
        self._least_s = 0.75 / rate_hz  # a message that comes a little early is the one
        self._passed_s = -math.inf

    def is_due(self, now: float) -> bool:
        """Return whether a message passes; also after simulated time was reset."""
        if 0.0 <= now - self._passed_s < self._least_s:
            return False
        self._passed_s = now
        return True
