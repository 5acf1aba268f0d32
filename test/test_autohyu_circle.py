"""AutoHYU's controllers, restated, drive the car over ROS topics, the bridge and UDP."""

from __future__ import annotations

import math
import unittest

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
import pytest
from launch_ros.actions import Node
from std_msgs.msg import Float32
from vdsim_kit.autohyu_stack import LongitudinalDouble, PurePursuitDouble, SeenState
from vdsim_kit.launch import shipped
from vdsim_kit.ports import free_ports
from vdsim_kit.spinning import SpinningNode

from autohyu_msgs.msg import VehicleCAN, VehicleState
from launch import LaunchDescription

SPEED_MPS, RADIUS_M = 12.0, 60.0
SPEED_LIMIT_MPS, TRACK_LIMIT_M = 0.3, 0.5
BEND_RAD = 0.25 * math.pi
PATIENCE_S = 180.0


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
        reference_point="rear_axle",
    )
    return LaunchDescription([plant, bridge, launch_testing.actions.ReadyToTest()])


def seen(message: VehicleState) -> SeenState:
    can = message.vehicle_can
    return SeenState(
        x_m=message.x,
        y_m=message.y,
        yaw_rad=message.yaw,
        pitch_rad=message.pitch,
        vx_mps=message.vx,
        vy_mps=message.vy,
        tire_angle_rad=can.steering_tire_angle,
        operation_mode=can.operation_mode,
        lateral_autonomous_mode=can.lateral_autonomous_mode,
        steering_state=can.steering_state,
    )


class Stack(SpinningNode):
    """Torque at 100 Hz, steering at 50 Hz, from the latest state; keeps what it drove."""

    def __init__(self) -> None:
        super().__init__("autohyu")
        self.speed, self.path = LongitudinalDouble(SPEED_MPS), PurePursuitDouble(RADIUS_M)
        self.state: VehicleState | None = None
        self.turned_rad = 0.0
        """While the car was on its speed and its path: a stall of the machine costs its moment.

        What the controllers hold when nothing stalls, test_autohyu_stack.py judges on virtual time.
        """
        topics = ("/app/con/gripped_torque", "/app/con/gripped_steer")
        self._torque, self._steer = (
            self._node.create_publisher(Float32, topic, 1) for topic in topics
        )
        self._node.create_subscription(VehicleState, "/app/loc/vehicle_state", self._on_state, 10)
        self._node.create_timer(0.01, self._drive)
        self._node.create_timer(0.02, self._turn)

    def _on_state(self, message: VehicleState) -> None:
        before, self.state = self.state, message
        off_path_m = abs(self.path.cross_track_m(seen(message)))
        is_off = abs(message.vx - SPEED_MPS) > SPEED_LIMIT_MPS or off_path_m > TRACK_LIMIT_M
        if before is not None and not is_off:
            step_rad = message.yaw - before.yaw
            self.turned_rad += math.atan2(math.sin(step_rad), math.cos(step_rad))

    def _drive(self) -> None:
        if self.state is not None:
            self._torque.publish(Float32(data=self.speed.torque_nm(seen(self.state))))

    def _turn(self) -> None:
        if self.state is not None:
            self._steer.publish(Float32(data=self.path.steer_deg(seen(self.state))))

    def _known(self) -> str:
        return f"{self.turned_rad:.2f} rad turned, {self.state and self.state.vehicle_can}"


class TestCircle(unittest.TestCase):
    """An eighth of a lap after the start-up; test_autohyu_stack.py drives laps on virtual time."""

    def test_a_bend_at_12_mps_on_the_circle(self) -> None:
        stack = Stack()
        try:
            stack.wait(lambda: stack.turned_rad > BEND_RAD, "an eighth of a lap", PATIENCE_S)
            assert stack.speed.faults_n == 0

            def turns() -> None:
                assert stack.state is not None
                assert stack.state.vehicle_can.steering_state == VehicleCAN.MDPS_ACTIVATE
                assert stack.state.vy < 0.0, "the rear axle slips outwards; the CG moves inwards"

            stack.shows(turns, "the state in the bend")
        finally:
            stack.close()


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After Ctrl-C."""

    def test_the_bridge_ends_cleanly(self, proc_info) -> None:
        launch_testing.asserts.assertExitCodes(proc_info, process="autohyu_bridge")
