"""Detects that this process did not run, and how old what waited meanwhile may be.

A process that is stopped, swapped out or starved finds messages and datagrams that waited for it.
Nothing tells when most of them arrived. Each therefore counts as received when the process last
ran: it is never taken for newer than it is. What is older than its time-out is rejected.

    look ─ look ─ look ───────── stall ───────── look ─ look ─ look
                    └─ began                       └─ settles ─┘

The middleware delivers what waited from a thread of its own, a little after the process runs again;
the same rule holds until then (`SETTLE_S`).
"""

import math

PATIENCE_PERIODS = 5.0
"""A gap of so many periods between two looks is a stall."""
SHORTEST_S = 0.05
SETTLE_S = 0.2
"""After a stall the middleware delivers within this time what waited; at most as long as that."""


def did_not_run(stall_s: float) -> str:
    """Describe a stall."""
    return f"this process did not run for {stall_s:.2f} s"


class StallWatch:
    """The gaps between looks, at least two a period. `limit_s`: a longer stall ends autonomy."""

    def __init__(self, period_s: float, limit_s: float) -> None:
        self._patience_s = max(SHORTEST_S, PATIENCE_PERIODS * period_s)
        self._limit_s = limit_s
        self._looked_s = math.inf
        self._began_s = self._settled_s = -math.inf
        self._stall_s = 0.0

    def look(self, now: float) -> float:
        """Return how long the process did not run before `now` [s]; 0 if it did run."""
        gap_s = now - self._looked_s
        self._looked_s = now
        if gap_s <= self._patience_s:
            return 0.0
        self._began_s = now - gap_s
        self._settled_s = now + min(SETTLE_S, gap_s)
        self._stall_s = gap_s
        return gap_s

    def received_s(self, now: float) -> float:
        """Return when a message that is delivered now was received, at the earliest [s]."""
        return now if now >= self._settled_s else self._began_s

    def refusal(self, now: float) -> str:
        """Return why a request to engage that is delivered now does not count; empty if it does."""
        if now >= self._settled_s or self._stall_s <= self._limit_s:
            return ""
        return f"{did_not_run(self._stall_s)}; ask again"
