"""AutoHYU's topics drive the car through the bridge; each fail-safe is provoked."""

from __future__ import annotations

import math
import os
import signal
import unittest

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
import pytest
from launch_ros.actions import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Float32
from vdsim_kit.endpoints import refused_in
from vdsim_kit.launch import shipped
from vdsim_kit.ports import free_ports
from vdsim_kit.spinning import SpinningNode

from autohyu_msgs.msg import Reference, VehicleCAN, VehicleState
from launch import LaunchDescription

MANUAL, AUTONOMOUS, FAIL = range(3)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    command_port, state_port = free_ports(2)
    plant = Node(
        package="vdsim_plant_node",
        executable="plant",
        parameters=[{"cmd_port": command_port, "state_port": state_port, "http": "off"}],
    )
    bridge = shipped(
        "autohyu",
        plant="false",
        plant_port=command_port,
        state_port=state_port,
        ref_lat_deg=37.5,
        ref_lon_deg=127.0,
        filtered="first_order",
    )
    description = LaunchDescription([plant, bridge, launch_testing.actions.ReadyToTest()])
    return description, {"plant": plant}


class Controller(SpinningNode):
    """The topics of AutoHYU's control stack that the bridge uses."""

    def __init__(self) -> None:
        super().__init__("autohyu")
        self.commands: dict[str, float] = {}
        self.state: VehicleState | None = None
        self.filtered: VehicleState | None = None
        self.reference: Reference | None = None
        self.states_n = 0
        self._topics = {
            name: self._node.create_publisher(Float32, f"/app/con/gripped_{name}", 1)
            for name in ("steer", "torque", "accel")
        }
        subscribe = self._node.create_subscription
        subscribe(VehicleState, "/app/loc/vehicle_state", self._on_state, 10)
        subscribe(VehicleState, "/app/loc/vehicle_state_filtered", self._on_filtered, 10)
        subscribe(Reference, "/app/loc/reference_point", self._on_reference, LATCHED)
        self._node.create_timer(0.02, self._publish)

    def _publish(self) -> None:
        for name, value in self.commands.items():
            self._topics[name].publish(Float32(data=value))

    def _on_state(self, message: VehicleState) -> None:
        self.state = message
        self.states_n += 1

    def _on_filtered(self, message: VehicleState) -> None:
        self.filtered = message

    def _on_reference(self, message: Reference) -> None:
        self.reference = message

    @property
    def mode(self) -> int | None:
        return self.state.vehicle_can.operation_mode if self.state else None

    @property
    def speed(self) -> float:
        return self.state.vx if self.state else math.nan

    def _known(self) -> str:
        return f"{self.state and (self.state.vx, self.state.vehicle_can)}"


