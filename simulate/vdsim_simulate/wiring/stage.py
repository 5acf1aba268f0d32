"""One process of the interface: its ticks, and what it does about a stall (ros/stage_node.py)."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.stall_watch import StallWatch
from vdsim_interface.pipeline.tick_schedule import POLLS_PER_PERIOD, TickSchedule
from vdsim_interface.values import Notice

from vdsim_simulate.agenda import Process

TOLD_N = 50


class Stage:
    """The shipped tick schedule and stall watch on a process's clock. A subclass has the stages."""

    def __init__(self, parameters: InterfaceParameters, process: Process) -> None:
        self.parameters = parameters
        self.process = process
        self._schedule = TickSchedule(parameters.period_s)
        self._latest_s = -math.inf
        self.told: deque[Notice] = deque(maxlen=TOLD_N)
        self.listeners: list[Callable[[tuple[Notice, ...], float], None]] = []
        """Hear every report, as a node's publishers do."""
        self.stalls = StallWatch(parameters.period_s, parameters.command_timeout_s)

    def start(self, phase_s: float) -> None:
        """Activate: the first tick is at once, the timer follows."""
        self._run_tick(self.now())
        period_s = self.parameters.period_s / POLLS_PER_PERIOD
        self.process.every(period_s, phase_s, self._on_poll)

    def now(self) -> float:
        """The time on the process's clock [s]."""
        return self.process.clock.now()

    def look(self, now: float) -> None:
        """Check whether this process has run."""
        stall_s = self.stalls.look(now)
        if stall_s:
            self.on_stall(stall_s)

    def _check_time(self, now: float) -> None:
        """Restart after a backward jump of time."""
        if now < self._latest_s:
            self.restart(now)
        self._latest_s = now

    def received_s(self, now: float, stream: str) -> float:
        """When a message that is delivered now was received."""
        self.look(now)
        return self.stalls.received_s(now, stream)

    def arrived(self, now: float) -> None:
        """Tick at once where the command that just arrived leads."""
        if self._schedule.on_arrival(now):
            self._run_tick(now)

    def _on_poll(self) -> None:
        now = self.now()
        self._check_time(now)
        self.look(now)
        self.poll(now)
        if self._schedule.on_poll(now):
            self._run_tick(now)

    def _run_tick(self, now: float) -> None:
        self._check_time(now)
        self.tick(now)
        self._schedule.on_tick(now)

    def poll(self, now: float) -> None:
        """Read the sockets; twice a period."""

    def tick(self, now: float) -> None:
        """One period."""

    def restart(self, now: float) -> None:
        """Discard what was received before a backward jump of time."""

    def report(self, notices: object) -> None:
        """Reports for people: a node would log and publish them."""
        if notices:
            self.told.extend(notices)  # type: ignore[arg-type]
            for listener in self.listeners:
                listener(tuple(notices), self.now())  # type: ignore[arg-type]

    def on_stall(self, stall_s: float) -> None:
        """This process did not run for so long."""
