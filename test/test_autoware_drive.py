"""A client that knows Autoware's messages alone drives the car through autoware.launch.py."""

from __future__ import annotations

import math
import unittest
from itertools import pairwise
from statistics import median

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
import pytest
from autoware_adapi_v1_msgs.msg import DoorStatusArray
from autoware_vehicle_msgs.msg import (
    ControlModeReport,
    Engage,
    HazardLightsCommand,
    TurnIndicatorsCommand,
)
from autoware_vehicle_msgs.srv import ControlModeCommand
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.qos import ReliabilityPolicy
from vdsim_kit.autoware import DRIVE, LATCHED, PARK, REVERSE, STATUS, Autoware
from vdsim_kit.endpoints import refused_in
from vdsim_kit.launch import shipped
from vdsim_kit.ports import free_ports

from launch import LaunchDescription

LEAST_RATE_HZ = 10.0
MODE = ControlModeCommand.Request


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    command_port, state_port = free_ports(2)
    car = shipped(
        "autoware",
        plant_port=command_port,
        state_port=state_port,
        dashboard="off",
        manual_control="true",
    )
    return LaunchDescription([car, launch_testing.actions.ReadyToTest()])


class TestAutowareDrives(unittest.TestCase):
    """One drive; the methods are its stages, run in the order of their names."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.autoware = Autoware()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.autoware.close()

    def test_01_the_first_commands_engage_and_the_car_stays_in_park(self) -> None:
        autoware = self.autoware
        autoware.drive(0.0, -2.0)
        autoware.wait(lambda: autoware.mode == MODE.AUTONOMOUS, "autonomous")
        autoware.wait(lambda: autoware.reported_gear is not None, "gear_status")
        assert autoware.reported_gear == PARK
        autoware.wait(lambda: not math.isnan(autoware.velocity), "velocity_status")
        assert abs(autoware.velocity) < 0.05
        assert autoware.status("velocity_status").header.frame_id == "base_link"

    def test_02_every_status_has_the_qos_of_the_pages(self) -> None:
        autoware = self.autoware
        doors = "/vehicle/doors/status"
        for name, (kind, durability) in {**STATUS, doors: (DoorStatusArray, LATCHED)}.items():
            autoware.wait(lambda name=name: autoware.endpoints(name), f"a publisher of {name}")
            [endpoint] = autoware.endpoints(name)
            assert endpoint.qos_profile.reliability == ReliabilityPolicy.RELIABLE, name
            assert endpoint.qos_profile.durability == durability, name
            package, _, word = kind.__module__.partition(".")
            assert endpoint.topic_type == f"{package}/{word.split('.')[0]}/{kind.__name__}"

    def test_03_it_drives_a_bend_and_every_status_comes_at_its_rate(self) -> None:
        autoware = self.autoware
        autoware.gear = DRIVE
        autoware.wait(lambda: autoware.reported_gear == DRIVE, "gear DRIVE")
        autoware.drive(6.0, 1.0, 0.2)
        autoware.wait(lambda: autoware.velocity > 5.0, "5 m/s")
        autoware.heading_rad = 0.0
        for stamps in autoware.stamps.values():
            stamps.clear()
        autoware.wait(lambda: autoware.heading_rad > 0.5 * math.pi, "a bend to the left")
        assert autoware.status("steering_status").steering_tire_angle == pytest.approx(
            0.2, abs=0.01
        )
        assert autoware.velocity < 7.2, "the velocity bounds the acceleration"
        for name, stamps in autoware.stamps.items():
            distances = [after - before for before, after in pairwise(stamps)]
            assert median(distances) <= 1.05 / LEAST_RATE_HZ, name

    def test_04_a_gear_that_is_not_safe_is_ignored_with_the_reason(self) -> None:
        autoware = self.autoware
        autoware.gear = REVERSE
        autoware.wait(
            lambda: autoware.says("gear_cmd", DiagnosticStatus.WARN, "REVERSE refused"),
            "the reason of the ignored gear",
        )
        assert autoware.reported_gear == DRIVE
        autoware.gear = 99
        autoware.wait(
            lambda: autoware.says("gear_cmd", DiagnosticStatus.ERROR, "99 ignored: is undefined"),
            "the error of the undefined gear",
        )
        assert autoware.reported_gear == DRIVE
        autoware.wait(lambda: autoware.velocity > 4.0, "driving on")
        autoware.gear = DRIVE

    def test_05_hazard_lights_outrank_the_indicators(self) -> None:
        autoware = self.autoware
        turn = autoware.topics["/control/command/turn_indicators_cmd"]
        hazard = autoware.topics["/control/command/hazard_lights_cmd"]
        turn.publish(TurnIndicatorsCommand(command=TurnIndicatorsCommand.ENABLE_LEFT))
        autoware.wait(lambda: autoware.status("turn_indicators_status").report == 2, "left")
        hazard.publish(HazardLightsCommand(command=HazardLightsCommand.ENABLE))
        autoware.wait(lambda: autoware.status("hazard_lights_status").report == 2, "hazard")
        autoware.wait(lambda: autoware.status("turn_indicators_status").report == 1, "no left")
        hazard.publish(HazardLightsCommand(command=HazardLightsCommand.DISABLE))
        autoware.wait(lambda: autoware.status("turn_indicators_status").report == 2, "left again")

    def test_06_a_value_out_of_range_is_clamped_and_named(self) -> None:
        autoware = self.autoware
        autoware.drive(6.0, 9.0, 0.1)
        autoware.wait(
            lambda: autoware.says("control_cmd", DiagnosticStatus.WARN, "acceleration=9"),
            "the clamped acceleration",
        )
        autoware.drive(6.0, 1.0, 0.1)

    def test_07_a_partial_mode_needs_the_other_group_and_then_takes_it(self) -> None:
        autoware = self.autoware
        assert not autoware.request(MODE.AUTONOMOUS_STEER_ONLY), "nobody drives the speed"
        assert not autoware.request(99)
        autoware.manual = (2.0, -0.3)
        autoware.spin(0.3)
        autoware.wait(lambda: autoware.request(MODE.AUTONOMOUS_STEER_ONLY), "steer only")
        autoware.wait(lambda: autoware.mode == MODE.AUTONOMOUS_STEER_ONLY, "the mode")
        autoware.wait(lambda: autoware.velocity < 3.0, "the speed of the person")
        assert autoware.status("steering_status").steering_tire_angle > 0.05
        autoware.wait(lambda: autoware.request(MODE.AUTONOMOUS), "autonomous")
        autoware.wait(lambda: autoware.velocity > 5.0, "the speed of Autoware")
        autoware.manual = None

    def test_08_without_engage_the_car_stops_and_still_steers(self) -> None:
        autoware = self.autoware
        engage = autoware.topics["/vehicle/engage"]
        engage.publish(Engage(engage=False))
        autoware.steer_rad = -0.1
        autoware.wait(lambda: abs(autoware.velocity) < 0.05, "standstill")
        angle_rad = autoware.status("steering_status").steering_tire_angle
        assert angle_rad == pytest.approx(-0.1, abs=0.02)
        autoware.wait(lambda: autoware.mode == MODE.AUTONOMOUS, "the mode")
        engage.publish(Engage(engage=True))
        autoware.wait(lambda: autoware.velocity > 4.0, "driving again")

    def test_09_a_silent_stack_is_an_emergency_stop_with_the_steering_held(self) -> None:
        autoware = self.autoware
        angle_rad = autoware.status("steering_status").steering_tire_angle
        autoware.is_silent = True
        autoware.wait(lambda: abs(autoware.velocity) < 0.05, "standstill")
        held_rad = autoware.status("steering_status").steering_tire_angle
        assert held_rad == pytest.approx(angle_rad, abs=0.01)
        autoware.wait(lambda: autoware.mode == ControlModeReport.DISENGAGED, "disengaged")
        autoware.wait(
            lambda: autoware.says("control_cmd", DiagnosticStatus.ERROR, "rate too low"),
            "the rate in the diagnostics",
        )
        mode = "/vehicle/vehicle_interface: mode"
        autoware.wait(
            lambda: (
                mode in autoware.diagnostics
                and autoware.diagnostics[mode].message.startswith("DISENGAGED: ")
            ),
            "the reason of the interface in the diagnostics",
        )
        autoware.is_silent = False
        autoware.wait(lambda: autoware.velocity > 2.0, "driving again, from PARK")

    def test_10_it_drives_backward_in_reverse(self) -> None:
        autoware = self.autoware
        autoware.drive(0.0, -2.0)
        autoware.wait(lambda: abs(autoware.velocity) < 0.05, "standstill")
        autoware.gear = REVERSE
        autoware.wait(lambda: autoware.reported_gear == REVERSE, "gear REVERSE")
        autoware.drive(-3.0, 1.0)
        autoware.wait(lambda: autoware.velocity < -1.5, "backward")
        autoware.drive(0.0, -2.0)
        autoware.wait(lambda: abs(autoware.velocity) < 0.05, "standstill")

    def test_11_in_manual_the_person_drives(self) -> None:
        autoware = self.autoware
        autoware.gear = DRIVE
        autoware.wait(lambda: autoware.reported_gear == DRIVE, "gear DRIVE")
        assert autoware.request(MODE.MANUAL)
        autoware.wait(lambda: autoware.mode == MODE.MANUAL, "manual")
        autoware.manual = (2.0, 0.0)
        autoware.wait(lambda: autoware.velocity > 1.5, "the speed of the person")

    def test_12_enclaves_allow_every_node_what_it_opens(self) -> None:
        assert not refused_in(self.autoware.node)


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    """After the shutdown."""

    def test_every_process_ended_well(self, proc_info) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
