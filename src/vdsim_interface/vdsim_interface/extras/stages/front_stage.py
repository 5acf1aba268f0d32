"""A stage before the safety side, controller or filter, in a process of its own."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from vdsim_interface.pipeline.step_clock import StepClock
from vdsim_interface.values import HighLevelCommand, VehicleCommand

C = TypeVar("C", bound=HighLevelCommand | VehicleCommand)


class FrontStage(Generic[C]):
    """The stage, the latest command, and the periods that are due."""

    def __init__(
        self, step: Callable[[C | None, float], VehicleCommand | None], period_s: float
    ) -> None:
        self._step = step
        self._clock = StepClock(period_s)
        self._command: C | None = None

    def on_command(self, command: C) -> bool:
        """Use a command until the next one; False for one that is not finite.

        The safety side receives it, too, and reports it.
        """
        if not command.is_finite():
            return False
        self._command = command
        return True

    def restart(self) -> None:
        """After a backward jump of time: command nothing until the next command."""
        self._command = None

    def results(self, now: float) -> Iterator[VehicleCommand]:
        """Run the periods that are due; the last result holds while the command is fresh."""
        for _ in range(self._clock.steps(now)):
            result = self._step(self._command, now)
            if result is not None:
                yield result
