"""Limits on how often something may happen. Pure: time comes in."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass


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


@dataclass(frozen=True)
class Lane:
    """Requests that share one limit."""

    name: str
    rate_hz: float
    burst: int
    routes: Collection[tuple[str, str]] = ()
    """(method, path) of each; the last lane takes all others."""


LANES = (
    Lane(
        name="starts, checks and resets",
        rate_hz=20.0,
        burst=40,
        routes={("POST", "/api/start"), ("POST", "/api/settings"), ("POST", "/api/reset")},
    ),
    Lane(name="stops", rate_hz=50.0, burst=100, routes={("POST", "/api/stop")}),
    Lane(name="requests", rate_hz=500.0, burst=250),
)
"""What is expensive has a limit of its own, and so have stops: no flood takes theirs."""


class RequestRates:
    """Limits the requests of each lane."""

    def __init__(self, lanes: tuple[Lane, ...] = LANES) -> None:
        self._lanes = [(lane, TokenBucket(lane.rate_hz, lane.burst)) for lane in lanes]

    def refusal(self, method: str, path: str, now: float) -> str:
        """Why a request at `now` [s] is one too many; empty when it is not. It is counted."""
        route = (method, path)
        lane, bucket = next(
            (each for each in self._lanes if route in each[0].routes), self._lanes[-1]
        )
        if bucket.allow(now):
            return ""
        return f"rate: more than {lane.rate_hz:g} {lane.name} a second"


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
