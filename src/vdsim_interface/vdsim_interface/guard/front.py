"""The front stages that the shell runs for the guard, and the frames of their results."""

from vdsim_interface.guard.frames import Front
from vdsim_interface.pipeline.front_stages import FrontStages
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.step_clock import StepClock
from vdsim_interface.values import (
    COMMAND_OF,
    Command,
    Gear,
    Mode,
    Odometry,
    RawCommand,
    VehicleCommand,
)
from vdsim_interface.values.records import record


class FrontFrames:
    """The stages with their clock; `periods` runs those that are due.

    `is_traced`: somebody reads the trace.
    """

    def __init__(self, parameters: InterfaceParameters) -> None:
        self._stages = FrontStages(parameters)
        self._clock = StepClock(parameters.period_s)
        self._kind = COMMAND_OF[parameters.level]
        self._timeout_s = parameters.command_timeout_s
        self._received: Command | None = None
        self.is_traced = False

    def configure(self, parameters: InterfaceParameters) -> None:
        """Use parameters that may change while active."""
        self._kind = COMMAND_OF[parameters.level]
        self._stages.configure(parameters)

    def on_command(self, command: Command, now: float) -> bool:
        """Use a command until the next one; False for one that the guard will reject."""
        if type(command) is not self._kind:
            return False
        if not isinstance(command, RawCommand) and not command.is_finite():
            return False
        if now - command.stamp_s > self._timeout_s:
            return False
        self._stages.on_command(command, now)
        self._received = command
        return True

    def override(self, command: VehicleCommand, now: float) -> None:
        """Use an emergency stop of the arbiter in place of what the controller computes."""
        self._stages.on_command(command, now)

    def on_odometry(self, odometry: Odometry) -> None:
        """Use the measured motion."""
        self._stages.on_odometry(odometry)

    def on_safe(self, gear: Gear, mode: Mode) -> None:
        """Use gear and mode of the guard's latest period."""
        self._stages.on_safe(gear, mode)

    def periods(self, now: float) -> Front | None:
        """Run the periods that are due; return the last result, None when none was due."""
        steps_n = self._clock.steps(now)
        if not steps_n:
            return None
        stages = self._stages
        command = stages.command
        if isinstance(command, RawCommand):
            return Front(self.take_received(), None, None, command, self.is_traced)
        controlled, filtered = stages.step(now)
        for _ in range(steps_n - 1):
            controlled, filtered = stages.step(now)
        received, self._received = self._received, None
        return record(Front, (received, controlled, filtered, None, self.is_traced))

    def take_received(self) -> Command | None:
        """Return the accepted command that no Front has carried yet."""
        received, self._received = self._received, None
        return received
