"""A drive under the launch of the README: commands of a circle, and the path that is planned."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import rclpy
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
from nav_msgs.msg import Path as PlannedPath
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from vdsim_kit.launched import Launched
from vdsim_kit.ports import free_ports

from vdsim_msgs.msg import HighLevelControlCommand

NAMESPACE = "vehicle"
SPEED_MPS, CURVATURE_1PM = 6.0, 0.03
_AHEAD_M, _STEP_M = 25.0, 1.0


class Driven(NamedTuple):
    """`url`: of the page."""

    url: str


@contextlib.contextmanager
def drive(folder: Path) -> Iterator[Driven]:
    """Drive until the end of the block."""
    command_port, state_port, http_port = free_ports(3)
    launch = Launched(
        folder, "vdsim", plant_port=command_port, state_port=state_port,
        dashboard=f"127.0.0.1:{http_port}",
    )  # fmt: skip
    try:
        launch.wait(lambda: f":{http_port}" in launch.output, "the page's address")
        with _stack():
            yield Driven(f"http://127.0.0.1:{http_port}/")
    finally:
        launch.end()


class _Stack(Node):  # type: ignore[misc]  # rclpy has no types
    """A circle, and what of it lies ahead of the car."""

    def __init__(self) -> None:
        super().__init__("screenshots", namespace=NAMESPACE)
        self._commands = self.create_publisher(HighLevelControlCommand, "high_level_command", 1)
        self._paths = self.create_publisher(PlannedPath, "planned_path", 1)
        self._at = Odometry()
        self.create_subscription(Odometry, "odom", self._on_odometry, qos_profile_sensor_data)
        self.create_timer(0.05, self._on_timer)

    def _on_odometry(self, message: Odometry) -> None:
        self._at = message

    def _on_timer(self) -> None:
        command = HighLevelControlCommand(velocity_mps=SPEED_MPS, curvature=CURVATURE_1PM)
        self._commands.publish(command)
        pose = self._at.pose.pose
        yaw = 2.0 * math.atan2(pose.orientation.z, pose.orientation.w)
        path = PlannedPath(header=self._at.header)
        for n in range(int(_AHEAD_M / _STEP_M)):
            turned = CURVATURE_1PM * n * _STEP_M
            point = PoseStamped(header=self._at.header)
            point.pose.orientation.w = 1.0
            point.pose.position.x = pose.position.x + _along(math.sin, yaw, turned)
            point.pose.position.y = pose.position.y - _along(math.cos, yaw, turned)
            path.poses.append(point)
        self._paths.publish(path)


def _along(of: Callable[[float], float], yaw: float, turned: float) -> float:
    """The way along an arc that begins at a yaw, in one coordinate [m]."""
    return (of(yaw + turned) - of(yaw)) / CURVATURE_1PM


@contextlib.contextmanager
def _stack() -> Iterator[None]:
    rclpy.init()
    node, executor = _Stack(), SingleThreadedExecutor()
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin, daemon=True)
    thread.start()
    try:
        yield
    finally:
        executor.shutdown()
        thread.join()
        node.destroy_node()
        rclpy.shutdown()
