"""The one place that computes dt: turns tick times into whole periods."""

from vdsim_interface.values import Notice, notice_kinds

TIME_JUMPED = Notice(
    notice_kinds.TIME_JUMP, "time jumped back: the last command and report are discarded"
)

PHASE_SHARE = 0.02
"""Share of the phase error that each tick removes: the grid follows whoever ticks."""


class StepClock:
    """Counts periods. Every stage's `step` is exactly one period.

    A late tick makes up for the periods that were missed (at most `catch_up_n`, then
    the count restarts), one that comes early by more than half a period does none; so filters,
    limits and integrals keep true time under jitter. Ticks within 1 % of the rate give one period
    each, whatever their phase.
    """

    def __init__(self, period_s: float, catch_up_n: int = 10) -> None:
        self._period_s = period_s
        self._catch_up_n = catch_up_n
        self._last_s: float | None = None
        self._owed = 0.0

    def steps(self, now: float, *, at_least: int = 0) -> int:
        """Return how many periods to run at this tick: `at_least` to `catch_up_n`."""
        last_s, self._last_s = self._last_s, now
        if last_s is not None and now >= last_s:
            owed = self._owed + (now - last_s) / self._period_s
            steps_n = int(owed + 0.5)
            if steps_n <= self._catch_up_n:
                self._owed = (owed - steps_n) * (1.0 - PHASE_SHARE)
                return steps_n if steps_n >= at_least else at_least
        # The first tick, time that jumped back, or a long pause: the count restarts.
        self._owed = 0.0
        return max(1, at_least)
