"""The rounds of a guard: what has arrived, a tick when it is due, and when to wake next.

Each frame, each datagram and the timer begin a round. A Front of the shell leads the ticks while it
comes at the guard's rate; the timer ticks for each that is missing. Time is an argument.
"""

import math
from collections.abc import Callable

from vdsim_interface.guard.guard import Guard
from vdsim_interface.pipeline.tick_schedule import POLLS_PER_PERIOD, TickSchedule
from vdsim_interface.platforms.wire import Datagram

_IDLE_S = 0.1
_LONGEST_WAIT_S = 0.03
"""Beyond the next half period: reports that wait longer could pass for late ones."""


class GuardRounds:
    """Of one guard. `send`: to the vehicle; `wake_s`: the next round, if nothing arrives before."""

    def __init__(
        self, guard: Guard, send: Callable[[tuple[Datagram, ...]], None], now: float
    ) -> None:
        self._guard, self._send = guard, send
        self._period_s = guard.period_s
        self._schedule = TickSchedule(self._period_s)
        self.was_active = False
        self._grid_s = self.wake_s = now

    def on_frame(self, data: bytes, now: float) -> None:
        """Process a frame of the shell; one that leads the ticks causes one at once."""
        guard = self._guard
        follows = guard.on_frame(data, now) and self.was_active and guard.is_active
        if follows and self._schedule.on_arrival(now):
            self._tick(now)

    def finish(self, now: float) -> None:
        """Tick if it is due, after everything that has arrived."""
        if self._guard.is_active:
            if not self.was_active:
                self._schedule = TickSchedule(self._guard.period_s)
                self._tick(now)
            elif now >= self.wake_s and self._schedule.on_poll(now):
                self._tick(now)
        self.was_active = self._guard.is_active
        self._set_timer(now)

    def _set_timer(self, now: float) -> None:
        """Wake next at the first half period of the grid at which the timer can tick.

        While frames lead the ticks they and the datagrams alone wake us. A frame that is missing is
        replaced when it is due: the grid of an earlier timer would add up to half a period.
        """
        active, period_s = self.was_active, self._guard.period_s
        if active and period_s != self._period_s:
            self._schedule = TickSchedule(period_s)
        self._period_s = period_s
        step_s = (period_s if active else _IDLE_S) / POLLS_PER_PERIOD
        if now >= self.wake_s:
            self._grid_s = self.wake_s if now < self.wake_s + step_s else now
        wait_s = (self._schedule.due_s if active else now) - self._grid_s
        wait_s = min(wait_s, now + _LONGEST_WAIT_S - self._grid_s)
        self.wake_s = self._grid_s + step_s * max(1, math.ceil(max(0.0, wait_s) / step_s))
        if active and self._schedule.leads:
            self.wake_s = min(self.wake_s, self._schedule.due_s)

    def _tick(self, now: float) -> None:
        self._send(self._guard.decide(now))
        self._guard.after_send(now)
        self._schedule.on_tick(now)
