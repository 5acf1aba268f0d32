"""A double of Nav2's controller server: follows a path to a goal, by cmd_vel alone.

It behaves as Nav2 does towards a base: 20 commands a second, speed and yaw rate, TwistStamped or
Twist; the speed falls in bends and towards the goal; within the goal checker's tolerance it sends
one command of zeros and no more. Steering is by pure pursuit with a point ahead that depends on the
speed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from geometry_msgs.msg import Twist, TwistStamped

Point = tuple[float, float]
PERIOD_S = 0.05
LOOKAHEAD_S, NEAREST_M, FARTHEST_M = 1.0, 2.0, 8.0
SLOW_RADIUS_M = 12.0
"""In tighter bends the speed falls with the radius."""
SLOWEST_MPS, APPROACH_MPS2 = 0.25, 0.6


class Nav2Controller:
    """`path`: dense points in the frame odom; its last one is the goal."""

    def __init__(
        self,
        path: Sequence[Point],
        *,
        stamped: bool,
        speed_mps: float = 3.0,
        tolerance_m: float = 0.5,
    ) -> None:
        self._path = list(path)
        self._stamped = stamped
        self._speed_mps, self._tolerance_m = speed_mps, tolerance_m
        self._from = 0
        self._due_s = -math.inf
        self.has_arrived = False
        self.farthest_off_m = 0.0

    def command(
        self, now: float, x_m: float, y_m: float, yaw_rad: float, speed_mps: float
    ) -> Twist | TwistStamped | None:
        """The message that is due, or None."""
        if self.has_arrived or now < self._due_s:
            return None
        self._due_s = now + PERIOD_S
        goal = self._path[-1]
        left_m = math.dist((x_m, y_m), goal)
        if left_m < self._tolerance_m:
            self.has_arrived = True
            return self._message(0.0, 0.0)
        ahead = self._point_ahead(x_m, y_m, speed_mps)
        dx, dy = ahead[0] - x_m, ahead[1] - y_m
        side = -dx * math.sin(yaw_rad) + dy * math.cos(yaw_rad)
        curvature = 2.0 * side / (dx * dx + dy * dy)
        slow = math.sqrt(2.0 * APPROACH_MPS2 * left_m)
        bent = self._speed_mps * min(1.0, 1.0 / max(abs(curvature) * SLOW_RADIUS_M, 1e-9))
        speed = max(min(bent, slow), SLOWEST_MPS)
        return self._message(speed, speed * curvature)

    def _point_ahead(self, x_m: float, y_m: float, speed_mps: float) -> Point:
        """The first point of the path beyond the distance ahead."""
        far = min(max(LOOKAHEAD_S * abs(speed_mps), NEAREST_M), FARTHEST_M)
        window = range(self._from, min(self._from + 60, len(self._path)))
        self._from = min(window, key=lambda at: math.dist(self._path[at], (x_m, y_m)))
        off = math.dist(self._path[self._from], (x_m, y_m))
        self.farthest_off_m = max(self.farthest_off_m, off)
        for point in self._path[self._from :]:
            if math.dist(point, (x_m, y_m)) >= far:
                return point
        return self._path[-1]

    def _message(self, speed_mps: float, yaw_rate_radps: float) -> Twist | TwistStamped:
        twist = Twist()
        twist.linear.x, twist.angular.z = float(speed_mps), float(yaw_rate_radps)
        return TwistStamped(twist=twist) if self._stamped else twist
