"""Detects that this process did not run, and how old what waited meanwhile may be.

A process that is stopped, swapped out or starved finds messages and datagrams that waited for it.
Nothing tells when most of them arrived. Each therefore counts as received when the process last
ran: it is never taken for newer than it is. What is older than its time-out is rejected.

    look ─ look ─ look ───────── stall ───────── look ─ look ─ look
                    └─ began                       └─ settles ─┘

The middleware delivers what waited from a thread of its own, a little after the process runs again;
the same rule holds until then (`SETTLE_S`). Where it stalls again meanwhile, what waited counts
from the first of these stalls. On a loaded machine it delivers later still, and a reliable
publisher repeats its last message seconds later: a command of a sender that is gone would drive.
After a stall that ended autonomy a stream of commands therefore first has to last (`PROOF_S`)
before its messages count as received now.

A stop is the other way round: it counts unless it certainly waited for longer than `STOP_AGE_S`,
because this process stood still for as long and the sender's stamp is as old. No clock alone, which
may be wrong or step, makes a stop old.
"""

import math

from vdsim_interface.pipeline.step_clock import did_not_run
from vdsim_interface.values import Notice, notice_kinds

PATIENCE_PERIODS = 5.0
"""A gap of so many periods between two looks is a stall."""
SHORTEST_S = 0.05
SETTLE_S = 0.2
"""After a stall the middleware delivers within this time what waited; at most as long as that."""
PROOF_S = 0.2
"""What waited comes within less; a sender that lives goes on for longer."""
STOP_AGE_S = 2.0
"""A request to stop that waited for longer does not act."""


def stale_stop(why: str) -> Notice:
    """The notice of a request to stop that is discarded."""
    return Notice(notice_kinds.STALE_COMMAND, f"a request to stop is discarded: {why}")


class StallWatch:
    """The gaps between looks, at least two a period. `limit_s`: a longer stall ends autonomy."""

    def __init__(self, period_s: float, limit_s: float) -> None:
        self._patience_s = max(SHORTEST_S, PATIENCE_PERIODS * period_s)
        self._limit_s = limit_s
        self._looked_s = self._unproven_s = math.inf
        self._began_s = self._settled_s = -math.inf
        self._stall_s = 0.0
        self._old_stops_until_s = -math.inf
        self._streams: dict[str, tuple[float, float]] = {}  # first and latest message [s]

    def look(self, now: float) -> float:
        """Return how long the process did not run before `now` [s]; 0 if it did run."""
        gap_s = now - self._looked_s
        self._looked_s = now
        if gap_s <= self._patience_s:
            return 0.0
        if now - gap_s >= self._settled_s:  # else what waited for the stall before may still come
            self._began_s, self._stall_s = now - gap_s, 0.0
        self._stall_s = max(self._stall_s, gap_s)
        self._settled_s = now + min(SETTLE_S, self._stall_s)
        if gap_s > STOP_AGE_S:
            self._old_stops_until_s = now + STOP_AGE_S
        if gap_s > self._limit_s:
            self._streams.clear()
            self._unproven_s = self._began_s
        return gap_s

    def received_s(self, now: float, stream: str) -> float:
        """Return when a message that is delivered now was received, at the earliest [s].

        `stream`: a name for what one sender repeats.
        """
        must_prove = self._unproven_s < math.inf
        if now >= self._settled_s and (not must_prove or self._lasts(stream, now)):
            return now
        first_s, latest_s = self._streams.get(stream, (now, now))
        has_lasted = latest_s - first_s >= PROOF_S
        return self._began_s if has_lasted else min(self._began_s, self._unproven_s)

    def _lasts(self, stream: str, now: float) -> bool:
        """Whether a stream has had no gap beyond the limit for long enough after a long stall."""
        first_s, latest_s = self._streams.get(stream, (now, now))
        if latest_s - first_s < PROOF_S and now - latest_s > self._limit_s:
            first_s = now
        self._streams[stream] = first_s, now
        return now - first_s >= PROOF_S

    def refusal(self, now: float) -> str:
        """Return why a request to engage that is delivered now does not count; empty if it does."""
        waited = now < self._settled_s and self._stall_s > self._limit_s
        return f"{did_not_run(self._stall_s)}; ask again" if waited else ""

    def refuses_stop(self, now: float, sent_ago_s: float) -> str:
        """Return why a request to stop that is delivered now is too old; empty if it acts.

        `sent_ago_s`: by the stamp of its sender.
        """
        if now >= self._old_stops_until_s or sent_ago_s <= STOP_AGE_S:
            return ""
        return f"it was requested {sent_ago_s:.2f} s ago, while this process did not run: ask again"
