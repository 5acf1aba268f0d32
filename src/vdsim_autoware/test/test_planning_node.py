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
    TransformStamped,
    TwistStamped,
)
from rcl_interfaces.msg import Log
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
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
from vdsim_interface.parameters.fields import ParameterError

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


def a_way(z_m: float, stamp_ns: int = 0) -> Trajectory:
    way = Trajectory()
    way.header.stamp.sec, way.header.stamp.nanosec = divmod(stamp_ns, 10**9)
    for index in range(3):
        point = TrajectoryPoint()
        point.pose.position.x, point.pose.position.z = 10.0 * index, z_m
        way.points.append(point)
    return way


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
    assert loop.odometry is not None
    loop.go_until(
        said("frame earth: must be odom, or joined"),
        "a warning",
        publisher=loop.pose,
        message=elsewhere,
    )
    loop.go_until(lambda: loop.odometry.twist.twist.linear.x > 5.0, "6 m/s", publisher=twist,
                  message=message)  # fmt: skip
    loop.go_until(lambda: loop.odometry.pose.pose.position.z == 7.0, "the height", publisher=way,
                  message=a_way(7.0))  # fmt: skip


@pytest.mark.parametrize("name", [topics.TRAJECTORY, topics.TRAJECTORY_BEFORE_0_47])
def test_the_height_comes_from_the_trajectory_under_its_new_and_its_old_name(
    name: str, start: Start
) -> None:
    loop = start()
    loop.put()
    way = loop.probe.create_publisher(Trajectory, name, 1)
    loop.go_until(lambda: loop.odometry.pose.pose.position.z == 7.0, "the height", publisher=way,
                  message=a_way(7.0))  # fmt: skip


def test_the_remaps_of_the_launch_file_are_autowares_names_of_the_trajectory() -> None:
    remapped = {
        topics.REMAPPINGS[topics.TRAJECTORY],
        topics.REMAPPINGS[topics.TRAJECTORY_BEFORE_0_47],
    }
    assert remapped == {"/planning/trajectory", "/planning/scenario_planning/trajectory"}


def test_a_new_pose_has_its_own_height_until_a_later_trajectory(start: Start) -> None:
    loop = start()
    loop.put()
    way = loop.probe.create_publisher(Trajectory, topics.TRAJECTORY, 1)

    def height_is(z_m: float) -> Callable[[], bool]:
        return lambda: loop.odometry is not None and loop.odometry.pose.pose.position.z == z_m

    earlier = a_way(7.0, loop.time_ns)
    loop.go_until(height_is(7.0), "the height", publisher=way, message=earlier)
    pose = loop.stamped_pose()
    pose.pose.pose.position.z = 20.0
    loop.go_until(height_is(20.0), "the pose", publisher=loop.pose, message=pose)
    loop.steps(20, way, earlier)
    assert height_is(20.0)()
    loop.go_until(height_is(9.0), "the new road", publisher=way, message=a_way(9.0, loop.time_ns))


def test_a_pose_in_another_frame_is_where_tf_puts_it(start: Start) -> None:
    loop = start()
    transform = TransformStamped()
    transform.header.frame_id, transform.child_frame_id = "odom", "viewer"
    transform.transform.translation.x = 100.0
    transform.transform.rotation.z = transform.transform.rotation.w = math.sqrt(0.5)
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    static = loop.probe.create_publisher(TFMessage, "/tf_static", latched)
    static.publish(TFMessage(transforms=[transform]))
    pose = PoseWithCovarianceStamped()
    pose.header.frame_id = "viewer"
    pose.pose.pose.position.x, pose.pose.pose.orientation.w = 5.0, 1.0
    loop.go_until(lambda: loop.odometry is not None, "the car", publisher=loop.pose, message=pose)
    assert loop.odometry is not None
    at = loop.odometry.pose.pose
    assert (at.position.x, at.position.y) == pytest.approx((100.0, 5.0), abs=1e-3)
    assert 2.0 * math.atan2(at.orientation.z, at.orientation.w) == pytest.approx(0.5 * math.pi)


def test_the_covariance_may_change_while_it_runs_and_nothing_else(start: Start) -> None:
    loop = start()
    loop.put()
    [done] = loop.node.set_parameters([Parameter("x_stddev", value=0.25)])
    assert done.successful
    loop.go_until(lambda: loop.odometry.pose.covariance[0] == 0.25, "the new covariance")
    [refused] = loop.node.set_parameters([Parameter("y_stddev", value=-1.0)])
    assert not refused.successful
    assert "y_stddev" in refused.reason
    [refused] = loop.node.set_parameters([Parameter("vel_lim", value=9.0)])
    assert "vel_lim: cannot change while the node runs" in refused.reason
    assert loop.odometry.pose.covariance[0] == 0.25


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
