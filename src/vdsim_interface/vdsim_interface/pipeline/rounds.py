"""The rounds of a stage: it looks for jumps of time, stalls and input, and ticks when it is due.

A timer runs a round twice a period. A command that leads ticks at once, between two rounds. Time is
an argument: a node passes its clock's, the simulator that of a virtual process.
"""

import math
from typing import Protocol

from vdsim_interface.pipeline.stall_watch import StallWatch
from vdsim_interface.pipeline.tick_schedule import TickSchedule


class Work(Protocol):
    """What a stage does."""

    def restart(self, now: float) -> None:
        """Discard what was received before a backward jump of time, and report it."""

    def on_stall(self, stall_s: float, now: float) -> None:
        """The process did not run for `stall_s`; what waited meanwhile is not fresh."""

    def poll(self, now: float) -> None:
        """Read input that does not come through topics; twice a period."""

    def tick(self, now: float) -> None:
        """One period."""


class Rounds:
    """Of one stage, from `begin` to `end`.

    `sees_stalls`: False where time is simulated: a pause stops time, not the process.
    """

    def __init__(
        self, work: Work, period_s: float, command_timeout_s: float, *, sees_stalls: bool = True
    ) -> None:
        self._work = work
        self._sees_stalls = sees_stalls
        self._schedule = TickSchedule(period_s)
        self._stalls = StallWatch(period_s, command_timeout_s)
        self.is_active = False
        self._latest_s = -math.inf

    def begin(self, now: float) -> None:
        """Tick at once: the first command out is the safe one."""
        self.is_active = True
        self._tick(now)

    def end(self) -> None:
        """Nothing ticks any more."""
        self.is_active = False

    def poll(self, now: float) -> None:
        """One round."""
        if now < self._latest_s:
            self._work.restart(now)
        self._latest_s = now
        self.look(now)
        self._work.poll(now)
        if self._schedule.on_poll(now):
            self._tick(now)

    def arrived(self, now: float) -> None:
        """Tick at once where the command that just arrived leads the pipeline."""
        if self.is_active and self._schedule.on_arrival(now):
            self._tick(now)

    def look(self, now: float) -> None:
        """Check whether the process has run, before anything that is delivered is used."""
        if self.is_active and self._sees_stalls:
            stall_s = self._stalls.look(now)
            if stall_s:
                self._work.on_stall(stall_s, now)

    def received_s(self, now: float, stream: str) -> float:
        """Return when a message that is delivered now was received: earlier after a stall [s].

        `stream`: a name for what one sender repeats.
        """
        self.look(now)
        return self._stalls.received_s(now, stream)

    def refuses_engage(self, now: float) -> str:
        """Why a request to engage that is delivered now does not count; empty if it does."""
        self.look(now)
        return self._stalls.refusal(now)

    def refuses_stop(self, now: float, sent_ago_s: float) -> str:
        """Why a request to stop that is delivered now is too old; empty if it acts."""
        self.look(now)
        return self._stalls.refuses_stop(now, sent_ago_s)

    def _tick(self, now: float) -> None:
        # Without this all ages would be negative, and old data would count as fresh.
        if now < self._latest_s:
            self._work.restart(now)
        self._latest_s = now
        self._work.tick(now)
        self._schedule.on_tick(now)
