"""The one place that computes dt: turns tick times into whole periods.

Theory of operation

Why a step clock. Filters, rate limits, integrals and the time of a shift all need dt. If each stage
measured its own, jitter of the timer would appear in every derivative, and the same commands would
give different packets in one node and in three processes. A stage therefore uses only its
period: one `step` is exactly one period. The clock decides only how many periods a tick runs.

The grid. The clock adds up the time since the previous tick in units of the period and runs the
nearest whole number of periods; the rest, at most half a period either way, stays in the account.
Jitter therefore does not accumulate.

The grid follows the ticks. Ticks come from a timer, or from a stream of commands whose sender
has a phase and a rate of its own. If ticks fell half a period off the grid, small jitter would give
none and then two periods. At each tick the clock therefore drops a small share (PHASE_SHARE) of the
rest: the grid moves to the phase of the ticks within about a second, and a sender whose rate is up
to 1 % off gets exactly one period per tick.

Catch-up limit. Late ticks run the missed periods, so that limits keep true time. After a pause of
more than CATCH_UP_N periods that would be a burst of work on old input; the clock then restarts
with one period.

Jumps. When time goes backward the account is meaningless: the clock restarts with one period. The
owner of the clock discards what it received before the jump (TIME_JUMPED). The first tick is one
period, too.
"""

from vdsim_interface.values import Notice, notice_kinds

TIME_JUMPED = Notice(
    notice_kinds.TIME_JUMP, "time jumped back: the last command and report are discarded"
)

CATCH_UP_N = 10
"""A tick runs at most so many periods."""
PHASE_SHARE = 0.02
"""Share of the phase error that each tick removes: the grid follows the ticks."""


def did_not_run(stall_s: float) -> str:
    """Describe a stall."""
    return f"this process did not run for {stall_s:.2f} s"


class StepClock:
    """Counts periods. Every stage's `step` is exactly one period.

    A late tick runs the missed periods (at most CATCH_UP_N; beyond, the count restarts); a tick
    that is early by more than half a period runs none. Jitter therefore does not distort filters,
    limits and integrals. Ticks within 1 % of the rate give one period
    each, whatever their phase.
    """

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._last_s: float | None = None
        self._owed = 0.0

    def steps(self, now: float) -> int:
        """Return how many periods to run at this tick: 0 to CATCH_UP_N."""
        last_s, self._last_s = self._last_s, now
        if last_s is not None and now >= last_s:
            owed = self._owed + (now - last_s) / self._period_s
            steps_n = int(owed + 0.5)
            if steps_n <= CATCH_UP_N:
                self._owed = (owed - steps_n) * (1.0 - PHASE_SHARE)
                return steps_n
        # The first tick, time that jumped back, or a long pause: the count restarts.
        self._owed = 0.0
        return 1
