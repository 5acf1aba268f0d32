"""Many cars of level l3: the loop of kernel/block.py with bodies on springs (ride/body.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import carray, inlined
from vdsim_plant.compiled.intrinsics import wide_vectors
from vdsim_plant.ground import heights
from vdsim_plant.ground.heights import COLUMNS, HEADER_SIZE, INVERSE_CELL, ROWS, X0, Y0
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.bends import any_bent, bend_axles
from vdsim_plant.kernel.block import take_inputs
from vdsim_plant.kernel.block_body import count_substeps, move_bodies
from vdsim_plant.kernel.block_friction import look_up_friction
from vdsim_plant.kernel.block_wheels import (
    any_locked,
    contact_forces,
    curve_angles,
    free_spins,
    lock_axles,
    new_spins,
    patch_lags,
    patch_slips,
)
from vdsim_plant.kernel.layout import LANES
from vdsim_plant.kernel.observing import observe_block
from vdsim_plant.kernel.polynomials import sine_and_cosine
from vdsim_plant.ride import layout as l3
from vdsim_plant.ride.body import (
    contact_point,
    corner_force,
    moved_body,
    moved_wheel,
    observe_body,
    patches_aside,
    push_of_forces,
    road_push,
    tyre_load,
)

Buffer = NDArray[np.float64]

cell_of = inlined(heights.cell_of)
height_in = inlined(heights.height_in)


def advance_ride_blocks(
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
    """Do as `advance_blocks`; a car's heights stand behind its friction, at its SURFACE."""
    blocks = carray(blocks_at, (blocks_size,))
    roads = carray(roads_at, (roads_size,))
    starts = carray(starts_at, (starts_size,))
    wide_vectors()
    size = blocks_size // starts_size * LANES
    for k in range(first, last):
        block = blocks[k * size : (k + 1) * size]
        places = starts[k * LANES : (k + 1) * LANES]
        take_inputs(block)
        locked = any_locked(block)
        bent = any_bent(block)
        uneven = take_grids(block, roads, places)
        parts = most_parts(block)
        done = 0
        while done < substeps:
            look_up_friction(block, roads, places)
            while True:
                if uneven:
                    look_up_heights(block, roads)
                tyre_loads(block)
                if bent:
                    bend_by_roll(block)
                slide_patches(block)
                patch_lags(block)
                patch_slips(block)
                curve_angles(block)
                contact_forces(block)
                show_bodies(block)
                move_suspensions(block, parts)
                if uneven:
                    push_by_road(block)
                may_have_changed = move_bodies(block)
                if uneven:
                    pull_alone(block)
                free_spins(block)
                if locked:
                    lock_axles(block)
                new_spins(block)
                done += 1
                if done >= substeps or may_have_changed > 0:
                    break
        count_substeps(block, done)
        observe_block(block)
        for lane in range(LANES):
            observe_body(block, lane, LANES)


@inlined
def take_grids(block: Buffer, roads: Buffer, starts: Buffer) -> bool:
    """Put down what the cars' grids of heights are like; return whether there is one."""
    rows = 0.0
    for lane in range(LANES):
        first = int(starts[lane] + block[l3.SURFACE * LANES + lane])
        rows += roads[first + ROWS]
        for k in range(HEADER_SIZE):
            block[(l3.GRID + k) * LANES + lane] = roads[first + k]
        block[l3.HEIGHTS * LANES + lane] = float(first + HEADER_SIZE)
    return rows > 0.0


@inlined
def most_parts(block: Buffer) -> int:
    """Return into how many parts the vertical motions of a car of the block take a substep."""
    parts = 0.0
    for lane in range(LANES):
        parts = max(parts, block[l3.PARTS * LANES + lane])
    return int(parts)


@inlined
def look_up_heights(block: Buffer, roads: Buffer) -> None:
    """Height and rise of the road under the wheels."""
    wide_vectors()
    for lane in range(LANES):
        (
            block[l3.SIN_YAW * LANES + lane],
            block[l3.COS_YAW * LANES + lane],
        ) = sine_and_cosine(block[at.YAW * LANES + lane])
    for i in range(4):
        _find_cells(block, i)
        for lane in range(LANES):  # the only loop that reads at places of its own
            south = int(block[l3.CELL * LANES + lane])
            north = int(block[(l3.CELL + 1) * LANES + lane])
            block[l3.CORNERS * LANES + lane] = roads[south]
            block[(l3.CORNERS + 1) * LANES + lane] = roads[south + 1]
            block[(l3.CORNERS + 2) * LANES + lane] = roads[north]
            block[(l3.CORNERS + 3) * LANES + lane] = roads[north + 1]
        _put_heights(block, i)


@inlined
def _find_cells(block: Buffer, i: int) -> None:
    for lane in range(LANES):
        s, c = block[l3.SIN_YAW * LANES + lane], block[l3.COS_YAW * LANES + lane]
        x, y = contact_point(block, i, s, c, lane, LANES)
        columns = block[(l3.GRID + COLUMNS) * LANES + lane]
        (
            place,
            block[l3.SHARES * LANES + lane],
            block[(l3.SHARES + 1) * LANES + lane],
            block[(l3.SHARES + 2) * LANES + lane],
            block[(l3.SHARES + 3) * LANES + lane],
        ) = cell_of(
            x,
            y,
            block[(l3.GRID + ROWS) * LANES + lane],
            columns,
            block[(l3.GRID + X0) * LANES + lane],
            block[(l3.GRID + Y0) * LANES + lane],
            block[(l3.GRID + INVERSE_CELL) * LANES + lane],
        )
        south = block[l3.HEIGHTS * LANES + lane] + place
        block[l3.CELL * LANES + lane] = south
        block[(l3.CELL + 1) * LANES + lane] = south + columns


