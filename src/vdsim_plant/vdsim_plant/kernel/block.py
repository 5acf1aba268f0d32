"""Many cars: the stages of a substep with LANES cars side by side, number k of car l at k, l.

The operations on each car are those of stages.py, from the same functions in the same order, so
that a car in a block gives the same bits as a car alone.

What a wheel does is five short loops over lanes here, where a car alone has one. A substep of one
wheel is a chain of operations that wait for each other; the processor is kept busy by the chains of
other lanes, as far as it can look ahead. Short loops let it see more of them, and leave registers
to the constants. For the same reason the bodies come before the spins, which do not need them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import carray, inlined
from vdsim_plant.compiled.intrinsics import fma, wide_vectors
from vdsim_plant.ground.compilation import GRID_AT, POLYGON_COUNT, SPLIT
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.equations import (
    axle_loads,
    body_step,
    braked_spin,
    free_spin,
    joined_spin,
    kept_stretch,
    mf96_angles,
    mf96_force,
    moved_load,
    on_body,
    patch_lag,
    patch_speed,
    slip_length,
    speed_share,
    standing_tyre,
    transient_slip,
)
from vdsim_plant.kernel.layout import LANES
from vdsim_plant.kernel.observing import observe_block
from vdsim_plant.kernel.polynomials import sine_and_cosine
from vdsim_plant.kernel.stages import mu_at
from vdsim_plant.kernel.stripes import free_range, striped_mu

Buffer = NDArray[np.float64]


def advance_blocks(
    blocks_at: Any,
    blocks_size: int,
    road_at: Any,
    road_size: int,
    first: int,
    last: int,
    substeps: int,
) -> None:
    """Advance the blocks [first, last), inputs held. See also single.py."""
    blocks = carray(blocks_at, (blocks_size,))
    ground = carray(road_at, (road_size,))
    wide_vectors()
    size = at.SIZE * LANES
    for k in range(first, last):
        block = blocks[k * size : (k + 1) * size]
        _take_inputs(block)
        locked = _any_locked(block)
        done = 0
        while done < substeps:
            _look_up_friction(block, ground)
            # As in single.py this loop calls nothing.
            while True:
                _loads(block)
                _lags(block)
                _slips(block)
                _angles(block)
                _forces(block)
                may_have_changed = _bodies(block)
                _free_spins(block)
                if locked:
                    _lock(block)
                _spins(block)
                done += 1
                if done >= substeps or may_have_changed > 0:
                    break
        observe_block(block)


def advance_blocks_on_roads(
    blocks_at: Any,
    blocks_size: int,
    roads_at: Any,
    roads_size: int,
    starts_at: Any,
    starts_size: int,
    first: int,
    last: int,
    substeps: int,
) -> None:
    """Do as `advance_blocks`, each car on a road of its own: its array begins at `starts`."""
    blocks = carray(blocks_at, (blocks_size,))
    roads = carray(roads_at, (roads_size,))
    starts = carray(starts_at, (starts_size,))
    wide_vectors()
    size = at.SIZE * LANES
    for k in range(first, last):
        block = blocks[k * size : (k + 1) * size]
        _take_inputs(block)
        locked = _any_locked(block)
        done = 0
        while done < substeps:
            _look_up_own_friction(block, roads, starts[k * LANES : (k + 1) * LANES])
            while True:
                _loads(block)
                _lags(block)
                _slips(block)
                _angles(block)
                _forces(block)
                may_have_changed = _bodies(block)
                _free_spins(block)
                if locked:
                    _lock(block)
                _spins(block)
                done += 1
                if done >= substeps or may_have_changed > 0:
                    break
        observe_block(block)


@inlined
def _take_inputs(block: Buffer) -> None:
    for lane in range(LANES):
        s, c = sine_and_cosine(block[at.STEER * LANES + lane])
        block[at.SIN_STEER * LANES + lane] = s
        block[at.COS_STEER * LANES + lane] = c
        for i in range(4):
            front = i < 2
            block[(at.COS + i) * LANES + lane] = c if front else 1.0
            block[(at.SIN + i) * LANES + lane] = s if front else 0.0
            block[(at.DRIVE + i) * LANES + lane] = block[(at.TORQUE + i) * LANES + lane]


@inlined
def _may_have_changed(block: Buffer, lane: int) -> bool:
    x = block[at.X * LANES + lane]
    yaw = block[at.YAW * LANES + lane]
    moved = (x < block[at.SAME_FROM * LANES + lane]) | (x >= block[at.SAME_TO * LANES + lane])
    left = yaw < block[at.SAME_YAW_FROM * LANES + lane]
    right = yaw >= block[at.SAME_YAW_TO * LANES + lane]
    changed: bool = moved | left | right
    return changed


@inlined
def _look_up_friction(block: Buffer, ground: Buffer) -> None:
    """Do as `stripe_friction` for the cars that need it, or as `painted_friction` for all."""
    painted = ground[SPLIT] + ground[GRID_AT] + ground[POLYGON_COUNT] > 0.0
    for lane in range(LANES):
        if painted or _may_have_changed(block, lane):
            _look_up_one(block, lane, painted, ground)


@inlined
def _look_up_own_friction(block: Buffer, roads: Buffer, starts: Buffer) -> None:
    """Do as `_look_up_friction`, for cars whose roads begin at `starts` of the array."""
    for lane in range(LANES):
        ground = roads[int(starts[lane]) :]
        painted = ground[SPLIT] + ground[GRID_AT] + ground[POLYGON_COUNT] > 0.0
        if painted or _may_have_changed(block, lane):
            _look_up_one(block, lane, painted, ground)


@inlined
def _look_up_one(block: Buffer, lane: int, painted: bool, ground: Buffer) -> None:
    x = block[at.X * LANES + lane]
    y = block[at.Y * LANES + lane]
    yaw = block[at.YAW * LANES + lane]
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
    low, high = free_range(x, room)
    left, right = free_range(yaw, room / block[at.REACH * LANES + lane])
    block[at.SAME_FROM * LANES + lane], block[at.SAME_TO * LANES + lane] = low, high
    block[at.SAME_YAW_FROM * LANES + lane], block[at.SAME_YAW_TO * LANES + lane] = left, right


@inlined
def _loads(block: Buffer) -> None:
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
def _lags(block: Buffer) -> None:
    """Speed of the contact patches, and how their slip follows it."""
    wide_vectors()
    for i in range(4):
        for lane in range(LANES):
            along, across = patch_speed(
                block[at.VX * LANES + lane],
                block[at.VY * LANES + lane],
                block[at.YAW_RATE * LANES + lane],
                block[(at.ARM_X + i) * LANES + lane],
                block[(at.ARM_Y + i) * LANES + lane],
                block[(at.COS + i) * LANES + lane],
                block[(at.SIN + i) * LANES + lane],
            )
            block[(at.ALONG + i) * LANES + lane] = along
            block[(at.ACROSS + i) * LANES + lane] = across
            (
                block[(at.STICK + i) * LANES + lane],
                block[(at.LAG_X + i) * LANES + lane],
                block[(at.LAG_Y + i) * LANES + lane],
                block[(at.GAIN_X + i) * LANES + lane],
                block[(at.GAIN_Y + i) * LANES + lane],
            ) = patch_lag(
                along,
                across,
                block[at.INVERSE_STICK_SPEED_SQUARED * LANES + lane],
                block[at.SLIP_FLOOR * LANES + lane],
                block[(at.STANDING_LENGTH + i) * LANES + lane],
                block[at.LENGTH_X * LANES + lane],
                block[at.LENGTH_Y * LANES + lane],
            )


@inlined
def _slips(block: Buffer) -> None:
    """Slip of the contact patches; SLOPE takes what the slip adds to the slope of the spin."""
    wide_vectors()
    for i in range(4):
        for lane in range(LANES):
            along = block[(at.ALONG + i) * LANES + lane]
            stick = block[(at.STICK + i) * LANES + lane]
            slip_x, slip_y, new_x, new_y, slip_per_rim = transient_slip(
                along,
                block[(at.ACROSS + i) * LANES + lane],
                block[at.RADIUS * LANES + lane] * block[(at.SPIN + i) * LANES + lane],
                block[(at.STRETCH_X + i) * LANES + lane],
                block[(at.STRETCH_Y + i) * LANES + lane],
                stick * block[(at.STANDING_DAMPING + i) * LANES + lane],
                block[(at.LAG_X + i) * LANES + lane],
                block[(at.LAG_Y + i) * LANES + lane],
                block[(at.GAIN_X + i) * LANES + lane],
                block[(at.GAIN_Y + i) * LANES + lane],
            )
            block[(at.SLIP_X + i) * LANES + lane] = slip_x
            block[(at.SLIP_Y + i) * LANES + lane] = slip_y
            block[(at.STRETCH_X + i) * LANES + lane] = new_x
            block[(at.STRETCH_Y + i) * LANES + lane] = new_y
            vy = block[at.VY * LANES + lane]
            rate = fma(vy, block[at.YAW_RATE * LANES + lane], block[at.AX * LANES + lane])
            balance = rate * block[at.SPIN_PER_SPEED * LANES + lane]
            block[(at.BALANCE + i) * LANES + lane] = balance * speed_share(new_x, along)
            per_slope = block[(at.SPIN_PER_SLOPE + i) * LANES + lane]
            per_x = block[(at.INVERSE_KAPPA_PEAK + i) * LANES + lane]
            block[(at.SLOPE + i) * LANES + lane] = slip_per_rim * per_slope * per_x
            x = slip_x * per_x
            y = slip_y * block[(at.INVERSE_ALPHA_PEAK + i) * LANES + lane]
            rho, inverse_rho, inverse_square = slip_length(x, y)
            block[(at.RHO + i) * LANES + lane] = rho
            block[(at.INVERSE_RHO + i) * LANES + lane] = inverse_rho
            block[(at.X_SHARE + i) * LANES + lane] = x * x * inverse_square


@inlined
def _angles(block: Buffer) -> None:
    """What the tyre's curves are sines of."""
    wide_vectors()
    for i in range(4):
        for lane in range(LANES):
            (
                block[(at.ANGLE_X + i) * LANES + lane],
                block[(at.ANGLE_Y + i) * LANES + lane],
                block[(at.SLOPE_UNIT + i) * LANES + lane],
            ) = mf96_angles(
                block[(at.RHO + i) * LANES + lane],
                block[(at.INVERSE_RHO + i) * LANES + lane],
                block[at.PEAK_X * LANES + lane],
                block[at.PEAK_Y * LANES + lane],
                block[at.INVERSE_PEAK_X * LANES + lane],
                block[at.INVERSE_PEAK_Y * LANES + lane],
                block[at.SHAPE_X * LANES + lane],
                block[at.SHAPE_Y * LANES + lane],
            )


