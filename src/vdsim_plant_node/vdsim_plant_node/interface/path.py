"""The path that a stack plans, as the page draws it. Pure.

    nav_msgs/Path  ->  PlannedPath, thinned, in the plant's world frame

Positions are in the world frame ENU of the plant, as odometry is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

Json = dict[str, Any]
Point = tuple[float, float]
MOST_POINTS = 400
"""A page draws no more; of a longer path every n-th point is left."""
_WORLD_FRAMES = ("map", "odom", "world", "")
_FARTHEST_M = 1e7


class PlannedPath(NamedTuple):
    """A path; `problem` says why there is nothing to draw."""

    points: tuple[Point, ...] = ()
    problem: str = ""


def planned(frame_id: str, points: Sequence[Point]) -> PlannedPath:
    """The path of a message; world frames alone are drawn, as no transform is looked up."""
    if frame_id.rpartition("/")[2] not in _WORLD_FRAMES:
        return PlannedPath(problem=f"in frame {frame_id[:40]}, not in map")
    if not all(math.isfinite(x) and math.hypot(x, y) < _FARTHEST_M for x, y in points):
        return PlannedPath(problem="has points that are not finite or too far away")
    return PlannedPath(thinned(points))


def thinned(points: Sequence[Point]) -> tuple[Point, ...]:
    """At most MOST_POINTS of them, evenly, the first and the last included; rounded to 1 cm."""
    count = min(len(points), MOST_POINTS)
    step = (len(points) - 1) / max(count - 1, 1)
    chosen = (points[round(n * step)] for n in range(count))
    return tuple((round(x, 2), round(y, 2)) for x, y in chosen)


def path_view(path: PlannedPath | None) -> Json | None:
    """A path for the page; None: nobody publishes one."""
    return None if path is None else {"points": path.points, "problem": path.problem}
