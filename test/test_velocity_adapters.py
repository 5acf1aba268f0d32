"""twist_adapter and ackermann_adapter drive the car by messages of other conventions alone."""

from __future__ import annotations

import math
import unittest

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
import pytest
from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import Twist
from launch_ros.actions import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.launch import shipped
from vdsim_kit.ports import free_ports

from launch import LaunchDescription
from vdsim_msgs.msg import MotionLimits

WHEELBASE_M = 2.97


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    command_port, state_port = free_ports(2)
    car = shipped("vdsim", dashboard="off", plant_port=command_port, state_port=state_port)
    twist = Node(package="vdsim_interface", executable="twist_adapter")
    stamped = [{"stamped": True}]
    ackermann = Node(package="vdsim_interface", executable="ackermann_adapter", parameters=stamped)
    return LaunchDescription([car, twist, ackermann, launch_testing.actions.ReadyToTest()])


class Twisting(Stack):
    """A stack that publishes Twist and AckermannDriveStamped, and nothing of ours."""

    def __init__(self) -> None:
        super().__init__()
        self._twist = self._node.create_publisher(Twist, "/cmd_vel", 1)
        self._drive = self._node.create_publisher(AckermannDriveStamped, "/ackermann_cmd", 1)
        self.limits: MotionLimits | None = None
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._node.create_subscription(
            MotionLimits, "/twist_adapter/limits", self._on_limits, latched
        )

    def _on_limits(self, message: MotionLimits) -> None:
        self.limits = message

    def drive(self, speed_mps: float, wheel_angle_rad: float) -> None:
        """Publish an AckermannDriveStamped from now on."""
        message = AckermannDriveStamped()
        message.drive.speed, message.drive.steering_angle = speed_mps, wheel_angle_rad
        self._command = (self._drive, message)

    def twist(self, speed_mps: float, yaw_rate_radps: float) -> None:
        """Publish this from now on."""
        message = Twist()
        message.linear.x, message.angular.z = speed_mps, yaw_rate_radps
        self._command = (self._twist, message)

    def turns(self, wheel_angle_rad: float) -> bool:
        """Whether the front wheels have this angle."""
        odometry = self.odometry
        return odometry is not None and abs(odometry.front_wheel_angle_rad - wheel_angle_rad) < 0.01


class TestVelocityAdapters(unittest.TestCase):
    """One drive; the methods are its stages, run in the order of their names."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.stack = Twisting()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.stack.close()

    def test_1_the_car_drives_and_turns_as_the_twist_says(self) -> None:
        stack = self.stack
        stack.twist(4.0, 0.2)
        stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomous mode")
        stack.wait(lambda: abs(stack.speed - 4.0) < 0.2, "4 m/s")
        stack.wait(lambda: stack.turns(0.2 / 4.0 * WHEELBASE_M), "wheels to the left")

    def test_2_turning_on_the_spot_stops_it_and_is_refused_with_the_reason(self) -> None:
        stack = self.stack
        stack.twist(0.0, 0.2)
        stack.wait(lambda: abs(stack.speed) < 0.02, "standstill")
        stack.wait(lambda: stack.limits and stack.limits.refusal, "the reason")
        assert "does not turn on the spot" in stack.limits.refusal
        assert stack.limits.curvature_max_1pm == pytest.approx(math.tan(0.55) / WHEELBASE_M)
        # The car stands, and drives on with the next command.
        stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomous mode")

    def test_3_backwards_the_yaw_rate_keeps_its_sign(self) -> None:
        stack = self.stack
        stack.twist(-2.0, 0.1)
        stack.wait(lambda: abs(stack.speed + 2.0) < 0.2, "2 m/s backwards")
        stack.wait(lambda: stack.turns(-0.1 / 2.0 * WHEELBASE_M), "wheels to the right")

    def test_4_an_ackermann_drive_gives_the_wheel_angle(self) -> None:
        stack = self.stack
        stack.twist(0.0, 0.0)
        stack.wait(lambda: abs(stack.speed) < 0.02, "standstill")
        stack.drive(3.0, 0.1)
        stack.wait(lambda: abs(stack.speed - 3.0) < 0.2, "3 m/s")
        stack.wait(lambda: stack.turns(0.1), "wheels to the left")

    def test_5_silence_stops_the_car(self) -> None:
        stack = self.stack
        stack.fall_silent()
        stack.wait(lambda: abs(stack.speed) < 0.02, "standstill")


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    """After the shutdown."""

    def test_everything_ended_well(self, proc_info) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
