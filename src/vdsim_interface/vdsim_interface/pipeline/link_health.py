"""The health of the link to a vehicle. Pure.

| watch | asks | by |
|---|---|---|
| `FirstReportWait` | is the vehicle starting, or absent? | the time since the first period |
| `ReportRate` | do reports come too seldom for the time-out? | the gaps between them |
| `ReportLag` | how late is a report? | the vehicle's own stamps |

`LinkHealth` has all three. The link is in one condition, the first of this table that holds, and a
notice is issued when it changes:

| condition | notice | until |
|---|---|---|
| each report is stale before the next | `slow_reports` | one is in time, or two gaps of silence |
| the latest report is fresh | `link_restored` | it is older than the time-out |
| there was none yet | `link_awaited`, `link_absent` | the first |
| reports arrive later than the time-out | `late_report` | one is fresh, or none for `silence_s` |
| no report | `link_timeout` | one is fresh, or arrives late |

Other watches are of other things: `stall_watch.py` of this process, which mux and gamepad have
without a vehicle, `vehicle_watch.py` of what the vehicle does with a command that it received,
`safety/inputs.py` of the answer to one request.

Too seldom is a fault of the set-up, not of the link. Reports that come in time and are stale before
the next one make the link go down and up for ever, and autonomy never starts. Four gaps in a row
that are each longer than the time-out are a rate; one packet that comes sooner, or a silence of two
gaps, is not.

Lag: `offset` = our time of arrival minus the vehicle's stamp: what the two clocks differ by, which
is unknown, plus the delay of this report. The lag of a report is its offset minus the smallest one
of the last 10 s. The smallest offset of each half second (a bucket) is kept.

A vehicle whose clock is slow is not late: a simulator on a busy machine runs slower than real time,
and its offset grows for ever. A slow clock shows in every bucket, a delay that begins shows in a
few. The growth of a bucket is therefore compared with the median of its neighbours: that part
of it is the clock's, and the kept minima rise by it. Up to `FREE_DRIFT` this is always allowed, so
that lost ticks and oscillators are no lag. A clock slower than `SLOWEST` is not believed: a stamp
that stands still is a late report.

What is kept is discarded when the stamp goes back (the vehicle was reset, another session) and
after a silence of `silence_s`, which ends autonomy anyway: a simulator that was paused continues
with its old stamps, and nothing in them distinguishes it from a delay of the same length.
"""

import math
from collections import deque
from itertools import pairwise
from statistics import median

from vdsim_interface.values import Notice, NoticeKind, notice_kinds

FIRST_REPORT_S = 1.0
"""Duration of the wait after which it is noted [s]."""
START_S = 30.0
"""Duration after which a warning follows [s]: the start of the simulated car, which compiles its
model on the first run, takes less."""
AWAITED = Notice(notice_kinds.LINK_AWAITED, "waiting for the vehicle's first report")
ABSENT = Notice(
    notice_kinds.LINK_ABSENT,
    f"no report from the vehicle in the first {START_S:g} s: is it running, and do the addresses "
    "and ports of both sides fit?",
)


class FirstReportWait:
    """Returns two notices at most: one early, one when the wait is longer than any start."""

    def __init__(self) -> None:
        self._since_s = math.inf
        self._noted: set[Notice] = set()

    def update(self, now: float) -> tuple[Notice, ...]:
        """Call this each period in which no report has been received yet."""
        self._since_s = min(self._since_s, now)  # time may jump back
        waited_s = now - self._since_s
        notice = ABSENT if waited_s >= START_S else AWAITED
        if waited_s < FIRST_REPORT_S or notice in self._noted:
            return ()
        self._noted.add(notice)
        return (notice,)


GAPS_N = 4
SILENT_GAPS = 2.0


class ReportRate:
    """The last gaps between reports [s]. `last_s`: when the latest one arrived."""

    def __init__(self) -> None:
        self._gaps_s: deque[float] = deque(maxlen=GAPS_N)
        self.last_s = -math.inf

    def add(self, arrival_s: float) -> None:
        """Note a report; a clock that goes back begins again."""
        gap_s = arrival_s - self.last_s
        self.last_s = arrival_s
        if 0.0 <= gap_s < math.inf:
            self._gaps_s.append(gap_s)
        else:
            self._gaps_s.clear()

    def clear(self) -> None:
        """Begin again."""
        self._gaps_s.clear()
        self.last_s = -math.inf

    def too_low_gap_s(self, timeout_s: float, now: float) -> float:
        """Return the gap between reports of which each is stale before the next [s]; else 0."""
        gaps_s = self._gaps_s
        # Nearly always the latest gap is shorter, which decides.
        if not gaps_s or gaps_s[-1] <= timeout_s or len(gaps_s) < GAPS_N:
            return 0.0
        is_silent = now - self.last_s > SILENT_GAPS * max(gaps_s)
        return 0.0 if is_silent or min(gaps_s) <= timeout_s else sum(gaps_s) / GAPS_N