@inlined
def _put_heights(block: Buffer, i: int) -> None:
    for lane in range(LANES):
        (
            block[(l3.ROAD_Z + i) * LANES + lane],
            block[(l3.ROAD_X + i) * LANES + lane],
            block[(l3.ROAD_Y + i) * LANES + lane],
        ) = height_in(
            block[l3.CORNERS * LANES + lane],
            block[(l3.CORNERS + 1) * LANES + lane],
            block[(l3.CORNERS + 2) * LANES + lane],
            block[(l3.CORNERS + 3) * LANES + lane],
            block[l3.SHARES * LANES + lane],
            block[(l3.SHARES + 1) * LANES + lane],
            block[(l3.SHARES + 2) * LANES + lane],
            block[(l3.SHARES + 3) * LANES + lane],
        )


@inlined
def tyre_loads(block: Buffer) -> None:
    """Wheel loads from the tyres' springs."""
    wide_vectors()
    for i in range(4):
        for lane in range(LANES):
            block[(at.FZ + i) * LANES + lane] = tyre_load(block, i, lane, LANES)


@inlined
def bend_by_roll(block: Buffer) -> None:
    """Turn the wheels of the cars whose axles steer by themselves."""
    for lane in range(LANES):
        if block[at.BENDS * LANES + lane] > 0.0:
            bend_axles(block, block[l3.ROLL * LANES + lane], lane, LANES)


@inlined
def slide_patches(block: Buffer) -> None:
    """Let VY be that of the contact patches, which roll moves as well."""
    wide_vectors()
    for lane in range(LANES):
        vy = block[at.VY * LANES + lane]
        block[l3.BODY_VY * LANES + lane] = vy
        block[at.VY * LANES + lane] = vy + patches_aside(block, lane, LANES)


@inlined
def show_bodies(block: Buffer) -> None:
    """Let VY be the car's again."""
    wide_vectors()
    for lane in range(LANES):
        block[at.VY * LANES + lane] = block[l3.BODY_VY * LANES + lane]


@inlined
def push_by_road(block: Buffer) -> None:
    """Let gravity pull with what the road's rise pushes."""
    wide_vectors()
    for lane in range(LANES):
        x, y = road_push(block, lane, LANES)
        gravity_x = block[at.GRAVITY_X * LANES + lane]
        gravity_y = block[at.GRAVITY_Y * LANES + lane]
        block[l3.OWN_GRAVITY * LANES + lane] = gravity_x
        block[(l3.OWN_GRAVITY + 1) * LANES + lane] = gravity_y
        block[at.GRAVITY_X * LANES + lane] = gravity_x + x
        block[at.GRAVITY_Y * LANES + lane] = gravity_y + y


@inlined
def pull_alone(block: Buffer) -> None:
    """Let gravity pull as on the plane again."""
    wide_vectors()
    for lane in range(LANES):
        block[at.GRAVITY_X * LANES + lane] = block[l3.OWN_GRAVITY * LANES + lane]
        block[at.GRAVITY_Y * LANES + lane] = block[(l3.OWN_GRAVITY + 1) * LANES + lane]


@inlined
def move_suspensions(block: Buffer, parts: int) -> None:
    """Advance bodies and wheels on their springs; a car whose parts are done stays as it is."""
    wide_vectors()
    for lane in range(LANES):
        (
            block[l3.LINK * LANES + lane],
            block[(l3.LINK + 1) * LANES + lane],
            block[l3.LEANS * LANES + lane],
            block[l3.DIVES * LANES + lane],
            block[l3.LIFTS * LANES + lane],
        ) = push_of_forces(block, lane, LANES)
    for part in range(parts):
        for lane in range(LANES):
            dt = block[at.DT * LANES + lane] * block[l3.INVERSE_PARTS * LANES + lane]
            block[l3.PART_DT * LANES + lane] = dt if part < block[l3.PARTS * LANES + lane] else 0.0
        # Of a number that is not known here it cannot be seen that wheels do not write to others.
        _push_corners(block, 0)
        _push_corners(block, 1)
        _push_corners(block, 2)
        _push_corners(block, 3)
        for i in range(4):
            for lane in range(LANES):
                (
                    block[(l3.WHEEL_RATE + i) * LANES + lane],
                    block[(l3.WHEEL_Z + i) * LANES + lane],
                ) = moved_wheel(block, i, block[l3.PART_DT * LANES + lane], lane, LANES)
        for lane in range(LANES):
            (
                block[l3.HEAVE * LANES + lane],
                block[l3.ROLL * LANES + lane],
                block[l3.PITCH * LANES + lane],
                block[l3.HEAVE_RATE * LANES + lane],
                block[l3.ROLL_RATE * LANES + lane],
                block[l3.PITCH_RATE * LANES + lane],
                block[l3.ROLL_ACC * LANES + lane],
            ) = moved_body(block, block[l3.PART_DT * LANES + lane], lane, LANES)


@inlined
def _push_corners(block: Buffer, i: int) -> None:
    for lane in range(LANES):
        (
            block[(l3.CORNER_FORCE + i) * LANES + lane],
            block[(l3.WHEEL_ACC + i) * LANES + lane],
        ) = corner_force(block, i, lane, LANES)
