"""The whole loop as a user runs it: launch file, plant, interface; each fail-safe is provoked."""

from __future__ import annotations

import os
import signal
import time
import unittest

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
import pytest
from launch_ros.actions import Node
from vdsim_kit.driving import AUTONOMOUS, DISENGAGED, Stack
from vdsim_kit.launch import shipped
from vdsim_kit.ports import free_ports

from launch import LaunchDescription
from vdsim_msgs.msg import VehicleStateCommand


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    command_port, state_port = free_ports(2)
    plant = Node(
        package="vdsim_plant_node",
        executable="plant",
        parameters=[{"cmd_port": command_port, "state_port": state_port, "http": "off"}],
        respawn=True,
        respawn_delay=5.0,  # a stalled test must see that it is gone
    )
    interface = shipped(
        "vdsim",
        plant="false",
        auto_engage="true",
        plant_port=command_port,
        state_port=state_port,
    )
    description = LaunchDescription([plant, interface, launch_testing.actions.ReadyToTest()])
    return description, {"plant": plant}


class TestDrive(unittest.TestCase):
    """One drive; the methods are its stages, run in the order of their names."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.stack = Stack()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.stack.close()

    def test_1_the_first_command_engages_and_the_car_reaches_its_speed(self) -> None:
        """[VI-4.1 on vds1] [VI-4.2 on vds1] [VI-4.3.1 on vds1]"""
        stack = self.stack
        stack.drive(6.0, 0.02)
        stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomous mode")
        stack.wait(lambda: abs(stack.speed - 6.0) < 0.3, "6 m/s")
        assert stack.odometry is not None
        assert stack.odometry.front_wheel_angle_rad == pytest.approx(0.02 * 2.97, abs=0.005)
        stack.wait(lambda: stack.link is not None and stack.link.alive, "a working link")

    def test_2_park_at_speed_is_refused_with_a_reason(self) -> None:
        """[VI-3.2 on vds1]"""
        stack = self.stack
        stack.request(gear=VehicleStateCommand.GEAR_PARK, autonomous=True)
        stack.wait(lambda: "gear_park_moving" in stack.rules(), "the refusal of PARK")
        stack.wait(lambda: bool(stack.safety and stack.safety.last_refusal_reason), "its reason")
        assert "PARK" in stack.rules()["gear_park_moving"]
        stack.spin(0.5)
        stack.wait(lambda: stack.speed > 4.0, "driving on")

    def test_3_silence_stops_the_car_holding_its_steering_with_hazards_on(self) -> None:
        stack = self.stack
        stack.request(gear=VehicleStateCommand.GEAR_DRIVE, autonomous=True)
        stack.drive(6.0, 0.02)
        stack.wait(lambda: stack.speed > 5.0, "speed again")
        stack.fall_silent()
        stack.wait(lambda: bool(stack.safety and stack.safety.command_timed_out), "the time-out")
        stack.wait(lambda: abs(stack.speed) < 0.05, "a stop")
        hazard = VehicleStateCommand.BLINKER_HAZARD
        stack.wait(lambda: stack.state is not None and stack.state.blinker == hazard, "hazards")
        assert stack.odometry is not None
        assert stack.odometry.front_wheel_angle_rad == pytest.approx(0.02 * 2.97, abs=0.01)

    def test_4_it_goes_on_when_commands_come_again(self) -> None:
        stack = self.stack
        stack.drive(5.0)
        stack.wait(lambda: stack.speed > 4.5, "speed after the time-out")

    def test_5_a_driver_takes_over_and_only_a_request_re_engages(self) -> None:
        """[VI-5.1 on vds1]"""
        stack = self.stack
        stack.override(True)

        def is_overridden() -> None:
            assert stack.mode == DISENGAGED
            assert stack.safety is not None
            assert "driver" in stack.safety.last_disengage_reason

        stack.shows(is_overridden, "the override")
        stack.spin(0.5)
        assert stack.mode == DISENGAGED, "commands alone do not re-engage"
        refused = stack.change_mode(True)
        assert not refused.success
        assert refused.reason
        stack.override(False)
        stack.wait(lambda: stack.change_mode(True).success, "an accepted request")
        stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomy again")
        stack.wait(lambda: stack.speed > 4.5, "speed after the override")

    def test_6_a_killed_plant_silences_the_reports_and_its_return_brings_them_back(
        self, proc_info, plant
    ) -> None:
        stack = self.stack
        os.kill(proc_info[plant].pid, signal.SIGKILL)
        stack.wait(lambda: bool(stack.safety and not stack.safety.vehicle_link_ok), "the alarm")
        assert stack.safety is not None
        assert "no report from the vehicle" in stack.safety.vehicle_link_reason
        stack.wait(lambda: time.monotonic() - stack.odometry_s > 0.2, "no stale odometry")
        stack.wait(
            lambda: bool(stack.state and stack.state.mode != AUTONOMOUS), "the end of autonomy"
        )
        stack.wait(lambda: bool(stack.safety and stack.safety.vehicle_link_ok), "the new plant")
        stack.wait(lambda: time.monotonic() - stack.odometry_s < 0.2, "odometry again")
        stack.wait(lambda: stack.change_mode(True).success, "an accepted request")
        stack.wait(lambda: stack.speed > 4.0, "speed with the new plant")


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After Ctrl-C."""

    def test_the_interface_ends_cleanly(self, proc_info) -> None:
        for process in ("vehicle_guard", "guarded_interface"):
            launch_testing.asserts.assertExitCodes(proc_info, process=process)
