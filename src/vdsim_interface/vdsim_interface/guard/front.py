"""The stages that the shell runs for the guard: velocity controller and low-pass filter."""

from vdsim_interface.controller import VelocityController
from vdsim_interface.filter import LowPassFilter
from vdsim_interface.guard.frames import Front
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.step_clock import StepClock
from vdsim_interface.values import (
    COMMAND_OF,
    Command,
    HighLevelCommand,
    Odometry,
    PlatformCommand,
    RawCommand,
    VehicleCommand,
)


class FrontStages:
    """Controller and filter with their clock; `periods` runs those that are due."""

    def __init__(self, parameters: InterfaceParameters) -> None:
        period_s, timeout_s = parameters.period_s, parameters.command_timeout_s
        self._controller = VelocityController(
            parameters.controller, parameters.vehicle, period_s, timeout_s
        )
        self._filter = LowPassFilter(parameters.filter, period_s, timeout_s)
        self._clock = StepClock(period_s)
        self._kind = COMMAND_OF[parameters.level]
        self._command: Command | None = None
        self._received: Command | None = None

    def configure(self, parameters: InterfaceParameters) -> None:
        """Use parameters that may change while active."""
        self._kind = COMMAND_OF[parameters.level]
        self._controller.configure(parameters.controller, parameters.vehicle)

    def on_command(self, command: Command, now: float) -> bool:
        """Use a command until the next one; False for one that the guard will reject."""
        if type(command) is not self._kind:
            return False
        if not isinstance(command, RawCommand) and not command.is_finite():
            return False
        if type(command) is not type(self._command):
            # The first of another level: reset controller and filter.
            self._controller.step(None, now)
            self._filter.step(None, now)
        self._command = self._received = command
        return True

    def on_odometry(self, odometry: Odometry) -> None:
        """Use the measured motion."""
        self._controller.on_odometry(odometry)

    def on_safe(self, command: PlatformCommand) -> None:
        """Use gear and mode of the guard's latest period."""
        self._controller.on_state(command.body.gear, command.mode)
        self._filter.on_mode(command.mode)

    def periods(self, now: float) -> Front | None:
        """Run the periods that are due; return the last result, None when none was due."""
        front: Front | None = None
        for _ in range(self._clock.steps(now)):
            front = self._step(now)
        if front is None:
            return None
        received, self._received = self._received, None
        return front._replace(received=received)

    def take_received(self) -> Command | None:
        """Return the accepted command that no Front has carried yet."""
        received, self._received = self._received, None
        return received

    def _step(self, now: float) -> Front:
        command = self._command
        if isinstance(command, RawCommand):
            return Front(None, None, None, command)
        controlled: VehicleCommand | None
        if isinstance(command, HighLevelCommand):
            controlled = self._controller.step(command, now)
        else:
            controlled = command
        return Front(None, controlled, self._filter.step(controlled, now), None)