@inlined
def _forces(block: Buffer) -> None:
    """Contact forces, and their slopes over the spins."""
    wide_vectors()
    for i in range(4):
        for lane in range(LANES):
            per_x = block[(at.INVERSE_KAPPA_PEAK + i) * LANES + lane]
            per_y = block[(at.INVERSE_ALPHA_PEAK + i) * LANES + lane]
            inverse_rho = block[(at.INVERSE_RHO + i) * LANES + lane]
            fx, fy, slope = mf96_force(
                block[(at.SLIP_X + i) * LANES + lane] * per_x,
                block[(at.SLIP_Y + i) * LANES + lane] * per_y,
                block[(at.ANGLE_X + i) * LANES + lane],
                block[(at.ANGLE_Y + i) * LANES + lane],
                inverse_rho,
                block[(at.SLOPE_UNIT + i) * LANES + lane],
                block[(at.X_SHARE + i) * LANES + lane],
                block[(at.MU + i) * LANES + lane] * block[(at.FZ + i) * LANES + lane],
                block[at.SLOPE_PEAK * LANES + lane],
            )
            kept = kept_stretch(inverse_rho, block[(at.STICK + i) * LANES + lane])
            block[(at.STRETCH_X + i) * LANES + lane] *= kept
            block[(at.STRETCH_Y + i) * LANES + lane] *= kept
            block[(at.FX + i) * LANES + lane] = fx
            block[(at.FY + i) * LANES + lane] = fy
            block[(at.SLOPE + i) * LANES + lane] *= slope
            (
                block[(at.BODY_FX + i) * LANES + lane],
                block[(at.BODY_FY + i) * LANES + lane],
                block[(at.MOMENT + i) * LANES + lane],
            ) = on_body(
                fx,
                fy,
                block[(at.COS + i) * LANES + lane],
                block[(at.SIN + i) * LANES + lane],
                block[(at.ARM_X + i) * LANES + lane],
                block[(at.ARM_Y + i) * LANES + lane],
            )


