"""Drives a circle: one HighLevelControlCommand every 50 ms."""

from __future__ import annotations

from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from vdsim_msgs.msg import HighLevelControlCommand


class Planner(Node):
    """Publishes the same speed and curvature; your planning takes its place in `plan`.

    `options` are those of rclpy's Node: a container sets name, remappings and parameters with them.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("planner", **options)
        self._speed_mps = self.declare_parameter("speed_mps", 4.0).value
        self._radius_m = self.declare_parameter("radius_m", 20.0).value  # + to the left
        self._commands = self.create_publisher(
            HighLevelControlCommand, "/vehicle/high_level_command", 1
        )
        self.create_timer(0.05, self.plan)
        self.get_logger().info(f"planning a circle of {self._radius_m} m")

    def plan(self) -> None:
        """Publish one command."""
        command = HighLevelControlCommand()
        command.velocity_mps = self._speed_mps
        command.curvature = 1.0 / self._radius_m
        self._commands.publish(command)


def main() -> None:
    """Run until Ctrl-C."""
    rclpy.init()
    node = Planner()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
