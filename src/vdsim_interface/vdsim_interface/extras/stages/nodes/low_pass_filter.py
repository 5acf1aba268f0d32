"""Stage `low_pass_filter` as a node: vehicle commands in, low-passed ones out."""

from __future__ import annotations

import sys

from vdsim_interface.extras.stages.front_stage import FrontStage
from vdsim_interface.extras.stages.ros.front_stage_node import FrontStageNode
from vdsim_interface.filter.low_pass import LowPassFilter
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.node_main import run
from vdsim_interface.values import Authority, ControlLevel, Gear, Mode, VehicleCommand
from vdsim_msgs.msg import VehicleControlCommand


class LowPassFilterNode(FrontStageNode):
    """Filters the controller's commands, or the stack's at vehicle level."""

    LIVE_PARAMETERS = ()
    OUTPUT = topics.FILTERED_COMMAND

    def __init__(self) -> None:
        super().__init__("low_pass_filter")
        self.activate_stage()
        self._is_first = self.parameters.level is ControlLevel.VEHICLE
        self.seal_parameters()

    def activate_stage(self) -> None:
        """Reset, with the current parameters."""
        p = self.parameters
        self._core = LowPassFilter(p.filter, p.period_s, p.command_timeout_s)
        self.stage = FrontStage[VehicleCommand](self._core.step, p.period_s)

    def configure_stage(self) -> None:
        """Create the topics."""
        super().configure_stage()
        source = topics.VEHICLE_COMMAND if self._is_first else topics.CONTROLLED_COMMAND
        self.create_checked_subscription(
            VehicleControlCommand, source, self._on_command, topics.COMMAND_QOS
        )

    def _on_command(self, message: VehicleControlCommand) -> None:
        now = self.now()
        if self._is_first:
            command = conversions.vehicle_command(
                message, self.received_s(message.stamp, topics.VEHICLE_COMMAND, now)
            )
        else:
            command = conversions.relayed_command(message, self.ros_time.at(now))
        if self.stage.on_command(command):
            self.rounds.arrived(now)

    def on_state(self, gear: Gear, mode: Mode, authority: Authority) -> None:
        """Use who drives."""
        self._core.on_mode(mode)


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
