"""The planning simulator's node by its topics, on /clock."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import rclpy
from autoware_control_msgs.msg import Control
from autoware_planning_msgs.msg import Trajectory, TrajectoryPoint
from autoware_vehicle_msgs.msg import GearCommand, GearReport, SteeringReport, VelocityReport
from autoware_vehicle_msgs.srv import ControlModeCommand
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import (
    AccelWithCovarianceStamped,
    PoseWithCovarianceStamped,
    TwistStamped,
)
from rcl_interfaces.msg import Log
from sensor_msgs.msg import Imu
from tf2_msgs.msg import TFMessage
from vdsim_autoware.nodes.planning_simulator import PlanningSimulatorNode
from vdsim_autoware.ros import topics
from vdsim_autoware_kit.node_loop import NodeLoop, words
from vdsim_autoware_kit.parameter_sets import (
    BY_ACTUATION,
    BY_CONTROL,
    VEHICLE_INFO,
    parameter_set,
)
from vdsim_interface.parameters import ParameterError

from vdsim_msgs.msg import CommandTrace

TIER4: Any = import_module("tier4_vehicle_msgs.msg")
DRIVE, REVERSE = GearCommand.DRIVE, GearCommand.REVERSE
Start = Callable[..., NodeLoop]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    loops: list[NodeLoop] = []

    def make(model: str = "DELAY_STEER_ACC_GEARED", **changes: Any) -> NodeLoop:
        loops.append(NodeLoop(model, tmp_path, **changes))
        return loops[-1]

    yield make
    for loop in loops:
        loop.close()


def control(travel: float, steer_rad: float = 0.0) -> Control:
    message = Control()
    message.lateral.steering_tire_angle = steer_rad
    message.longitudinal.velocity = 5.0 * travel
    message.longitudinal.acceleration = 5.0
    return message


def actuation(steer: float) -> Any:
    message = TIER4.ActuationCommandStamped()
    message.actuation.accel_cmd, message.actuation.steer_cmd = 0.5, steer
    return message


@pytest.mark.parametrize("model", [*BY_CONTROL, *BY_ACTUATION])
def test_autowares_own_drives_by_topics(model: str, start: Start) -> None:
    loop = start(model)
    is_pedals = model in BY_ACTUATION
    pedals = loop.probe.create_publisher(TIER4.ActuationCommandStamped, topics.ACTUATION, 1)
    for gear, travel in ((DRIVE, 1.0), (REVERSE, -1.0)):
        loop.put()
        loop.steps(10, loop.gear, GearCommand(command=gear))
        if is_pedals:
            loop.steps(150, pedals, actuation(20.0 * travel))
        else:
            loop.steps(150, loop.control, control(travel, 0.2 * travel))
        assert loop.odometry is not None
        position = loop.odometry.pose.pose.position
        assert travel * position.x > 1.0
        assert travel * position.y > 0.1


def test_before_the_first_pose_only_the_control_mode_is_published(start: Start) -> None:
    loop = start()
    gears: list[GearReport] = []
    loop.listen(GearReport, topics.GEAR_REPORT, gears.append)
    loop.go_until(lambda: loop.mode is not None, "the control mode")
    loop.steps(50)
    assert loop.mode is not None
    assert loop.mode.mode == 1
    assert (loop.odometry, gears) == (None, [])
    loop.put(2.0, 3.0, 1.0)
    loop.go_until(lambda: gears, "the gear")
    assert gears[-1].report == GearReport.PARK


def test_every_topic_has_the_frames_and_values_of_the_rear_axle(start: Start) -> None:
    loop = start("vdsim_l2", origin_frame_id="map")
    latest: dict[str, Any] = {}
    for kind, name in (
        (PoseWithCovarianceStamped, topics.POSE),
        (VelocityReport, topics.TWIST),
        (AccelWithCovarianceStamped, topics.ACCELERATION),
        (Imu, topics.IMU),
        (SteeringReport, topics.STEERING),
        (TFMessage, topics.TF),
        (CommandTrace, topics.COMMAND_TRACE),
    ):
        loop.listen(kind, name, lambda message, name=name: latest.__setitem__(name, message))
    loop.put()
    loop.steps(10, loop.gear, GearCommand(command=DRIVE))
    loop.steps(200, loop.control, control(1.0, 0.1))
    loop.go_until(lambda: len(latest) == 7, "all topics", publisher=loop.control,
                  message=control(1.0, 0.1))  # fmt: skip
    odometry = loop.odometry
    assert odometry is not None
    assert (odometry.header.frame_id, odometry.child_frame_id) == ("map", "base_link")
    assert odometry.twist.twist.linear.x > 5.0
    assert latest[topics.TWIST].heading_rate > 0.1
    assert latest[topics.STEERING].steering_tire_angle == pytest.approx(0.1, abs=0.02)
    accel = latest[topics.ACCELERATION]
    assert accel.accel.accel.linear.x == pytest.approx(5.0, abs=1.0)
    assert accel.accel.covariance[0] == 0.001
    assert latest[topics.POSE].pose.covariance[0] == 0.0225
    assert latest[topics.IMU].header.frame_id == "base_link"
    [transform] = latest[topics.TF].transforms
    assert (transform.header.frame_id, transform.child_frame_id) == ("map", "base_link")
    turn = odometry.pose.pose.orientation
    assert 2.0 * math.atan2(turn.z, turn.w) > 0.1
    assert latest[topics.COMMAND_TRACE].level == "vehicle"


def test_a_mode_is_answered_and_a_partial_one_refused(start: Start) -> None:
    loop = start()
    loop.put()
    client = loop.probe.create_client(ControlModeCommand, topics.MODE_REQUEST)
    loop.until(client.service_is_ready, "the service")
    answers = {}
    for mode in (2, 3, 4, 1):
        asked = client.call_async(ControlModeCommand.Request(mode=mode))
        loop.until(asked.done, "the answer")
        answers[mode] = asked.result().success
    assert answers == {2: False, 3: False, 4: True, 1: True}


def test_a_speed_and_a_trajectory_are_taken_and_wrong_ones_are_named(start: Start) -> None:
    loop = start()
    lines: list[str] = []
    loop.listen(Log, "/rosout", lambda message: lines.append(message.msg))
    twist = loop.probe.create_publisher(TwistStamped, topics.INITIAL_TWIST, 1)
    way = loop.probe.create_publisher(Trajectory, topics.TRAJECTORY, 1)
    message = TwistStamped()
    message.twist.linear.x = 6.0

    def said(text: str) -> Callable[[], bool]:
        return lambda: any(text in line for line in lines)

    loop.go_until(said("no initial pose"), "a warning", publisher=twist, message=message)
    loop.put()
    elsewhere = PoseWithCovarianceStamped()
    elsewhere.header.frame_id = "earth"
    loop.go_until(said("frame earth"), "a warning", publisher=loop.pose, message=elsewhere)
    loop.go_until(lambda: loop.odometry.twist.twist.linear.x > 5.0, "6 m/s", publisher=twist,
                  message=message)  # fmt: skip
    trajectory = Trajectory()
    for index in range(3):
        point = TrajectoryPoint()
        point.pose.position.x, point.pose.position.z = 10.0 * index, 7.0
        trajectory.points.append(point)
    loop.go_until(lambda: loop.odometry.pose.pose.position.z == 7.0, "the height", publisher=way,
                  message=trajectory)  # fmt: skip


def test_diagnostics_name_what_does_not_arrive(start: Start) -> None:
    loop = start()
    lines: dict[str, str] = {}
    loop.listen(
        DiagnosticArray,
        "/diagnostics",
        lambda message: lines.update({s.name: s.message for s in message.status}),
    )
    loop.go_until(lambda: any("waits for one" in text for text in lines.values()), "a line")
    assert any("nothing was received yet" in text for text in lines.values())


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"vehicle_model_type": "LEARNED_STEER_VEL"}, "must be one of IDEAL_STEER_VEL"),
        ({"wheel_base": -1.0}, "wheel_base=-1.0: must be >= 0.1"),
        ({"accel_map_path": "/no/map.csv"}, "accel_map_path=/no/map.csv: cannot be read"),
        ({"friction": 3.0}, "friction=3.0: must be"),
        ({"vehicle": "no_such_car"}, "vehicle"),
    ],
)
def test_a_wrong_parameter_is_one_line(changes: dict[str, Any], text: str, tmp_path: Path) -> None:
    parameters = {**VEHICLE_INFO, **parameter_set("ACTUATION_CMD_VGR", tmp_path), **changes}
    rclpy.init(args=words(parameters))
    try:
        with pytest.raises(ValueError, match=text) as caught:
            PlanningSimulatorNode()
        assert "\n" not in str(caught.value)
    finally:
        rclpy.try_shutdown()


def test_a_vehicle_description_without_a_length_is_refused(tmp_path: Path) -> None:
    parameters = {**VEHICLE_INFO, **parameter_set("IDEAL_STEER_VEL", tmp_path)}
    del parameters["wheel_base"]
    rclpy.init(args=words(parameters))
    try:
        with pytest.raises(ParameterError, match="wheel_base=: is missing"):
            PlanningSimulatorNode()
    finally:
        rclpy.try_shutdown()


def test_diagnostics_count_what_was_rejected_and_look_at_the_graph(start: Start) -> None:
    loop = start()
    lines: dict[str, str] = {}
    loop.listen(
        DiagnosticArray,
        "/diagnostics",
        lambda message: lines.update({s.name.split(": ")[-1]: s.message for s in message.status}),
    )
    loop.go_until(lambda: lines.get("inputs") == "nothing was rejected", "the line")
    assert "graph" in lines
    way = loop.probe.create_publisher(Trajectory, topics.TRAJECTORY, 1)
    rejected = f"rejected: {topics.TRAJECTORY} "
    loop.go_until(lambda: rejected in lines["inputs"], "an empty trajectory", publisher=way,
                  message=Trajectory())  # fmt: skip
    elsewhere = PoseWithCovarianceStamped()
    elsewhere.header.frame_id = "earth"
    loop.go_until(lambda: f"{topics.INITIAL_POSE} " in lines["inputs"], "a frame that is unknown",
                  publisher=loop.pose, message=elsewhere)  # fmt: skip
    twist = loop.probe.create_publisher(TwistStamped, topics.INITIAL_TWIST, 1)
    loop.go_until(lambda: f"{topics.INITIAL_TWIST} " in lines["inputs"], "a speed without a pose",
                  publisher=twist, message=TwistStamped())  # fmt: skip
