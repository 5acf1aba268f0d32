"""Position and velocity of STATE at another point of the body.

STATE describes the centre of gravity (CG). AutoHYU's controllers expect the middle of the rear
axle. Rigid body: p = p_cg + R r, v = v_cg + w x r, with r from the CG to the point. Accelerations
stay those of the CG: STATE has no angular acceleration.
"""

import math
from typing import NamedTuple

from vdsim_protocol import vds1


class PointMotion(NamedTuple):
    """World position ENU [m] and body velocity ISO 8855 [m/s] of one point of the body.

    `offset_m`: from the CG to the point, in the world frame.
    """

    position_m: tuple[float, float, float]
    velocity_mps: tuple[float, float, float]
    offset_m: tuple[float, float, float]


def point_behind(state: vds1.State, behind_m: float) -> PointMotion:
    """Return the motion of the point of the body's x axis that is `behind_m` behind the CG."""
    cos_pitch = math.cos(state.pitch_rad)
    east_m = -behind_m * math.cos(state.yaw_rad) * cos_pitch
    north_m = -behind_m * math.sin(state.yaw_rad) * cos_pitch
    up_m = behind_m * math.sin(state.pitch_rad)
    return PointMotion(
        position_m=(state.x_world_m + east_m, state.y_world_m + north_m, state.z_world_m + up_m),
        velocity_mps=(
            state.vx_mps,
            state.vy_mps - behind_m * state.yaw_rate_radps,
            state.vz_mps + behind_m * state.pitch_rate_radps,
        ),
        offset_m=(east_m, north_m, up_m),
    )
