"""Where one frame is in another, by the transforms of /tf and /tf_static.

For poses that arrive in a frame of their own: only the latest transform of each frame counts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

MOST_FRAMES = 1000
"""What more arrives is not kept: every name is memory."""


class Placed(NamedTuple):
    """Position [m] and orientation (unit quaternion) of a frame or a pose in another frame."""

    x_m: float
    y_m: float
    z_m: float
    qx: float
    qy: float
    qz: float
    qw: float


HERE = Placed(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def is_usable(placed: Placed) -> bool:
    """Whether the numbers are a position and an orientation."""
    norm = math.hypot(*placed[3:])
    return all(math.isfinite(number) for number in placed) and 0.5 < norm < 2.0


def rotated(by: Placed, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return a vector turned by an orientation."""
    qx, qy, qz, qw = by[3:]
    tx, ty, tz = 2.0 * (qy * z - qz * y), 2.0 * (qz * x - qx * z), 2.0 * (qx * y - qy * x)
    return (
        x + qw * tx + qy * tz - qz * ty,
        y + qw * ty + qz * tx - qx * tz,
        z + qw * tz + qx * ty - qy * tx,
    )


def after(outer: Placed, inner: Placed) -> Placed:
    """Return a pose that `inner` has in the frame of `outer`, in the frame `outer` is in."""
    x, y, z = rotated(outer, *inner[:3])
    ax, ay, az, aw = outer[3:]
    bx, by, bz, bw = inner[3:]
    return Placed(
        outer.x_m + x,
        outer.y_m + y,
        outer.z_m + z,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def inverse(placed: Placed) -> Placed:
    """Return where the outer frame is in the inner one."""
    turned = Placed(0.0, 0.0, 0.0, -placed.qx, -placed.qy, -placed.qz, placed.qw)
    x, y, z = rotated(turned, *placed[:3])
    return turned._replace(x_m=-x, y_m=-y, z_m=-z)


class Frames:
    """The tree of frames."""

    def __init__(self) -> None:
        self._parents: dict[str, tuple[str, Placed]] = {}

    def on_transform(self, parent: str, child: str, placed: Placed) -> None:
        """Use where `child` is in `parent`; what is no transform is discarded."""
        parent, child = parent.lstrip("/"), child.lstrip("/")
        is_new = child not in self._parents
        if not child or parent == child or (is_new and len(self._parents) >= MOST_FRAMES):
            return
        if is_usable(placed):
            norm = math.hypot(*placed[3:])
            unit = [number / norm for number in placed[3:]]
            self._parents[child] = (parent, Placed(*placed[:3], *unit))

    def of(self, frame: str, target: str) -> Placed | None:
        """Return where `frame` is in `target`; None where no transforms join them."""
        ancestors = self._ancestors(frame)
        for name, in_ancestor in self._ancestors(target).items():
            if name in ancestors:
                return after(inverse(in_ancestor), ancestors[name])
        return None

    def _ancestors(self, frame: str) -> dict[str, Placed]:
        """Where `frame` is in itself and in each frame above it, the nearest first."""
        found = {frame: HERE}
        placed = HERE
        while frame in self._parents:
            frame, in_parent = self._parents[frame]
            if frame in found:
                break  # a circle
            placed = after(in_parent, placed)
            found[frame] = placed
        return found
