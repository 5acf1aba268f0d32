"""Pacing of a fixed tick against a monotonic clock: when is a tick due, and how many at once.

`Pacer` is the policy and reads no clock; `PacedLoop` is the thin loop round it, given a clock
and a sleep function. The policy:

- Deadlines are absolute: start + k * period, computed by multiplication, so nothing accumulates.
- A tick is never early. A late one runs at once and is counted as an overrun when it missed its
  whole period.
- Catch-up: missed ticks run back to back, so that simulated time stays with the wall clock, but at
  most `catch_up_s` of them. Any further backlog is dropped and counted as skipped ticks: after a
  long stall (a suspended process, a debugger) the plant goes on from where it was instead of
  racing. The deadlines then move by whole periods, so their phase stays.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

PRECISE_SPIN_S = 3e-4
_BUCKETS_PER_OCTAVE = 8
_SHORTEST_S = 1e-6
_OCTAVES = 24
# Upper edges of the lateness histogram: 1 us to 16 s, each 9 % wider than the one before.
_EDGES_S = tuple(
    _SHORTEST_S * math.pow(2.0, i / _BUCKETS_PER_OCTAVE)
    for i in range(_OCTAVES * _BUCKETS_PER_OCTAVE)
)


class LatenessHistogram:
    """Lateness of wake-ups [s] in a fixed number of buckets: constant memory, 9 % resolution."""

    def __init__(self) -> None:
        self._counts = [0] * (len(_EDGES_S) + 1)
        self._total = 0
        self.max_s = 0.0

    def add(self, lateness_s: float) -> None:
        """Count one wake-up; an early one (negative) counts as on time."""
        self._counts[bisect_left(_EDGES_S, lateness_s)] += 1
        self._total += 1
        if lateness_s > self.max_s:
            self.max_s = lateness_s

    def quantile_s(self, fraction: float) -> float:
        """Upper edge of the bucket that holds the quantile [s]; 0 when nothing was counted."""
        if self._total == 0:
            return 0.0
        wanted = max(1, math.ceil(fraction * self._total))
        seen = 0
        for edge_s, count in zip(_EDGES_S, self._counts, strict=False):
            seen += count
            if seen >= wanted:
                return min(edge_s, self.max_s)
        return self.max_s


@dataclass(frozen=True)
class PacingReport:
    """How well the ticks kept their deadlines since the start."""

    ticks: int
    overruns: int
    skipped_ticks: int
    lateness_p50_s: float
    lateness_p99_s: float
    lateness_max_s: float


class Pacer:
    """Which ticks are due at which time; reads no clock itself."""

    def __init__(self, period_s: float, *, catch_up_s: float = 0.05) -> None:
        if not (math.isfinite(period_s) and period_s > 0.0):
            raise ValueError(f"period_s={period_s}: must be > 0")
        if not (math.isfinite(catch_up_s) and catch_up_s >= 0.0):
            raise ValueError(f"catch_up_s={catch_up_s}: must be >= 0")
        self.period_s = period_s
        self._burst_limit = max(1, round(catch_up_s / period_s))
        self._start_s = 0.0
        self._next_index = 1
        self._ticks = 0
        self._overruns = 0
        self._skipped = 0
        self._lateness = LatenessHistogram()

    def start(self, now: float) -> None:
        """Begin: the first tick is due one period after `now` [s]."""
        self._start_s = now
        self._next_index = 1

    def deadline(self) -> float:
        """Time [s] at which the next tick is due."""
        return self._start_s + self._next_index * self.period_s

    def due(self, now: float) -> int:
        """Number of ticks to run at `now` [s]: 0 when early, 1 when on time, more to catch up."""
        lateness_s = now - self.deadline()
        if lateness_s < 0.0:
            return 0
        self._lateness.add(lateness_s)
        missed = int(lateness_s / self.period_s)
        if missed == 0:
            self._next_index += 1
            self._ticks += 1
            return 1
        backlog = missed + 1
        burst = min(backlog, self._burst_limit)
        self._overruns += missed
        self._skipped += backlog - burst
        self._ticks += burst
        self._next_index += backlog
        return burst

    def report(self) -> PacingReport:
        """Counts and lateness so far."""
        return PacingReport(
            ticks=self._ticks,
            overruns=self._overruns,
            skipped_ticks=self._skipped,
            lateness_p50_s=self._lateness.quantile_s(0.50),
            lateness_p99_s=self._lateness.quantile_s(0.99),
            lateness_max_s=self._lateness.max_s,
        )


class PacedLoop:
    """Runs a tick function at the pacer's deadlines until it is stopped.

    `spin_s` > 0 is the precise mode: the sleep ends that much before the deadline and the rest is
    spent polling the clock, which trades CPU time for a wake-up that the scheduler cannot delay.
    """

    def __init__(
        self,
        pacer: Pacer,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        spin_s: float = 0.0,
    ) -> None:
        self.pacer = pacer
        self._clock = clock
        self._sleep = sleep
        self._spin_s = spin_s

    def run(self, tick: Callable[[float], None], stopped: Callable[[], bool]) -> None:
        """Call `tick(now)` for each due tick; `stopped()` is asked before every wait."""
        pacer, clock = self.pacer, self._clock
        pacer.start(clock())
        while not stopped():
            now = self._wait(pacer.deadline())
            for _ in range(pacer.due(now)):
                tick(now)

    def _wait(self, deadline: float) -> float:
        """Wait for the deadline [s]; the time after it."""
        clock = self._clock
        now = clock()
        if now < deadline - self._spin_s:
            self._sleep(deadline - self._spin_s - now)
            now = clock()
        if self._spin_s > 0.0:
            while now < deadline:
                now = clock()
        return now
