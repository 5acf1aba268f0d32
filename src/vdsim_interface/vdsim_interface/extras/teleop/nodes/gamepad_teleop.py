"""ROS node gamepad_teleop: sensor_msgs/Joy -> commands of a source (core: teleop/)."""

from __future__ import annotations

import sys
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from sensor_msgs.msg import Joy, JoyFeedback
from std_msgs.msg import String

from vdsim_interface.extras.ros.fixed_parameters import seal
from vdsim_interface.extras.teleop.ros.teleop_node import TeleopNode
from vdsim_interface.pipeline.stall_watch import StallWatch, stale_stop
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.messages.joy_wall import JOY_WALL
from vdsim_interface.ros.messages.message_info import Info, sent_ago_s, with_info
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.parameters import declare
from vdsim_interface.teleop.gamepad_driver import GamepadDriver
from vdsim_interface.teleop.mapping_file import candidate_mappings
from vdsim_interface.teleop.parameters import GamepadTeleopParameters


class GamepadTeleopNode(TeleopNode):
    """Drives the car from a gamepad."""

    core: GamepadDriver

    def __init__(self) -> None:
        super().__init__("gamepad_teleop")
        parameters = declare(self, GamepadTeleopParameters())
        folder = Path(get_package_share_directory("vdsim_interface")) / "config" / "gamepads"
        mappings = candidate_mappings(parameters.joy_config, folder)
        self.core = GamepadDriver(mappings, parameters)
        self.station = self.core.station
        seal(self)
        self._stalls = StallWatch(
            1.0 / parameters.driver.output_rate_hz, parameters.gamepad.joy_timeout_s
        )
        self.connect(parameters.source, parameters.driver.output_rate_hz)
        # A best-effort subscription matches reliable and best-effort publishers.
        self.create_subscription(
            Joy, topics.JOY, with_info(self._on_joy), topics.JOY_QOS, **JOY_WALL
        )
        # The stock drivers of ROS 2 take single messages; they use the rumble alone.
        self._feedback = self.create_publisher(JoyFeedback, topics.JOY_FEEDBACK, 10)
        self.create_subscription(String, topics.JOY_DEVICE, self._on_device, topics.REPORT_QOS)

    def _on_joy(self, message: Joy, info: Info) -> None:
        now = self.now()
        self._stalls.look(now)
        why = self._stalls.refuses_stop(now, sent_ago_s(info))
        if why:
            self.notice_log.write((stale_stop(why),), now)
            return
        axes, buttons = conversions.joy_values(message)
        self.core.on_joy(axes, buttons, now)

    def _on_device(self, message: String) -> None:
        self.core.on_device(message.data, self.now())

    def on_tick(self) -> None:
        """Run one output period."""
        self._stalls.look(self.now())
        output = self.core.tick(self.now())
        self.publish(output)
        for kind, number, intensity in self.core.feedback(output, self.now()):
            message = JoyFeedback(type=kind, id=number, intensity=intensity)
            self._feedback.publish(message)

    def on_give_back_answer(self, success: bool, text: str) -> None:
        """Receive the response of give_back."""
        self.core.on_give_back_answer(success, text)


def main() -> None:
    """Console entry."""
    sys.exit(run("gamepad_teleop", lambda: [GamepadTeleopNode()]))
