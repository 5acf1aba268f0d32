"""Friction under the wheels of the cars of a block: looked up only where it may have changed."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.ground.compilation import GRID_AT, POLYGON_COUNT, SPLIT
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.equations import standing_tyre
from vdsim_plant.kernel.layout import LANES
from vdsim_plant.kernel.polynomials import sine_and_cosine
from vdsim_plant.kernel.stages import mu_at
from vdsim_plant.kernel.stripes import TO_MOVE, TO_TURN, free_range, striped_mu

Buffer = NDArray[np.float64]


@inlined
def look_up_friction(block: Buffer, roads: Buffer, starts: Buffer) -> None:
    """Do as `stripe_friction` for the cars that need it, as `painted_friction` on other roads.

    The road of each car begins at `starts` of the array.
    """
    for lane in range(LANES):
        ground = roads[int(starts[lane]) :]
        painted = ground[SPLIT] + ground[GRID_AT] + ground[POLYGON_COUNT] > 0.0
        if painted or may_have_changed(block, lane):
            _look_up_one(block, lane, painted, ground)


@inlined
def may_have_changed(block: Buffer, lane: int) -> bool:
    """Return whether a wheel of the car may have reached another friction since the last lookup."""
    x = block[at.X * LANES + lane]
    yaw = block[at.YAW * LANES + lane]
    moved = (x < block[at.SAME_FROM * LANES + lane]) | (x >= block[at.SAME_TO * LANES + lane])
    left = yaw < block[at.SAME_YAW_FROM * LANES + lane]
    right = yaw >= block[at.SAME_YAW_TO * LANES + lane]
    changed: bool = moved | left | right
    return changed


@inlined
def pose_of(block: Buffer, lane: int) -> tuple[float, float, float]:
    """Return x, y [m] and yaw [rad]."""
    return block[at.X * LANES + lane], block[at.Y * LANES + lane], block[at.YAW * LANES + lane]


@inlined
def _look_up_one(block: Buffer, lane: int, painted: bool, ground: Buffer) -> None:
    x, y, yaw = pose_of(block, lane)
    s, c = sine_and_cosine(yaw)
    room = 0.0 if painted else math.inf
    for i in range(4):
        arm_x = block[(at.ARM_X + i) * LANES + lane]
        arm_y = block[(at.ARM_Y + i) * LANES + lane]
        wheel_x = x + (c * arm_x - s * arm_y)
        if painted:
            mu = mu_at(wheel_x, y + (s * arm_x + c * arm_y), ground)
        else:
            mu, around = striped_mu(wheel_x, ground)
            room = min(room, around)
        block[(at.MU + i) * LANES + lane] = mu
        (
            block[(at.STANDING_LENGTH + i) * LANES + lane],
            block[(at.STANDING_DAMPING + i) * LANES + lane],
        ) = standing_tyre(
            mu,
            block[at.STIFFNESS_BASE * LANES + lane],
            block[at.INVERSE_MU_NOMINAL * LANES + lane],
            block[at.STICK_LENGTH * LANES + lane],
            block[at.STICK_DAMPING * LANES + lane],
        )
    low, high = free_range(x, room, TO_MOVE)
    left, right = free_range(yaw, room / block[at.REACH * LANES + lane], TO_TURN)
    block[at.SAME_FROM * LANES + lane], block[at.SAME_TO * LANES + lane] = low, high
    block[at.SAME_YAW_FROM * LANES + lane], block[at.SAME_YAW_TO * LANES + lane] = left, right
