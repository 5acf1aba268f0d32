"""The bodies of the cars of a block: their wheel loads, and how the wheels' forces move them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma, wide_vectors
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.block_friction import may_have_changed
from vdsim_plant.kernel.equations import axle_loads, body_step, moved_load
from vdsim_plant.kernel.layout import LANES

Buffer = NDArray[np.float64]


@inlined
def wheel_loads(block: Buffer) -> None:
    """Wheel loads from the forces as the substep before expects them."""
    wide_vectors()
    for lane in range(LANES):
        vx = block[at.VX * LANES + lane]
        vy = block[at.VY * LANES + lane]
        front, rear = axle_loads(
            block[at.MASS * LANES + lane] * block[at.GRAVITY_N * LANES + lane],
            block[at.STATIC_FRONT * LANES + lane],
            block[at.AXLE_TRANSFER * LANES + lane],
            block[at.EXPECTED_X * LANES + lane],
            block[at.LIFT_FRONT * LANES + lane],
            block[at.LIFT_REAR * LANES + lane],
            vx * vx + vy * vy,
        )
        force_y = block[at.EXPECTED_Y * LANES + lane]
        moved_front = moved_load(front, block[at.WHEEL_TRANSFER_FRONT * LANES + lane], force_y)
        moved_rear = moved_load(rear, block[at.WHEEL_TRANSFER_REAR * LANES + lane], force_y)
        block[at.FZ * LANES + lane] = 0.5 * front - moved_front
        block[(at.FZ + 1) * LANES + lane] = 0.5 * front + moved_front
        block[(at.FZ + 2) * LANES + lane] = 0.5 * rear - moved_rear
        block[(at.FZ + 3) * LANES + lane] = 0.5 * rear + moved_rear


@inlined
def move_bodies(block: Buffer) -> int:
    """Do as `move_body`; return how many cars may have come to another friction."""
    wide_vectors()
    for lane in range(LANES):
        x, y, yaw = start_of_pose(block, lane)
        vx = block[at.VX * LANES + lane]
        vy = block[at.VY * LANES + lane]
        yaw_rate = block[at.YAW_RATE * LANES + lane]
        (
            x,
            y,
            yaw,
            block[at.VX * LANES + lane],
            block[at.VY * LANES + lane],
            block[at.YAW_RATE * LANES + lane],
            block[at.FORCE_X * LANES + lane],
            block[at.FORCE_Y * LANES + lane],
            block[at.YAW_ACC * LANES + lane],
            block[at.EXPECTED_X * LANES + lane],
            block[at.EXPECTED_Y * LANES + lane],
            block[at.CHANGE_X * LANES + lane],
            block[at.CHANGE_Y * LANES + lane],
            block[at.YAW_CHANGE * LANES + lane],
            block[at.AX * LANES + lane],
            block[at.AY * LANES + lane],
        ) = body_step(
            x,
            y,
            yaw,
            vx,
            vy,
            yaw_rate,
            _sum(block, at.BODY_FX, lane),
            _sum(block, at.BODY_FY, lane),
            _sum(block, at.MOMENT, lane) + block[at.WIND_MOMENT * LANES + lane],
            block[at.FORCE_X * LANES + lane],
            block[at.FORCE_Y * LANES + lane],
            block[at.YAW_ACC * LANES + lane],
            block[at.CHANGE_X * LANES + lane],
            block[at.CHANGE_Y * LANES + lane],
            block[at.YAW_CHANGE * LANES + lane],
            pulled(block, at.WIND_X, at.GRAVITY_X, lane),
            pulled(block, at.WIND_Y, at.GRAVITY_Y, lane),
            block[at.DRAG * LANES + lane],
            block[at.INVERSE_MASS * LANES + lane],
            block[at.INVERSE_YAW_INERTIA * LANES + lane],
            block[at.INVERSE_STICK_SPEED_SQUARED * LANES + lane],
            block[at.DT * LANES + lane],
        )
        put_state(block, lane, x, y, yaw, vx, vy, yaw_rate)
    # A loop of its own: whole numbers are wider than float32 and would halve its vectors.
    changed = 0
    for lane in range(LANES):
        changed += may_have_changed(block, lane)
    return changed


@inlined
def pulled(block: Buffer, wind: int, gravity: int, lane: int) -> float:
    """Return what wind and gravity pull along an axis of the world [m/s2]."""
    inverse_mass = block[at.INVERSE_MASS * LANES + lane]
    return fma(block[wind * LANES + lane], inverse_mass, block[gravity * LANES + lane])


@inlined
def start_of_pose(block: Buffer, lane: int) -> tuple[float, float, float]:
    """Return the pose that `body_step` begins with."""
    return block[at.X * LANES + lane], block[at.Y * LANES + lane], block[at.YAW * LANES + lane]


@inlined
def put_state(
    block: Buffer,
    lane: int,
    x: float,
    y: float,
    yaw: float,
    old_vx: float,
    old_vy: float,
    old_rate: float,
) -> None:
    """Put the pose down that `body_step` returns.

    The previous velocities are for a caller that carries more digits (narrow/loop.py).
    """
    block[at.X * LANES + lane] = x
    block[at.Y * LANES + lane] = y
    block[at.YAW * LANES + lane] = yaw


@inlined
def count_substeps(block: Buffer, done: int) -> None:
    """Count substeps, all of a call at once."""
    for lane in range(LANES):
        block[at.SUBSTEPS * LANES + lane] += done


@inlined
def _sum(block: Buffer, field: int, lane: int) -> float:
    """Sum over the wheels, in the order of move_body."""
    front: float = block[field * LANES + lane] + block[(field + 1) * LANES + lane]
    rear: float = block[(field + 2) * LANES + lane] + block[(field + 3) * LANES + lane]
    return front + rear