@inlined
def _free_spins(block: Buffer) -> None:
    """New spins but for brakes and locked differentials."""
    wide_vectors()
    for i in range(4):
        for lane in range(LANES):
            radius = block[at.RADIUS * LANES + lane]
            drive = block[(at.DRIVE + i) * LANES + lane]
            (
                block[(at.FREE_SPIN + i) * LANES + lane],
                block[(at.SPIN_GAIN + i) * LANES + lane],
            ) = free_spin(
                block[(at.SPIN + i) * LANES + lane],
                fma(-radius, block[(at.FX + i) * LANES + lane], drive),
                block[(at.SLOPE + i) * LANES + lane],
                block[(at.SLOPE_UNIT + i) * LANES + lane],
                block[(at.SPIN_PER_TORQUE + i) * LANES + lane],
                block[(at.BALANCE + i) * LANES + lane],
            )
            resistance = block[at.ROLLING_RESISTANCE * LANES + lane] * radius
            block[(at.SPIN_HOLD + i) * LANES + lane] = fma(
                resistance,
                block[(at.FZ + i) * LANES + lane],
                block[(at.BRAKE + i) * LANES + lane],
            )


@inlined
def _any_locked(block: Buffer) -> bool:
    locks = 0.0
    for lane in range(2 * LANES):
        locks += block[at.LOCK_FRONT * LANES + lane]
    return locks > 0.0


