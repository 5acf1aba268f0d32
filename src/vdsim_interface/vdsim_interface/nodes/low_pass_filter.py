"""Stage `low_pass_filter` as a node: vehicle commands in, low-passed ones out."""

from __future__ import annotations

import sys

from vdsim_interface.filter import LowPassFilter
from vdsim_interface.pipeline.front_stage import FrontStage
from vdsim_interface.pipeline.step_clock import TIME_JUMPED
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.messages.sides import rejected
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.values import ControlLevel, Mode, VehicleCommand
from vdsim_msgs.msg import SafeCommand, VehicleControlCommand


class LowPassFilterNode(StageNode):
    """Filters the controller's commands, or the stack's at vehicle level. Wraps a FrontStage."""

    LIVE_PARAMETERS = ()

    def __init__(self) -> None:
        super().__init__("low_pass_filter")
        self._reset()
        self._is_first = self.parameters.level is ControlLevel.VEHICLE
        self.seal_parameters()

    def _reset(self) -> None:
        p = self.parameters
        self._core = LowPassFilter(p.filter, p.period_s, p.command_timeout_s)
        self._stage = FrontStage[VehicleCommand](self._core.step, p.period_s)

    def activate_stage(self) -> None:
        """Reset, with the current parameters."""
        self._reset()

    def configure_stage(self) -> None:
        """Create the topics."""
        qos = topics.COMMAND_QOS
        source = topics.VEHICLE_COMMAND if self._is_first else topics.CONTROLLED_COMMAND
        self._output = self.create_checked_publisher(
            VehicleControlCommand, topics.FILTERED_COMMAND, qos
        )
        self.create_checked_subscription(VehicleControlCommand, source, self._on_command, qos)
        self.create_checked_subscription(SafeCommand, topics.SAFE_COMMAND, self._on_safe, qos)

    def _on_command(self, message: VehicleControlCommand) -> None:
        now = self.now()
        if self._is_first:
            command = conversions.vehicle_command(
                message, self.received_s(now, topics.VEHICLE_COMMAND)
            )
        else:
            command = conversions.relayed_command(message, self.ros_time.at(now))
        if self._stage.on_command(command):
            self.arrived(now)

    def _on_safe(self, message: SafeCommand) -> None:
        try:
            mode = Mode(message.mode)
        except ValueError as error:
            self.notice_log.write((rejected(topics.SAFE_COMMAND, error),), self.now())
            return
        self._core.on_mode(mode)

    def restart(self, now: float) -> None:
        """After a backward jump of time: command nothing until the next command."""
        self._stage.restart()
        self.notice_log.write((TIME_JUMPED,), now)

    def tick(self, now: float) -> None:
        """Run the periods that are due."""
        for command in self._stage.results(now):
            self._output.publish(conversions.vehicle_command_message(command, self.ros_time.stamp))


def make() -> list[LowPassFilterNode]:
    """Create and start the node."""
    node = LowPassFilterNode()
    node.start()
    return [node]


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("low_pass_filter", make, arguments)


if __name__ == "__main__":
    sys.exit(main())
