"""examples/twist_relay.py drives the car by Twist messages alone."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
import pytest
from geometry_msgs.msg import Twist
from launch.actions import ExecuteProcess
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.launch import shipped
from vdsim_kit.ports import free_ports

from launch import LaunchDescription

PROGRAM = Path(__file__).resolve().parents[1] / "examples/twist_relay.py"
WHEELBASE_M = 2.97


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    command_port, state_port = free_ports(2)
    car = shipped("vdsim", dashboard="off", plant_port=command_port, state_port=state_port)
    relay = ExecuteProcess(cmd=[sys.executable, str(PROGRAM)], name="twist_relay")
    return LaunchDescription([car, relay, launch_testing.actions.ReadyToTest()])


class Twisting(Stack):
    """A stack that publishes only Twist."""

    def __init__(self) -> None:
        super().__init__()
        self._twist = self._node.create_publisher(Twist, "/cmd_vel", 1)

    def twist(self, speed_mps: float, yaw_rate_radps: float) -> None:
        """Publish this from now on."""
        message = Twist()
        message.linear.x, message.angular.z = speed_mps, yaw_rate_radps
        self._command = (self._twist, message)

    def turns(self, wheel_angle_rad: float) -> bool:
        """Whether the front wheels have this angle."""
        odometry = self.odometry
        return odometry is not None and abs(odometry.front_wheel_angle_rad - wheel_angle_rad) < 0.01


class TestTwistRelay(unittest.TestCase):
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

    def test_2_a_zero_twist_stops_it_with_straight_wheels(self) -> None:
        stack = self.stack
        stack.twist(0.0, 0.2)
        stack.wait(lambda: abs(stack.speed) < 0.02, "standstill")
        stack.wait(lambda: stack.turns(0.0), "straight wheels")

    def test_3_backwards_the_yaw_rate_keeps_its_sign(self) -> None:
        stack = self.stack
        stack.twist(-2.0, 0.1)
        stack.wait(lambda: abs(stack.speed + 2.0) < 0.2, "2 m/s backwards")
        stack.wait(lambda: stack.turns(-0.1 / 2.0 * WHEELBASE_M), "wheels to the right")

    def test_4_silence_stops_the_car(self) -> None:
        stack = self.stack
        stack.fall_silent()
        stack.wait(lambda: abs(stack.speed) < 0.02, "standstill")


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    """After the shutdown."""

    def test_everything_ended_well(self, proc_info) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
