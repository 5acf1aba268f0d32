"""The planning simulator's node in this process, and a client with Autoware's messages.

Time is /clock: it goes on when a test says so, and the test waits until the node has followed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import rclpy
from autoware_control_msgs.msg import Control
from autoware_vehicle_msgs.msg import ControlModeReport, GearCommand
from geometry_msgs.msg import PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from rosgraph_msgs.msg import Clock
from vdsim_autoware.nodes.planning_simulator import PlanningSimulatorNode
from vdsim_autoware.ros import topics

from vdsim_autoware_kit.parameter_sets import VEHICLE_INFO, parameter_set

STEP_NS = 10_000_000
BEGIN_NS = 1_000 * 10**9
PATIENCE_S = 60.0


def words(parameters: Mapping[str, Any]) -> list[str]:
    """Parameters as arguments of a node."""
    result = ["--ros-args"]
    for name, value in parameters.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        result += ["-p", f"{name}:={text}"]
    return result


class NodeLoop:
    """Node and client; `odometry` and `mode` are the latest that have arrived."""

    def __init__(self, model: str, folder: Path, **changes: Any) -> None:
        parameters = {**VEHICLE_INFO, **parameter_set(model, folder), "use_sim_time": True}
        rclpy.init(args=words({**parameters, **changes}))
        self.node = PlanningSimulatorNode()
        self.probe = rclpy.create_node("probe")
        self._executor = SingleThreadedExecutor()
        for node in (self.node, self.probe):
            self._executor.add_node(node)
        self.time_ns = BEGIN_NS
        self.odometry: Odometry | None = None
        self.mode: ControlModeReport | None = None
        create = self.probe.create_publisher
        self._clock = create(Clock, "/clock", 1)
        self.control = create(Control, topics.CONTROL, 1)
        self.gear = create(GearCommand, topics.GEAR, 1)
        self.pose = create(PoseWithCovarianceStamped, topics.INITIAL_POSE, 1)
        self.listen(Odometry, topics.ODOMETRY, lambda m: setattr(self, "odometry", m))
        self.listen(ControlModeReport, topics.MODE_REPORT, lambda m: setattr(self, "mode", m))
        self.until(lambda: self.node.count_publishers("/clock") > 0, "the clock")

    def listen(self, kind: type, name: str, callback: Callable[[Any], object]) -> None:
        """Subscribe as Autoware does."""
        self.probe.create_subscription(kind, name, callback, 1)

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Spin until something is true."""
        deadline_s = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline_s, f"waited for {what}"
            self._executor.spin_once(timeout_sec=0.05)

    def step(self, publisher: Any = None, message: Any = None) -> None:
        """Go on by 10 ms, with a message."""
        if publisher is not None:
            publisher.publish(message)
        self.time_ns += STEP_NS
        clock = Clock()
        clock.clock.sec, clock.clock.nanosec = divmod(self.time_ns, 10**9)
        self._clock.publish(clock)
        self.until(self._has_followed, "the clock's time")

    def _has_followed(self) -> bool:
        return int(self.node.get_clock().now().nanoseconds) >= self.time_ns

    def steps(self, count: int, publisher: Any = None, message: Any = None) -> None:
        """The same again and again, with the message in each step."""
        for _ in range(count):
            self.step(publisher, message)

    def go_until(self, condition: Callable[[], object], what: str, **message: Any) -> None:
        """Go on until something is true."""
        deadline_s = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline_s, f"waited for {what}"
            self.step(**message)

    def stamped_pose(self) -> PoseWithCovarianceStamped:
        """Return the origin, stamped now: one that arrives late is not newer for it."""
        message = PoseWithCovarianceStamped()
        message.header.frame_id = "odom"
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(self.time_ns, 10**9)
        message.pose.pose.orientation.w = 1.0
        return message

    def put(self, x_m: float = 0.0, y_m: float = 0.0, yaw_rad: float = 0.0) -> None:
        """Publish an initial pose until the car is there."""
        message = self.stamped_pose()
        pose = message.pose.pose
        pose.position.x, pose.position.y = x_m, y_m
        pose.orientation.z, pose.orientation.w = math.sin(yaw_rad / 2), math.cos(yaw_rad / 2)

        def is_there() -> bool:
            if self.odometry is None:
                return False
            position, speed = self.odometry.pose.pose.position, self.odometry.twist.twist.linear.x
            away = math.hypot(position.x - x_m, position.y - y_m)
            return away < 1e-3 and abs(speed) < 1e-3

        self.go_until(is_there, "the pose", publisher=self.pose, message=message)

    def close(self) -> None:
        """End both."""
        self._executor.shutdown()
        for node in (self.node, self.probe):
            node.destroy_node()
        rclpy.try_shutdown()
