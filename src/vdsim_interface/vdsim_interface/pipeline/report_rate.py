"""Whether the vehicle reports too seldom for the time-out: a fault of the set-up, not of the link.

Reports that come in time and are stale before the next one make the link go down and up for ever,
and autonomy never starts. Four gaps in a row that are each longer than the time-out are a rate; one
packet that comes sooner, or a silence of two gaps, is not.
"""

import math
from collections import deque

GAPS_N = 4
SILENT_GAPS = 2.0


class ReportRate:
    """The last gaps between reports [s]."""

    def __init__(self) -> None:
        self._gaps_s: deque[float] = deque(maxlen=GAPS_N)
        self._last_s = -math.inf

    def add(self, arrival_s: float) -> None:
        """Note a report; a clock that goes back begins again."""
        gap_s = arrival_s - self._last_s
        self._last_s = arrival_s
        if 0.0 <= gap_s < math.inf:
            self._gaps_s.append(gap_s)
        else:
            self._gaps_s.clear()

    def clear(self) -> None:
        """Begin again."""
        self._gaps_s.clear()
        self._last_s = -math.inf

    def too_low_gap_s(self, timeout_s: float, now: float) -> float:
        """Return the gap between reports of which each is stale before the next [s]; else 0."""
        gaps_s = self._gaps_s
        # Nearly always the latest gap is shorter, which decides.
        if not gaps_s or gaps_s[-1] <= timeout_s or len(gaps_s) < GAPS_N:
            return 0.0
        if min(gaps_s) <= timeout_s:
            return 0.0
        if now - self._last_s > SILENT_GAPS * max(gaps_s):
            return 0.0
        return sum(gaps_s) / len(gaps_s)


def rate_fault(gap_s: float, timeout_s: float) -> str:
    """Say what is wrong with reports every `gap_s`, and what to change; empty for 0."""
    if not gap_s:
        return ""
    return (
        f"reports of the vehicle (STATE) come at {1.0 / gap_s:.3g} Hz, "
        f"safety.report_timeout_s is {timeout_s:g}: each is stale before the next; raise their "
        f"rate above {1.0 / timeout_s:.3g} Hz, or safety.report_timeout_s above {gap_s:.2g} s"
    )
