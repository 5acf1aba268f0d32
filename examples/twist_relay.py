"""A relay to copy from: drives the car by the Twist messages that many stacks publish.

    ./ws ros2 launch vdsim_interface vdsim.launch.py
    ./ws python examples/twist_relay.py

It publishes one `vehicle/high_level_command` per `cmd_vel`. When the stack stops publishing, the
relay does, too, and the interface stops the car.
"""

from __future__ import annotations

import sys

import rclpy
from geometry_msgs.msg import Twist
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data

from vdsim_msgs.msg import HighLevelControlCommand

STANDSTILL_MPS = 0.05  # below it, the curvature of the path is undefined


def high_level(twist: Twist) -> HighLevelControlCommand:
    """Convert to the forward speed and the curvature that gives the commanded yaw rate."""
    speed_mps = twist.linear.x
    curvature = twist.angular.z / speed_mps if abs(speed_mps) > STANDSTILL_MPS else 0.0
    return HighLevelControlCommand(velocity_mps=speed_mps, curvature=curvature)


class TwistRelay(Node):
    """Subscribes to Twist, publishes high-level commands."""

    def __init__(self) -> None:
        super().__init__("twist_relay")
        commands = self.create_publisher(HighLevelControlCommand, "vehicle/high_level_command", 1)
        # A best-effort subscription matches reliable and best-effort publishers.
        self.create_subscription(
            Twist, "cmd_vel", lambda m: commands.publish(high_level(m)), qos_profile_sensor_data
        )
        self.get_logger().info("cmd_vel -> vehicle/high_level_command")


def main() -> int:
    """Relay until Ctrl-C."""
    rclpy.init()
    node = TwistRelay()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
