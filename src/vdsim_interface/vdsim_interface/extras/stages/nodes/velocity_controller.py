"""Stage `velocity_controller` as a node: high_level_command -> stages/controlled_command."""

from __future__ import annotations

import sys
from typing import ClassVar

from vdsim_interface.controller.controller import VelocityController
from vdsim_interface.extras.stages.front_stage import FrontStage
from vdsim_interface.extras.stages.ros.front_stage_node import FrontStageNode
from vdsim_interface.parameters.frozen import frozen_because
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.node_main import run
from vdsim_interface.values import Authority, Gear, HighLevelCommand, Mode
from vdsim_msgs.msg import HighLevelControlCommand, VehicleOdometry


class VelocityControllerNode(FrontStageNode):
    """Speed and curvature in, acceleration and wheel angles out."""

    LIVE_PARAMETERS = ("controller.", "vehicle.")
    COUPLED_PARAMETERS: ClassVar = {
        "controller.launch_accel_mps2": "safety.auto_gear_deadzone_mps2"
    }
    OUTPUT = topics.CONTROLLED_COMMAND

    def __init__(self) -> None:
        super().__init__("velocity_controller")
        self._speed_mps = 0.0
        self._frozen_because = ""
        self.activate_stage()
        self.seal_parameters()

    def activate_stage(self) -> None:
        """Reset, with the current parameters."""
        p = self.parameters
        self._core = VelocityController(p.controller, p.vehicle, p.period_s, p.command_timeout_s)
        self.stage = FrontStage[HighLevelCommand](self._core.step, p.period_s)

    def configure_stage(self) -> None:
        """Create the topics."""
        super().configure_stage()
        self.create_checked_subscription(
            HighLevelControlCommand,
            topics.HIGH_LEVEL_COMMAND,
            self._on_command,
            topics.COMMAND_QOS,
        )
        self.create_checked_subscription(
            VehicleOdometry, topics.ODOMETRY, self._on_odometry, topics.SENSOR_QOS
        )

    def frozen_because(self) -> str:
        """Why frozen parameters cannot change now."""
        return self._frozen_because

    def reconfigure(self, parameters: InterfaceParameters) -> None:
        """Use changed parameters."""
        self._core.configure(parameters.controller, parameters.vehicle)

    def _on_command(self, message: HighLevelControlCommand) -> None:
        now = self.now()
        received_s = self.received_s(message.stamp, topics.HIGH_LEVEL_COMMAND, now)
        if self.stage.on_command(conversions.high_level_command(message, received_s)):
            self.rounds.arrived(now)

    def _on_odometry(self, message: VehicleOdometry) -> None:
        self._speed_mps = message.velocity_mps
        self._core.on_odometry(conversions.odometry_value(message, self.now()))

    def on_state(self, gear: Gear, mode: Mode, authority: Authority) -> None:
        """Use gear and mode."""
        self._core.on_state(gear, mode)
        moving = abs(self._speed_mps) > self.parameters.safety.standstill_speed_mps
        self._frozen_because = frozen_because(mode, authority, moving=moving)


def make() -> list[VelocityControllerNode]:
    """Create and start the node."""
    node = VelocityControllerNode()
    node.start()
    return [node]


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("velocity_controller", make, arguments)


if __name__ == "__main__":
    sys.exit(main())
