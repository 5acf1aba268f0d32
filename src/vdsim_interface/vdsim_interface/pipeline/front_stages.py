"""Controller and filter together: the stages that a command passes before the safety side."""

import math

from vdsim_interface.controller.controller import VelocityController
from vdsim_interface.filter.low_pass import LowPassFilter
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.values import (
    Command,
    Gear,
    HighLevelCommand,
    Mode,
    Odometry,
    RawCommand,
    VehicleCommand,
)


class FrontStages:
    """Velocity controller and low-pass filter. `command`: the latest one; it holds ([VI-1.3])."""

    def __init__(self, parameters: InterfaceParameters) -> None:
        period_s, timeout_s = parameters.period_s, parameters.command_timeout_s
        self._controller = VelocityController(
            parameters.controller, parameters.vehicle, period_s, timeout_s
        )
        self._filter = LowPassFilter(parameters.filter, period_s, timeout_s)
        self.command: Command | None = None

    def configure(self, parameters: InterfaceParameters) -> None:
        """Use parameters that may change while active."""
        self._controller.configure(parameters.controller, parameters.vehicle)

    def on_command(self, command: Command, now: float) -> None:
        """Use an accepted command until the next one."""
        if type(command) is not type(self.command):
            # The first of another level: reset controller and filter.
            self._controller.step(None, now)
            self._filter.step(None, now)
        self.command = command

    def on_odometry(self, odometry: Odometry) -> None:
        """Use the measured motion."""
        self._controller.on_odometry(odometry)

    def on_safe(self, gear: Gear, mode: Mode) -> None:
        """Use gear and mode of the safety side's latest period."""
        self._controller.on_state(gear, mode)
        self._filter.on_mode(mode)

    def restart(self) -> None:
        """After a backward jump of time: command nothing until the next command."""
        self.command = None

    def step(self, now: float) -> tuple[VehicleCommand | None, VehicleCommand | None]:
        """Run one period; return the outputs of controller and filter. Not for a raw command."""
        command = self.command
        assert not isinstance(command, RawCommand), "a raw command passes both stages"
        controlled = (
            self._controller.step(command, now)
            if isinstance(command, HighLevelCommand)
            else command
        )
        return controlled, self._filter.step(controlled, now)


def stop_request(command: VehicleCommand, wheelbase_m: float) -> HighLevelCommand:
    """Return what a vehicle command of a stop means: speed 0 with its steering."""
    curvature_1pm = math.tan(command.front_wheel_angle_rad) / wheelbase_m
    return HighLevelCommand(command.stamp_s, 0.0, curvature_1pm)
