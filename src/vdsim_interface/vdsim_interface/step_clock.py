"""The one place that computes dt: turns tick times into whole periods."""


class StepClock:
    """Counts periods on a fixed grid that starts at the first tick.

    Every stage's `step` is exactly one period. A tick that comes late makes up for the periods that
    were missed (at most `catch_up_n`, then the grid starts anew), one that comes early does none;
    so filters, limits and integrals keep true time under jitter.
    """

    def __init__(self, period_s: float, catch_up_n: int = 10) -> None:
        self._period_s = period_s
        self._catch_up_n = catch_up_n
        self._start_s: float | None = None
        self._done_n = 0

    def steps(self, now: float) -> int:
        """Return how many periods to run at this tick: 0 to `catch_up_n`."""
        if self._start_s is None:
            return self._restart(now)
        due_n = int((now - self._start_s) / self._period_s + 1.5) - self._done_n
        if due_n > self._catch_up_n or due_n < 0:
            return self._restart(now)
        self._done_n += due_n
        return due_n

    def _restart(self, now: float) -> int:
        self._start_s = now
        self._done_n = 1
        return 1
