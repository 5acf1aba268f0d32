"""The simulated car in place of a planning simulator: initial pose in, localization out."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from geometry_msgs.msg import AccelWithCovarianceStamped, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu
from tf2_msgs.msg import TFMessage
from vdsim_kit.autoware import DRIVE, Autoware
from vdsim_kit.launched import Launched, launch_briefly
from vdsim_kit.ports import free_ports

START_X_M, START_Y_M, NORTH_RAD = 100.0, -40.0, math.pi / 2.0


class Planner(Autoware):
    """With what a planner and a user's RViz use of a localization."""

    def __init__(self) -> None:
        super().__init__()
        self.pose: Odometry | None = None
        self.acceleration: AccelWithCovarianceStamped | None = None
        self.imu: Imu | None = None
        self.parents: dict[str, set[str]] = {}
        subscribe = self._node.create_subscription
        subscribe(Odometry, "/localization/kinematic_state", self._on_pose, 1)
        subscribe(AccelWithCovarianceStamped, "/localization/acceleration", self._on_accel, 1)
        subscribe(Imu, "/sensing/imu/imu_data", self._on_imu, 1)
        subscribe(TFMessage, "/tf", self._on_tf, 100)
        self._initial = self._node.create_publisher(PoseWithCovarianceStamped, "/initialpose3d", 1)

    def _on_pose(self, message: Odometry) -> None:
        self.pose = message

    def _on_accel(self, message: AccelWithCovarianceStamped) -> None:
        self.acceleration = message

    def _on_imu(self, message: Imu) -> None:
        self.imu = message

    def _on_tf(self, message: TFMessage) -> None:
        for each in message.transforms:
            self.parents.setdefault(each.child_frame_id, set()).add(each.header.frame_id)

    def put(self, x_m: float, y_m: float, z: float, w: float) -> None:
        message = PoseWithCovarianceStamped()
        message.header.frame_id = "map"
        message.pose.pose.position.x, message.pose.pose.position.y = x_m, y_m
        message.pose.pose.orientation.z, message.pose.pose.orientation.w = z, w
        self._initial.publish(message)

    def is_near(self, x_m: float, y_m: float) -> bool:
        if self.pose is None:
            return False
        position = self.pose.pose.pose.position
        return math.hypot(position.x - x_m, position.y - y_m) < 0.1

    def is_north_of(self, x_m: float, y_m: float) -> bool:
        """A car that drives is at a place between two messages, perhaps."""
        assert self.pose is not None
        position = self.pose.pose.pose.position
        return abs(position.x - x_m) < 0.1 and position.y > y_m


def test_the_car_starts_at_the_initial_pose_and_reports_its_way(tmp_path: Path) -> None:
    command_port, state_port = free_ports(2)
    launch = Launched(
        tmp_path,
        "autoware",
        localization="true",
        plant_port=command_port,
        state_port=state_port,
        dashboard="off",
    )
    planner = Planner()
    try:
        planner.wait(lambda: planner.pose is not None, "kinematic_state")

        def is_refused() -> bool:
            planner.put(math.nan, 0.0, 0.0, 1.0)
            planner.put(5.0, 5.0, 0.0, 0.0)
            return "it has numbers that are no pose" in launch.output

        planner.wait(is_refused, "a warning")
        assert not planner.is_near(5.0, 5.0)

        def is_there() -> bool:
            half = NORTH_RAD / 2.0
            planner.put(START_X_M, START_Y_M, math.sin(half), math.cos(half))
            return planner.is_near(START_X_M, START_Y_M)

        planner.wait(is_there, "the car at the initial pose, by its rear axle")
        planner.spin(0.2)
        planner.gear = DRIVE
        planner.wait(lambda: planner.reported_gear == DRIVE, "gear DRIVE")
        planner.drive(12.0, 1.0)
        planner.wait(
            lambda: planner.is_north_of(START_X_M, START_Y_M + 3.0), "more than 3 m to the north"
        )
        assert planner.pose is not None
        assert (planner.pose.header.frame_id, planner.pose.child_frame_id) == ("map", "base_link")

        def accelerates() -> None:
            assert planner.pose is not None
            assert planner.pose.twist.twist.linear.x == pytest.approx(planner.velocity, abs=0.2)
            assert planner.acceleration is not None
            assert planner.acceleration.accel.accel.linear.x == pytest.approx(1.0, abs=0.4)

        planner.shows(accelerates, "speed and acceleration")
        planner.wait(lambda: "base_link" in planner.parents, "the transform")
        assert planner.parents["base_link"] == {"map"}
        planner.wait(lambda: planner.imu is not None, "the IMU")
        assert planner.imu is not None
        assert planner.imu.header.frame_id == "base_link"
    finally:
        planner.close()
        code = launch.end()
    assert code == 0


def test_another_vehicle_has_a_localization_of_its_own() -> None:
    done = launch_briefly("autoware", "localization:=true", "plant:=false")
    assert done.returncode == 1
    assert "localization:=true: only with plant:=true" in done.stdout + done.stderr
    assert "process started" not in done.stdout + done.stderr
