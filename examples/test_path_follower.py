"""A launch test to copy from: the path follower drives the simulated car and is checked.

    ROS_DOMAIN_ID=42 ./ws launch_test examples/test_path_follower.py

Car, interface and the program under test run as separate processes, as in a vehicle; the test
subscribes to their topics. A separate domain isolates it from other programs on the machine.
"""

import math
import sys
import time
import unittest
from itertools import pairwise
from pathlib import Path

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
import rclpy
from launch.actions import ExecuteProcess, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare
from nav_msgs.msg import Odometry
from rclpy.qos import qos_profile_sensor_data

from launch import LaunchDescription
from vdsim_msgs.msg import SafetyStatus, VehicleStateReport

PROGRAM = Path(__file__).with_name("path_follower.py")
STILL_S = 60.0  # the car starts, or moves on, within this time: also on a busy machine
TOLERATED_M = 0.6


@pytest.mark.launch_test
def generate_test_description():
    """The car with its interface, and the program under test."""
    launch_file = PathJoinSubstitution(
        [FindPackageShare("vdsim_interface"), "launch", "vdsim.launch.py"]
    )
    car = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(launch_file),
        launch_arguments={
            "friction": "0.9",
            "dashboard": "off",
            "plant_port": "6921",
            "state_port": "6922",
        }.items(),
    )
    follower = ExecuteProcess(cmd=[sys.executable, str(PROGRAM)], name="path_follower")
    ready = launch_testing.actions.ReadyToTest()
    return LaunchDescription([car, follower, ready]), {"follower": follower}


def printed(proc_output, process):
    """Everything that a process has written; empty also before it has started."""
    try:
        return "".join(str(output.text, "utf-8") for output in proc_output[process])
    except KeyError:
        return ""


class TestDrive(unittest.TestCase):
    """While everything runs."""

    def setUp(self):
        """Subscribe to the car's own odometry, not to the program's report of its work."""
        rclpy.init()
        self.node = rclpy.create_node("judge")
        self.track = []
        self.modes = []
        self.node.create_subscription(
            Odometry, "/plant/odom", self.on_odometry, qos_profile_sensor_data
        )
        self.node.create_subscription(
            SafetyStatus, "/vehicle/safety_status", lambda m: self.modes.append(m.mode), 10
        )

    def tearDown(self):
        """Shut ROS down."""
        self.node.destroy_node()
        rclpy.shutdown()

    def on_odometry(self, message):
        """Record the car's position."""
        position = message.pose.pose.position
        self.track.append((position.x, position.y))

    def test_the_car_stays_on_the_path_to_its_end(self, proc_output, proc_info, follower):
        """The car drives the whole figure and stays close to it."""
        moved, at = time.monotonic(), (0.0, 0.0)
        while "arrived" not in printed(proc_output, follower):
            assert time.monotonic() - moved < STILL_S, "the path was not driven to its end"
            rclpy.spin_once(self.node, timeout_sec=0.1)
            if self.track and math.dist(self.track[-1], at) > 0.5:
                moved, at = time.monotonic(), self.track[-1]
        proc_info.assertWaitForShutdown(follower, timeout=10.0)
        assert VehicleStateReport.MODE_AUTONOMOUS in self.modes
        assert sum(math.dist(a, b) for a, b in pairwise(self.track)) > 140.0
        for x, y in self.track:
            from_circles = min(abs(math.hypot(x, y - side) - 12.0) for side in (12.0, -12.0))
            assert from_circles < TOLERATED_M, f"at {x:.1f}, {y:.1f}"


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    """After the shutdown."""

    def test_everything_ended_well(self, proc_info):
        """No process failed, neither the program nor the car."""
        launch_testing.asserts.assertExitCodes(proc_info)