def rate_fault(gap_s: float, timeout_s: float) -> str:
    """Say what is wrong with reports every `gap_s`, and what to change; empty for 0."""
    if not gap_s:
        return ""
    return (
        f"reports of the vehicle (STATE) come at {1.0 / gap_s:.3g} Hz, "
        f"safety.report_timeout_s is {timeout_s:g}: each is stale before the next; raise their "
        f"rate above {1.0 / timeout_s:.3g} Hz, or safety.report_timeout_s above {gap_s:.2g} s"
    )


def silence(age_s: float, timeout_s: float, lag_s: float = 0.0) -> str:
    """Describe the fault of the vehicle's link; empty while reports are fresh."""
    if 0.0 <= age_s <= timeout_s:
        return ""
    if lag_s > timeout_s:
        return f"the vehicle's reports arrive {lag_s:.2f} s late"
    if age_s < 0.0:
        return "no report from the vehicle since time jumped back"
    if not math.isfinite(age_s):
        return "no report from the vehicle yet"
    return f"no report from the vehicle for {age_s:.1f} s"


BUCKET_S = 0.5
WINDOW_S = 10.0
NEIGHBOURS = 7
FREE_DRIFT = 0.03
"""Growth of the offset [s/s] that is never lag."""
SLOWEST = 0.5
JITTER_S = 0.02
"""A smaller lag is not distinguished from none."""
SLOW_BELOW, NORMAL_ABOVE = 0.96, 0.98
"""The vehicle's clock counts as slow below the first ratio, until it is above the second."""
_LEAST_N = 4


