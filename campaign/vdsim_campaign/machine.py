"""What the machine takes from the processes of a trial: time in which they wait for a core.

A time-out is a promise of the program, not of a machine that does not run it. The kernel counts how
long each thread was ready and did not run; a bound on time grows by what was counted within it, and
by nothing else.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable

_PERIOD_S = 0.05
PAUSE_S = 0.05
"""Half of the smallest time-out: a process that waits longer at a stretch may rightly miss one."""


class WaitWatch:
    """Samples the time that threads have waited for a core."""

    def __init__(self, waited_s: Callable[[], float]) -> None:
        self._waited_s = waited_s
        self._times: list[float] = []
        self._sums: list[float] = []
        self._sum_s = 0.0
        self._last_s = 0.0
        self._stop = threading.Event()
        self._sample()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def waited_between(self, begin_s: float, end_s: float) -> float:
        """What was counted in an interval, to the next samples outside it [s]."""
        first = max(0, bisect_right(self._times, begin_s) - 1)
        last = min(len(self._times) - 1, bisect_left(self._times, end_s))
        return self._sums[last] - self._sums[first]

    def starved_between(self, begin_s: float, end_s: float) -> bool:
        """Whether the machine kept the processes waiting so long that time-outs expire rightly."""
        first = max(0, bisect_right(self._times, begin_s) - 1)
        last = min(len(self._times) - 1, bisect_left(self._times, end_s))
        return any(
            self._sums[n + 1] - self._sums[n] > PAUSE_S
            or self._times[n + 1] - self._times[n] > _PERIOD_S + PAUSE_S
            for n in range(first, last)
        )

    def close(self) -> None:
        """End the thread."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(_PERIOD_S):
            self._sample()

    def _sample(self) -> None:
        total_s = self._waited_s()
        # A process that has ended takes its count with it.
        self._sum_s += max(0.0, total_s - self._last_s)
        self._last_s = total_s
        self._times.append(time.monotonic())
        self._sums.append(self._sum_s)
