"""A whole drive with recorded Joy messages through the real system: plant, interface, mux, teleop.

This measures a statement of docs/teleop.md: when the driver releases the gamepad, the car stops
within the distance that SafeStopParameters.stopping_distance_m gives for that speed.
"""

import unittest
from typing import Any

import launch_testing
import launch_testing.actions
import pytest
import rclpy
from vdsim_interface.arbitration.safe_stop import SafeStopParameters
from vdsim_interface.extras.doctor.ros.observer import Observer
from vdsim_interface.values import Gear, Mode
from vdsim_kit.endpoints import Permissions, endpoints_of, refused_in
from vdsim_kit.joy import JoyStack, TimedSample, load, xbox
from vdsim_kit.launch import shipped
from vdsim_kit.ports import free_ports
from workspace.secure.policy import Places

import launch
from vdsim_msgs.msg import SourceStatus

LB = 4  # the dead-man button of an Xbox pad
RELEASE_REACTION_S = 0.6
UNPLUG_REACTION_S = RELEASE_REACTION_S + 0.3  # no Joy for joy_timeout_s
A, RB = 0, 5
BACK, START = 6, 7
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
            lambda: bool(seen.speeds and seen.states and seen.control and cls.stack.joy_is_matched),
            "the system to run",
        )
        cls.stack.plug(PAD)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.stack.close()

    def test_1_a_whole_drive(self) -> None:
        stack, seen = self.stack, self.stack.seen
        stack.play(load("xbox_drive"))
        speeds = [speed for _, speed in seen.speeds]
        forwards, backwards = max(speeds), min(speeds)
        assert forwards > 3.0
        assert backwards < -0.5
        assert max(seen.angles_rad) > 0.1, "steered left"
        assert min(seen.angles_rad) < -0.1, "steered right"
        gears = [Gear.PARK, Gear.DRIVE, Gear.REVERSE, Gear.PARK]
        assert seen.sequence("gear") == gears
        modes = [mode for mode in seen.sequence("mode") if mode != Mode.NOT_READY]
        assert modes == [Mode.MANUAL, Mode.AUTONOMOUS, Mode.MANUAL]
        assert "gamepad" in {control.source for control in seen.control}
        assert abs(stack.speed) < 0.05

    def test_2_letting_go_of_the_dead_man_button_stops_the_car(self) -> None:
        samples = load("xbox_release")
        released = max(i for i, timed in enumerate(samples) if timed.sample.buttons[LB]) + 1
        self._drive_and_lose(samples[: released + 1], RELEASE_REACTION_S, samples[released + 1 :])

    def test_3_unplugging_stops_the_car(self) -> None:
        self._drive_and_lose(load("xbox_unplug"), UNPLUG_REACTION_S, ())

    def test_4_the_device_tells_that_it_is_gone(self) -> None:
        """The message about an unplugged joystick takes effect before the time-out."""
        samples = load("xbox_unplug")
        self._drive_and_lose(samples, RELEASE_REACTION_S, (), goodbye=True)

    def test_5_the_level_button_changes_the_command_level(self) -> None:
        """Disengaged, RB + A: from speed and curvature to acceleration and wheel angle.

        The car that was held at rest meanwhile is parked: DRIVE is requested again.
        """
        stack, seen = self.stack, self.stack.seen
        levels = {status.level for c in seen.control for status in c.sources}
        assert SourceStatus.LEVEL_VEHICLE not in levels
        lb, rb_a, back, start, gas, cross = {LB}, {LB, RB, A}, {LB, BACK}, {LB, START}, 5, 7
        stack.plug(PAD)
        stack.play(xbox((0.5, set(), {}), (1.0, lb, {}), (0.3, back, {}), (0.5, lb, {})))
        stack.play(xbox((0.2, rb_a, {}), (2.0, lb, {}), (0.3, start, {}), (1.0, lb, {})))
        stack.play(xbox((0.3, lb, {cross: 1.0}), (1.5, lb, {})))
        stack.play(xbox((3.0, lb, {gas: -0.5})))
        assert stack.speed > 1.0
        status = next(s for s in seen.control[-1].sources if s.name == "gamepad")
        assert status.level == SourceStatus.LEVEL_VEHICLE
        stack.play(xbox((5.0, set(), {})))
        stack.wait(lambda: abs(stack.speed) < 0.05, "the car to stop")

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

    def _drive_and_lose(
        self,
        samples: tuple[TimedSample, ...],
        reaction_s: float,
        afterwards: tuple[TimedSample, ...],
        goodbye: bool = False,
    ) -> None:
        stack, seen = self.stack, self.stack.seen
        stack.plug(PAD)
        lost_s = stack.play(samples)
        if goodbye:
            stack.plug("")
        speed = stack.speed
        assert speed > 3.0
        if afterwards:
            start_s = afterwards[0].time_s
            later = [TimedSample(t.time_s - start_s, t.sample) for t in afterwards]
            stack.play(tuple(later))
        stack.wait(lambda: abs(stack.speed) < 0.05, "the car to stop")
        stated_m = SafeStopParameters().stopping_distance_m(speed, reaction_s)
        measured_m = seen.distance_m(lost_s)
        print(f"from {speed:.2f} m/s: {measured_m:.2f} m, stated {stated_m:.2f} m")
        assert measured_m <= stated_m
        stack.wait(lambda: self._control_is_free(), "the mux to hold the car")

    def _control_is_free(self) -> bool:
        last: Any = self.stack.seen.control[-1]
        return last.source == ""


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """Ctrl-C ends everything cleanly."""

    def test_exit_codes(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