class ReportLag:
    """The lag of the latest report, and how fast the vehicle's clock runs.

    `lag_s`: of the latest report. `time_ratio`: vehicle seconds per second; NaN while unknown.
    `notice`: what `take_notice` would return.
    """

    def __init__(self, silence_s: float) -> None:
        self.silence_s = silence_s
        self._minima: deque[tuple[float, float]] = deque(maxlen=round(WINDOW_S / BUCKET_S))
        self._arrival_s = self._vehicle_s = -math.inf
        self.lag_s = 0.0
        self._is_slow = False
        self.notice = ""
        self.reset()

    def reset(self) -> None:
        """Discard what is kept: the vehicle's clock begins again."""
        self._minima.clear()
        self._base_s = self._bucket_min_s = math.inf
        self._bucket_begin_s = self._bucket_min_at_s = -math.inf
        self._drift = FREE_DRIFT
        self.time_ratio = math.nan

    def add(self, arrival_s: float, vehicle_s: float) -> float:
        """Return the lag of a report that arrived now [s]; 0 where it is no more than jitter."""
        offset_s = arrival_s - vehicle_s
        if not math.isfinite(offset_s):
            return 0.0
        if vehicle_s < self._vehicle_s or arrival_s - self._arrival_s > self.silence_s:
            self.reset()
        self._arrival_s, self._vehicle_s = arrival_s, vehicle_s
        if arrival_s >= self._bucket_begin_s + BUCKET_S:
            self._next_bucket(arrival_s)
        if offset_s < self._bucket_min_s:
            self._bucket_min_s, self._bucket_min_at_s = offset_s, arrival_s
        base_s = self._base_s + self._drift * (arrival_s - self._bucket_begin_s)
        own_s = self._bucket_min_s + self._drift * (arrival_s - self._bucket_min_at_s)
        self.lag_s = lag_s = offset_s - min(base_s, own_s)
        return lag_s if lag_s > JITTER_S else 0.0

    def take_notice(self) -> str:
        """Return what to report of the clock, once; mostly empty."""
        notice, self.notice = self.notice, ""
        return notice

    def _next_bucket(self, now: float) -> None:
        if self._bucket_min_s < math.inf:
            self._minima.append((self._bucket_min_at_s, self._bucket_min_s))
        self._bucket_min_s, self._bucket_min_at_s = math.inf, now
        self._bucket_begin_s = now
        if not self._minima:
            return
        minima = list(self._minima)
        drifts = [(b - a) / max(t_b - t_a, BUCKET_S / 2) for (t_a, a), (t_b, b) in pairwise(minima)]
        allowed = [_allowed(drifts, n) for n in range(len(drifts))]
        self._drift = allowed[-1] if allowed else FREE_DRIFT
        rise_s = self._drift * (now - minima[-1][0])
        base_s = minima[-1][1] + rise_s
        for n in range(len(drifts) - 1, -1, -1):
            rise_s += allowed[n] * (minima[n + 1][0] - minima[n][0])
            base_s = min(base_s, minima[n][1] + rise_s)
        self._base_s = base_s
        self._watch_clock(drifts)

    def _watch_clock(self, drifts: list[float]) -> None:
        if len(drifts) < NEIGHBOURS:
            return
        ratio = 1.0 - median(drifts)
        self.time_ratio = 1.0 - median(drifts[-(len(drifts) + 1) // 2 :])
        if not self._is_slow and ratio < SLOW_BELOW:
            # By now the later half of the window is all slow.
            self._is_slow = True
            self.notice = f"the vehicle's clock runs at {self.time_ratio:.2f}x real time"
        elif self._is_slow and ratio > NORMAL_ABOVE:
            self._is_slow = False
            self.notice = "the vehicle's clock runs in real time again"


def _allowed(drifts: list[float], n: int) -> float:
    """Return the part of the growth of bucket `n` that is the clock's, by its neighbours."""
    begin = max(0, min(n - NEIGHBOURS // 2, len(drifts) - NEIGHBOURS))
    near = drifts[begin : begin + NEIGHBOURS]
    if len(near) < _LEAST_N:
        return FREE_DRIFT
    return min(max(median(near), FREE_DRIFT), SLOWEST)


LATE_TIMEOUTS = 2.0
"""So many report time-outs of lag are late: a simulator on a busy machine slips by less."""


class LinkHealth:
    """The condition of the link to one vehicle, by the table above.

    `is_fresh`: the latest report is not too old. `lag`: of the reports against the vehicle's clock.
    """

    def __init__(self, silence_s: float) -> None:
        self.lag = ReportLag(silence_s)
        self.is_fresh = False
        self._rate, self._first_report = ReportRate(), FirstReportWait()
        self._noticed: NoticeKind | None = None
        self._drained_s, self._waited_s, self._late_s = math.inf, 0.0, 0.0
        self._too_low_gap_s, self._late_n = 0.0, 0

    def clear(self) -> None:
        """Discard the collected data: time jumped back."""
        self._rate.clear()
        self.lag.reset()

    def on_drain(self, now: float) -> None:
        """The sockets are read to the end now: what they hold arrived since the last time."""
        self._waited_s, self._drained_s = now - self._drained_s, now

    def rejects(self, timeout_s: float) -> bool:
        """Whether what is read now waited while this process did not run; counted.

        The next report is a few milliseconds away.
        """
        if self._waited_s <= timeout_s:
            return False
        self._late_n += 1
        return True

    def on_report(self, arrival_s: float, vehicle_s: float, timeout_s: float) -> float:
        """Note a report; return its lag [s], 0 where it is tolerated."""
        self._rate.add(arrival_s)
        lag_s = self.lag.add(arrival_s, vehicle_s)
        self._late_s = lag_s if lag_s > LATE_TIMEOUTS * timeout_s else 0.0
        return self._late_s

    def update(self, age_s: float, timeout_s: float, now: float) -> tuple[Notice, ...]:
        """Return a notice where the condition changed; `age_s`: of the latest report."""
        self.is_fresh = 0.0 <= age_s <= timeout_s
        self._too_low_gap_s = gap_s = self._rate.too_low_gap_s(timeout_s, now)
        before = self._noticed
        late_s = self._late_s if now - self._rate.last_s <= self.lag.silence_s else 0.0
        if gap_s:
            kind = notice_kinds.SLOW_REPORTS
        elif self.is_fresh:
            kind = notice_kinds.LINK_RESTORED
        elif before is None:
            return self._first_report.update(now)
        elif late_s > timeout_s:
            kind = notice_kinds.LATE_REPORT
        else:
            kind = notice_kinds.LINK_TIMEOUT
        notices: tuple[Notice, ...] = ()
        if kind is not before:
            text = rate_fault(gap_s, timeout_s) or silence(age_s, timeout_s, late_s)
            back = "vehicle link up" if before is None else "vehicle link restored"
            notices, self._noticed = (Notice(kind, text or back),), kind
        if self.lag.notice:
            notices += (Notice(notice_kinds.SLOW_VEHICLE, self.lag.take_notice()),)
        return notices

    def statistics(self) -> dict[str, float]:
        """Return the figures of the watches, by name."""
        return {
            "lag_s": self.lag.lag_s,
            "time_ratio": self.lag.time_ratio,
            "rejected_late": float(self._late_n),
            "too_low_gap_s": self._too_low_gap_s,
        }
