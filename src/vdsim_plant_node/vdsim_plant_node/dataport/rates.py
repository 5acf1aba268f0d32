"""Limits on how often something may happen. Pure: time comes in."""

from __future__ import annotations

import math


class TokenBucket:
    """Lets `burst` events through at once and `rate_hz` per second in the long run."""

    def __init__(self, rate_hz: float, burst: int) -> None:
        self._rate_hz = rate_hz
        self._burst = float(burst)
        self._tokens = float(burst)
        self._last_s = -math.inf

    def allow(self, now: float) -> bool:
        """Whether one more event may happen at `now` [s]; it is counted when it may."""
        gained = (now - self._last_s) * self._rate_hz
        self._tokens = min(self._burst, self._tokens + max(gained, 0.0))
        self._last_s = now
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        return True


class Beat:
    """Absolute deadlines of a fixed rate; what was missed is left out, the phase stays."""

    def __init__(self, rate_hz: float, now: float) -> None:
        self._period_s = 1.0 / rate_hz
        self._start_s = now
        self._index = 0

    def wait_s(self, now: float) -> float:
        """Time from `now` [s] to the next beat; each call moves on to the next one."""
        passed = math.floor((now - self._start_s) / self._period_s)
        self._index = max(self._index, passed) + 1
        return max(0.0, self._start_s + self._index * self._period_s - now)
