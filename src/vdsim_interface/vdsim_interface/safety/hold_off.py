"""How long `auto_engage` waits after a try that failed, so that a fault is no endless loop.

Each failed try doubles the wait, from `safety.engage_hold_off_s` up to LONGEST_N times that: a
fault of a moment costs a second, a lasting one is tried every half minute. Autonomy that lasts
longer than the first wait ends the series. A request of a person or of the stack never waits.
"""

import math

LONGEST_N = 32
"""The longest wait, in first waits: 32 s by default."""
LONGEST_EXPONENT = round(math.log2(LONGEST_N))


class HoldOff:
    """The series of automatic tries that failed. `failed_n`: how many."""

    def __init__(self) -> None:
        self.failed_n = 0
        self._began_s = self._ready_s = math.inf

    def wait_s(self, first_s: float) -> float:
        """Return the present wait from its begin [s]; 0 without a failed try."""
        return first_s * 2.0 ** (self.failed_n - 1) if self.failed_n else 0.0

    def waits(self, now: float, first_s: float) -> bool:
        """Return whether the next automatic try is too early."""
        return 0.0 <= now - self._began_s < self.wait_s(first_s)

    def on_failed(self, now: float, first_s: float) -> float:
        """Count a try that failed; return the wait before the next one [s]."""
        if first_s > 0.0:
            self.failed_n = min(self.failed_n + 1, LONGEST_EXPONENT + 1)
            self._began_s = now
        return self.wait_s(first_s)

    def on_ready(self, now: float) -> None:
        """Note that an automatic try has led to autonomy."""
        self._ready_s = now

    def on_end(self, now: float, first_s: float) -> None:
        """Without autonomy: judge the one that an automatic try led to, once."""
        lasted_s, self._ready_s = now - self._ready_s, math.inf
        if not math.isfinite(lasted_s):
            return
        if lasted_s < first_s:
            self.on_failed(now, first_s)
        else:
            self.reset()

    def reset(self) -> None:
        """End the series."""
        self.failed_n = 0
        self._began_s = self._ready_s = math.inf
