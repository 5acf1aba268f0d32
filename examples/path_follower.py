"""A path follower to copy from: odometry in, speed and curvature out.

    ./ws ros2 launch vdsim_interface vdsim.launch.py
    ./ws python examples/path_follower.py --ros-args -p speed_mps:=6.0

It subscribes to `odom` and publishes `high_level_command`, both below /vehicle, and once a second
`planned_path`, which the dashboard draws. The path is a
figure of eight that starts where the car stands at its first odometry, in the direction in which it
points; at its end the program stops the car and exits. It stops, too, when the car is farther from
the path than a follower can bring back: on a car, no path is followed from anywhere.
"""

from __future__ import annotations

import math
import sys
from itertools import pairwise

import rclpy
from geometry_msgs.msg import Point as Position
from geometry_msgs.msg import Pose, PoseStamped
from nav_msgs.msg import Odometry, Path
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data

from vdsim_msgs.msg import HighLevelControlCommand

Point = tuple[float, float]
RATE_HZ = 50.0
DECEL_MPS2 = 1.5
SPACING_M = 0.25
FARTHEST_M = 5.0


def figure_of_eight(radius_m: float = 12.0) -> list[Point]:
    """Two circles that touch at the origin: the first to the left, the second to the right."""
    count = round(2.0 * math.pi * radius_m / SPACING_M)
    points = []
    for side in (1.0, -1.0):
        for n in range(count + 1):
            turned = 2.0 * math.pi * n / count
            points.append((radius_m * math.sin(turned), side * radius_m * (1.0 - math.cos(turned))))
    return points


def placed(path: list[Point], x_m: float, y_m: float, yaw_rad: float) -> list[Point]:
    """A path that began at the origin, along x, from a pose on."""
    cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
    return [(x_m + x * cos - y * sin, y_m + x * sin + y * cos) for x, y in path]


class PurePursuit:
    """Steers towards a point of the path ahead of the car. No ROS, no clock."""

    def __init__(self, path: list[Point], speed_mps: float) -> None:
        self.path = path
        self.largest_distance_m = 0.0
        self._speed_mps = speed_mps
        self._at = 0
        self._left_m = [0.0]
        for (x1, y1), (x2, y2) in pairwise(reversed(path)):
            self._left_m.append(self._left_m[-1] + math.hypot(x2 - x1, y2 - y1))
        self._left_m.reverse()

    def command(self, x_m: float, y_m: float, yaw_rad: float, speed_mps: float) -> Point:
        """Return the speed [m/s] and the curvature [1/m, positive to the left] for a pose."""
        # Only a window ahead is searched: where the path crosses itself, the other branch is near.
        window = range(self._at, min(self._at + 40, len(self.path)))
        self._at = min(window, key=lambda n: math.dist(self.path[n], (x_m, y_m)))
        distance_m = math.dist(self.path[self._at], (x_m, y_m))
        self.largest_distance_m = max(self.largest_distance_m, distance_m)
        if self.is_lost:
            return 0.0, 0.0
        ahead_m = max(3.0, 0.6 * speed_mps)
        target = self.path[min(self._at + round(ahead_m / SPACING_M), len(self.path) - 1)]
        dx, dy = target[0] - x_m, target[1] - y_m
        left_m = dy * math.cos(yaw_rad) - dx * math.sin(yaw_rad)
        curvature = 2.0 * left_m / max(dx * dx + dy * dy, 1.0)
        to_stop = math.sqrt(2.0 * DECEL_MPS2 * self._left_m[self._at])
        return min(self._speed_mps, to_stop), curvature

    @property
    def is_lost(self) -> bool:
        """Return whether the car was farther from the path than the follower drives."""
        return self.largest_distance_m > FARTHEST_M

    @property
    def at_the_end(self) -> bool:
        """Return whether less than a metre is left."""
        return self._left_m[self._at] < 1.0


class PathFollower(Node):
    """The ROS side: odometry in, commands out at a fixed rate."""

    def __init__(self) -> None:
        super().__init__("path_follower", namespace="vehicle")
        speed_mps = float(self.declare_parameter("speed_mps", 6.0).value or 0.0)
        self.pursuit: PurePursuit | None = None
        self._speed_mps = speed_mps
        self.done = False
        self._pose: Odometry | None = None
        self._commands = self.create_publisher(HighLevelControlCommand, "high_level_command", 1)
        self.create_subscription(Odometry, "odom", self._on_odometry, qos_profile_sensor_data)
        self._plans = self.create_publisher(Path, "planned_path", 1)
        self.create_timer(1.0 / RATE_HZ, self._drive)
        self.create_timer(1.0, self._show)

    def _on_odometry(self, message: Odometry) -> None:
        self._pose = message

    def _drive(self) -> None:
        if self._pose is None:
            return
        position, q = self._pose.pose.pose.position, self._pose.pose.pose.orientation
        yaw_rad = math.atan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z))
        speed_mps = self._pose.twist.twist.linear.x
        pose = position.x, position.y, yaw_rad
        if self.pursuit is None:
            self.pursuit = PurePursuit(placed(figure_of_eight(), *pose), self._speed_mps)
        velocity, curvature = self.pursuit.command(*pose, speed_mps)
        if self.pursuit.at_the_end or self.pursuit.is_lost:
            velocity = 0.0
            self.done = abs(speed_mps) < 0.05
        stamp = self.get_clock().now().to_msg()
        self._commands.publish(
            HighLevelControlCommand(stamp=stamp, velocity_mps=velocity, curvature=curvature)
        )

    def _show(self) -> None:
        if self.pursuit is None or self._pose is None:
            self.get_logger().info("waiting for /vehicle/odom: is the car running?", once=True)
            return
        header = self._pose.header
        poses = [
            PoseStamped(header=header, pose=Pose(position=Position(x=x, y=y)))
            for x, y in self.pursuit.path
        ]
        self._plans.publish(Path(header=header, poses=poses))


def main() -> int:
    """Follow the path once."""
    rclpy.init()
    node = PathFollower()
    try:
        while not node.done:
            rclpy.spin_once(node)
        assert node.pursuit is not None
        far_m = node.pursuit.largest_distance_m
        if node.pursuit.is_lost:
            print(f"stopped: {far_m:.2f} m from the path, more than {FARTHEST_M:g} m", flush=True)
            return 1
        print(f"arrived; at most {far_m:.2f} m from the path", flush=True)
        return 0
    except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
        return 1
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    sys.exit(main())
