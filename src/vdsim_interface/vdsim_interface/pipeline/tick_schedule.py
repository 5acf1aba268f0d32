"""When a stage runs: at once for a command that arrives at the pipeline's rate, else by timer.

A command that waited for the next tick of a free-running timer would be half a period old on
average when it leaves. A stream of commands at (nearly) the pipeline's rate therefore leads: its
arrivals are the ticks. The timer, polled every half period, ticks for each missing arrival, so the
output never pauses. Time is an argument; nothing here reads a clock.
"""

import math

POLLS_PER_PERIOD = 2
# A stream leads while its gaps stay below this many periods.
_LEADING_GAP = 1.5
# ... and while they are on average above this one: a faster stream must not drive the output.
_LEADING_MEAN_GAP = 0.85
_MEMORY = 0.2
# Two ticks are at least so many periods apart: two packets of one instant would have one stamp.
_APART = 0.1
# The timer waits this long for an arrival that leads before it ticks instead of it.
_PATIENCE = 1.5


class TickSchedule:
    """Decides at each arrival and at each poll of the timer whether to tick now.

    `leads`: a stream does; the timer ticks only in place of an arrival that is missing.
    """

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._last_tick_s = -math.inf
        self._last_arrival_s = -math.inf
        self._mean_gap_s = period_s
        self.leads = False

    def on_arrival(self, now: float) -> bool:
        """Return whether a command that just arrived is to be processed at once."""
        gap_s, self._last_arrival_s = now - self._last_arrival_s, now
        since_tick_s = now - self._last_tick_s
        is_stream = 0.0 <= gap_s <= _LEADING_GAP * self._period_s
        if is_stream:
            self._mean_gap_s += _MEMORY * (gap_s - self._mean_gap_s)
        else:
            self._mean_gap_s = self._period_s
        led = self.leads
        self.leads = is_stream and self._mean_gap_s >= _LEADING_MEAN_GAP * self._period_s
        if since_tick_s < 0.0:  # the clock jumped back
            return True
        # Half a period after the last tick the next period is due; a stream that begins to lead
        # may shift the grid once, unless it comes faster than the pipeline runs, or with a tick.
        if since_tick_s >= 0.5 * self._period_s:
            return self.leads
        shifts = self.leads and not led and gap_s >= 0.7 * self._period_s
        return shifts and since_tick_s >= _APART * self._period_s

    def on_poll(self, now: float) -> bool:
        """Return whether the timer ticks now."""
        return now < self._last_tick_s or now >= self.due_s

    @property
    def due_s(self) -> float:
        """No poll before this time ticks, unless something arrives [s]."""
        patience = _PATIENCE if self.leads else 1.0
        return self._last_tick_s + (patience - 0.5 / POLLS_PER_PERIOD) * self._period_s

    def on_tick(self, now: float) -> None:
        """Record a tick."""
        if now - self._last_arrival_s > _LEADING_GAP * self._period_s:
            self.leads = False
        self._last_tick_s = now