@inlined
def _lock(block: Buffer) -> None:
    """Make one wheel of both where a differential is locked (new_spins in stages.py)."""
    wide_vectors()
    for axle in range(2):
        left = 2 * axle * LANES
        right = left + LANES
        for lane in range(LANES):
            if block[(at.LOCK_FRONT + axle) * LANES + lane] > 0.0:
                spin, gain = joined_spin(
                    block[at.FREE_SPIN * LANES + left + lane],
                    block[at.FREE_SPIN * LANES + right + lane],
                    block[at.SPIN_GAIN * LANES + left + lane],
                    block[at.SPIN_GAIN * LANES + right + lane],
                )
                of_left = block[at.SPIN_HOLD * LANES + left + lane]
                hold = of_left + block[at.SPIN_HOLD * LANES + right + lane]
                for side in (left, right):
                    block[at.FREE_SPIN * LANES + side + lane] = spin
                    block[at.SPIN_GAIN * LANES + side + lane] = gain
                    block[at.SPIN_HOLD * LANES + side + lane] = hold


@inlined
def _spins(block: Buffer) -> None:
    wide_vectors()
    for i in range(4):
        for lane in range(LANES):
            block[(at.SPIN + i) * LANES + lane] = braked_spin(
                block[(at.FREE_SPIN + i) * LANES + lane],
                block[(at.SPIN_GAIN + i) * LANES + lane],
                block[(at.SPIN_HOLD + i) * LANES + lane],
                block[at.SPIN_MAX * LANES + lane],
            )


@inlined
def _sum(block: Buffer, field: int, lane: int) -> float:
    """Sum over the wheels, in the order of move_body."""
    front: float = block[field * LANES + lane] + block[(field + 1) * LANES + lane]
    rear: float = block[(field + 2) * LANES + lane] + block[(field + 3) * LANES + lane]
    return front + rear


@inlined
def _bodies(block: Buffer) -> int:
    """Do as `move_body`; return how many cars may have come to another friction."""
    wide_vectors()
    changed = 0
    for lane in range(LANES):
        (
            block[at.X * LANES + lane],
            block[at.Y * LANES + lane],
            block[at.YAW * LANES + lane],
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
            block[at.X * LANES + lane],
            block[at.Y * LANES + lane],
            block[at.YAW * LANES + lane],
            block[at.VX * LANES + lane],
            block[at.VY * LANES + lane],
            block[at.YAW_RATE * LANES + lane],
            _sum(block, at.BODY_FX, lane),
            _sum(block, at.BODY_FY, lane),
            _sum(block, at.MOMENT, lane),
            block[at.FORCE_X * LANES + lane],
            block[at.FORCE_Y * LANES + lane],
            block[at.YAW_ACC * LANES + lane],
            block[at.CHANGE_X * LANES + lane],
            block[at.CHANGE_Y * LANES + lane],
            block[at.YAW_CHANGE * LANES + lane],
            block[at.GRAVITY_X * LANES + lane],
            block[at.GRAVITY_Y * LANES + lane],
            block[at.DRAG * LANES + lane],
            block[at.INVERSE_MASS * LANES + lane],
            block[at.INVERSE_YAW_INERTIA * LANES + lane],
            block[at.INVERSE_STICK_SPEED_SQUARED * LANES + lane],
            block[at.DT * LANES + lane],
        )
        block[at.SUBSTEPS * LANES + lane] += 1.0
        changed += _may_have_changed(block, lane)
    return changed
