"""A whole drive by Joy messages through the real system: plant, interface, mux, teleop.

Recorded drives and the distance within which the car stops: test_gamepad_recordings.py.
"""

import time
import unittest
from typing import Any

import launch_testing
import launch_testing.actions
import pytest
import rclpy
from vdsim_interface.extras.doctor.ros.observer import Observer
from vdsim_interface.values import Gear, Mode
from vdsim_kit.endpoints import Permissions, endpoints_of, refused_in
from vdsim_kit.joy import HELD_S, JoyStack
from vdsim_kit.launch import shipped
from vdsim_kit.ports import free_ports
from vdsim_kit.spinning import PATIENCE_S
from workspace.secure.policy import Places

import launch
from vdsim_msgs.msg import SourceStatus

A, RB, BACK, START = 0, 5, 6, 7
WHEEL, BRAKE, GAS, CROSS = 0, 2, 5, 7
PAD = "Microsoft X-Box One pad"


@pytest.mark.launch_test
def generate_test_description() -> launch.LaunchDescription:
    """The shipped launch file; Joy comes from the test instead of a device."""
    plant_port, state_port = free_ports(2)
    system = shipped(
        "vdsim",
        teleop="gamepad",
        joy_dev="none",
        auto_engage="false",
        plant_port=plant_port,
        state_port=state_port,
    )
    return launch.LaunchDescription([system, launch_testing.actions.ReadyToTest()])


class TestDrive(unittest.TestCase):
    """The tests run in the order of their names and share the running system."""

    stack: JoyStack

    @classmethod
    def setUpClass(cls) -> None:
        cls.stack = JoyStack()
        seen = cls.stack.seen
        cls.stack.wait(
            lambda: bool(
                cls.stack.odometry and seen.states and seen.control and cls.stack.joy_is_matched
            ),
            "the system to run",
        )
        cls.stack.plug(PAD)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.stack.close()

    def test_1_a_whole_drive(self) -> None:
        stack = self.stack
        self._start_driving()
        assert "gamepad" in {control.source for control in stack.seen.control}
        stack.hold(lambda: stack.speed > 3.0, "the throttle", (), {GAS: -0.6})
        stack.hold(lambda: stack.angle_rad > 0.1, "steering left", (), {WHEEL: 1.0})
        stack.hold(lambda: stack.angle_rad < -0.1, "steering right", (), {WHEEL: -1.0})
        stack.hold(lambda: abs(stack.speed) < 0.05, "the brake", (), {BRAKE: -1.0})
        stack.hold(lambda: stack.gear == Gear.REVERSE, "reverse", (), {CROSS: -1.0})
        stack.hold(lambda: stack.speed < -0.5, "the throttle in reverse", (), {GAS: -0.6})
        stack.hold(lambda: abs(stack.speed) < 0.05, "the brake in reverse", (), {BRAKE: -1.0})
        stack.hold(lambda: stack.gear == Gear.PARK, "the gear PARK", {RB}, {CROSS: -1.0})
        stack.hold(lambda: stack.mode != Mode.AUTONOMOUS, "disengaging", {BACK})
        assert abs(stack.speed) < 0.05

    def test_2_letting_go_of_the_dead_man_button_stops_the_car(self) -> None:
        """The throttle stays pressed."""
        stack = self.stack
        self._drive_off()
        end_s = time.monotonic() + PATIENCE_S
        while not stack.show(self._stands, (HELD_S, (), {GAS: -0.6})):
            assert time.monotonic() < end_s, "the car to stop"
        self._is_free()

    def test_3_unplugging_stops_the_car(self) -> None:
        stack = self.stack
        self._drive_off()
        stack.wait(self._stands, "the car to stop")
        self._is_free()

    def test_4_the_device_tells_that_it_is_gone(self) -> None:
        stack = self.stack
        self._drive_off()
        stack.plug("")
        stack.wait(self._stands, "the car to stop")
        self._is_free()

    def test_5_the_level_button_changes_the_command_level(self) -> None:
        """Disengaged, RB + A: from speed and curvature to acceleration and wheel angle.

        The car that was held at rest meanwhile is parked: DRIVE is requested again.
        """
        stack = self.stack
        assert SourceStatus.LEVEL_VEHICLE not in {
            status.level for control in stack.seen.control for status in control.sources
        }
        stack.plug(PAD)
        stack.hold(lambda: stack.mode != Mode.AUTONOMOUS, "disengaging", {BACK})
        end_s = time.monotonic() + PATIENCE_S
        while self._level() != SourceStatus.LEVEL_VEHICLE:
            assert time.monotonic() < end_s, "the other level"
            stack.show(lambda: False, (0.3, (), {}), (0.2, {RB, A}, {}))
            stack.held(lambda: self._level() == SourceStatus.LEVEL_VEHICLE)
        self._drive_off(1.0)
        assert self._level() == SourceStatus.LEVEL_VEHICLE
        assert stack.show(lambda: self._stands(), (PATIENCE_S, (), {})), "the car to stop"

    def test_6_enclaves_allow_every_node_what_it_opens(self) -> None:
        assert not refused_in(self.stack.node)

    def test_7_a_viewers_enclave_is_enough_for_the_doctor(self) -> None:
        rclpy.init()
        observer = Observer()
        try:
            observer.settle(10.0)
            observer.receive(0.2)
            node = observer.node
            opened = endpoints_of(node, node.get_name(), node.get_namespace())
        finally:
            observer.close()
            rclpy.shutdown()
        assert "/vehicle/gamepad/high_level_command" in opened.subscribes
        assert not list(Permissions("viewer", Places()).refused(opened))

    def _start_driving(self) -> None:
        """Engage, and put a gear in: a car that was held at rest for long is parked."""
        stack = self.stack
        stack.plug(PAD)
        stack.hold(lambda: stack.mode == Mode.AUTONOMOUS, "engaging", {START})
        stack.hold(lambda: stack.gear == Gear.DRIVE, "the gear DRIVE", (), {CROSS: 1.0})

    def _drive_off(self, speed_mps: float = 3.0) -> None:
        """Drive with the throttle held, until the car is fast."""
        stack = self.stack
        self._start_driving()
        stack.hold(lambda: stack.speed > speed_mps, "the throttle", (), {GAS: -0.6})

    def _stands(self) -> bool:
        return abs(self.stack.speed) < 0.05

    def _is_free(self) -> None:
        control = self.stack.seen.control
        self.stack.wait(lambda: control[-1].source == "", "the mux to hold the car")

    def _level(self) -> int:
        """The level with which the gamepad commands."""
        sources = self.stack.seen.control[-1].sources
        return next((each.level for each in sources if each.name == "gamepad"), 0)


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """Ctrl-C ends everything cleanly."""

    def test_exit_codes(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