class TestAutohyu(unittest.TestCase):
    """One drive; the methods are its stages, run in the order of their names."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.stack = Controller()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.stack.close()

    def test_1_before_the_first_torque_the_brake_holds(self) -> None:
        stack = self.stack
        stack.wait(lambda: stack.mode == MANUAL, "the state of a waiting car")
        assert stack.state is not None
        assert stack.state.vehicle_can.brake_pressure == 100.0
        assert stack.state.vehicle_can.gear_select == 5
        stack.wait(lambda: stack.reference is not None, "the latched reference point")
        assert stack.reference is not None
        assert stack.reference.projection == "local_cartesian"
        assert stack.reference.wgs84.latitude == 37.5
        assert stack.state.gnss.latitude == pytest.approx(37.5, abs=1e-6)
        assert stack.state.reference == stack.reference

    def test_2_a_step_of_torque_accelerates_the_car(self) -> None:
        stack = self.stack
        stack.commands = {"steer": 0.0, "torque": 1600.0}
        stack.wait(lambda: stack.speed > 6.0, "speed")

        def accelerates() -> None:
            assert stack.state is not None
            can = stack.state.vehicle_can
            assert can.operation_mode == AUTONOMOUS
            assert (can.lateral_autonomous_mode, can.longitudinal_autonomous_mode) == (1, 1)
            assert can.steering_state == VehicleCAN.MDPS_ACTIVATE
            assert can.brake_active == 0
            assert 20.0 < can.accel_position < 40.0
            # 1600 N m at 0.338 m on 2359 kg, less rolling resistance and drag.
            assert stack.state.ax == pytest.approx(1.9, abs=0.25)
            assert can.longitudinal_accel == stack.state.ax
            assert can.motor_torque_total == pytest.approx(1600.0, rel=0.1)
            assert can.wheel_velocity_avg == pytest.approx(stack.state.vx, rel=0.05)

        stack.shows(accelerates, "the acceleration of the torque")

    def test_3_a_step_of_steer_turns_the_car_left(self) -> None:
        stack = self.stack
        stack.commands = {"steer": 3.0, "torque": 300.0}
        angle = math.radians(3.0)

        def turns() -> None:
            assert stack.state is not None
            assert stack.state.yaw_vel > 0.05
            can = stack.state.vehicle_can
            assert can.steering_tire_angle == pytest.approx(angle, abs=1e-3)
            assert can.steering_wheel_angle == pytest.approx(14.0 * angle, abs=0.02)
            assert can.yaw_rate == stack.state.yaw_vel
            assert can.lateral_accel == stack.state.ay
            assert stack.state.ay > 0.0

        stack.shows(turns, "a left turn")
        stack.wait(lambda: stack.filtered is not None, "the filtered state")

    def test_4_negative_torque_brakes_with_the_cubic(self) -> None:
        stack = self.stack
        stack.commands = {"steer": 0.0, "torque": -4650.0}

        def brakes() -> None:
            assert stack.state is not None
            assert stack.state.vehicle_can.brake_active
            assert stack.state.vehicle_can.brake_pressure == pytest.approx(59.8, abs=0.1)

        stack.shows(brakes, "the brake")
        stack.wait(lambda: abs(stack.speed) < 0.05, "a stop")

    def test_5_silent_topics_and_bad_numbers_mark_the_mode(self) -> None:
        stack = self.stack
        stack.commands = {"steer": 2.0, "torque": math.nan}

        def fails_and_brakes() -> None:
            assert stack.mode == FAIL
            assert stack.state is not None
            assert stack.state.vehicle_can.brake_pressure == 100.0

        stack.shows(fails_and_brakes, "the mode of a bad torque")
        stack.commands = {"steer": 2.0, "torque": 500.0}
        stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomy again")

        def steers() -> None:
            assert stack.state is not None
            angle = stack.state.vehicle_can.steering_tire_angle
            assert angle == pytest.approx(math.radians(2.0), abs=1e-3)

        stack.shows(steers, "the steering")
        stack.commands = {}
        stack.wait(lambda: stack.mode == FAIL, "the mode without commands")
        steers()

    def test_5b_enclaves_allow_every_node_what_it_opens(self) -> None:
        assert not refused_in(self.stack.node)

    def test_6_a_killed_plant_marks_the_mode_and_the_stamps_stand_still(
        self, proc_info, plant
    ) -> None:
        stack = self.stack
        stack.commands = {"steer": 0.0, "torque": 500.0}
        stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomy again")
        os.kill(proc_info[plant].pid, signal.SIGKILL)

        def is_lost() -> None:
            """Other than FAIL of a stale command, which a busy machine brings too."""
            assert stack.mode == FAIL
            assert stack.state is not None
            assert stack.state.vehicle_can.steering_state == VehicleCAN.MDPS_ERROR

        stack.shows(is_lost, "the mode of a lost vehicle")
        assert stack.state is not None
        stamp, count = stack.state.header.stamp, stack.states_n
        stack.wait(lambda: stack.states_n > count + 20, "the state going on")
        assert stack.state.header.stamp == stamp
        is_lost()


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After Ctrl-C."""

    def test_the_bridge_ends_cleanly(self, proc_info) -> None:
        launch_testing.asserts.assertExitCodes(proc_info, process="autohyu_bridge")
