"""One process of the interface: the rounds of a node (ros/stage_node.py) on a virtual clock."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.rounds import Rounds
from vdsim_interface.pipeline.tick_schedule import POLLS_PER_PERIOD
from vdsim_interface.values import Notice

from vdsim_simulate.agenda import Process

TOLD_N = 50


class Stage:
    """A subclass has the work of a stage."""

    def __init__(self, parameters: InterfaceParameters, process: Process) -> None:
        self.parameters = parameters
        self.process = process
        self.told: deque[Notice] = deque(maxlen=TOLD_N)
        self.listeners: list[Callable[[tuple[Notice, ...], float], None]] = []
        """Hear every report, as a node's publishers do."""
        self.rounds = Rounds(self, parameters.period_s, parameters.command_timeout_s)

    def start(self, phase_s: float) -> None:
        """Activate; the timer follows."""
        self.rounds.begin(self.now())
        period_s = self.parameters.period_s / POLLS_PER_PERIOD
        self.process.every(period_s, phase_s, lambda: self.rounds.poll(self.now()))

    def now(self) -> float:
        """The time on the process's clock [s]."""
        return self.process.clock.now()

    def poll(self, now: float) -> None:
        """Read the sockets; twice a period."""

    def tick(self, now: float) -> None:
        """One period."""

    def restart(self, now: float) -> None:
        """Discard what was received before a backward jump of time."""

    def on_stall(self, stall_s: float, now: float) -> None:
        """This process did not run for so long."""

    def report(self, notices: object) -> None:
        """Reports for people: a node would log and publish them."""
        if notices:
            self.told.extend(notices)  # type: ignore[arg-type]
            for listener in self.listeners:
                listener(tuple(notices), self.now())  # type: ignore[arg-type]
