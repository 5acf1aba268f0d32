"""Many cars with tyres from property files: the stages of kernel/block.py with their force law.

The tyres of the cars of a block may differ: each lane has its own constants. What a wheel does is a
handful of short loops over lanes, for the reason that block.py gives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import carray, inlined
from vdsim_plant.compiled.intrinsics import wide_vectors
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.bends import any_bent, bend_cars
from vdsim_plant.kernel.block import take_inputs
from vdsim_plant.kernel.block_body import count_substeps, move_bodies, wheel_loads
from vdsim_plant.kernel.block_friction import look_up_friction
from vdsim_plant.kernel.block_wheels import (
    any_locked,
    free_spins,
    lock_axles,
    new_spins,
    patch_lags,
    patch_slips,
)
from vdsim_plant.kernel.contact import put_contact_force
from vdsim_plant.kernel.equations import kept_stretch
from vdsim_plant.kernel.layout import LANES
from vdsim_plant.kernel.observing import observe_block
from vdsim_plant.parameters.tir import index as tir_index
from vdsim_plant.tyres import tir_layout as to
from vdsim_plant.tyres.tir_combined import (
    combined,
    fading,
    inside_circle,
    side_push,
    weight_on_fx,
    weight_on_fy,
)
from vdsim_plant.tyres.tir_law import curve_factors, load_change, pure_forces, side_of
from vdsim_plant.tyres.tir_peaks import (
    STEPS,
    nearer_peak,
    peak_bends,
    shown_peaks,
)

Buffer = NDArray[np.float64]


def advance_tir_blocks(
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
    """Do as `advance_blocks`, for cars with tyres from property files (tir_layout.py)."""
    blocks = carray(blocks_at, (blocks_size,))
    roads = carray(roads_at, (roads_size,))
    starts = carray(starts_at, (starts_size,))
    wide_vectors()
    size = blocks_size // starts_size * LANES
    for k in range(first, last):
        block = blocks[k * size : (k + 1) * size]
        take_inputs(block)
        locked = any_locked(block)
        bent = any_bent(block)
        done = 0
        while done < substeps:
            look_up_friction(block, roads, starts[k * LANES : (k + 1) * LANES])
            while True:
                wheel_loads(block)
                if bent:
                    bend_cars(block)
                patch_lags(block)
                patch_slips(block)
                for i in range(4):
                    _factors(block, i)
                    _pure_forces(block, i)
                    _weights_on_fx(block, i)
                    _weights_on_fy(block, i)
                    _forces(block, i)
                may_have_changed = move_bodies(block)
                free_spins(block)
                if locked:
                    lock_axles(block)
                new_spins(block)
                done += 1
                if done >= substeps or may_have_changed > 0:
                    break
        count_substeps(block, done)
        observe_block(block)
        for i in range(4):
            _observe_peaks(block, i)


@inlined
def _factors(block: Buffer, i: int) -> None:
    """What depends on load and friction alone, and how the weights fade."""
    wide_vectors()
    for lane in range(LANES):
        place = to.TYRE * LANES + lane
        alpha, block[to.TURN * LANES + lane] = side_of(
            block[(at.SLIP_Y + i) * LANES + lane],
            block[(at.SIDE + i) * LANES + lane],
            block,
            place,
            LANES,
        )
        load, dfz = load_change(block[(at.FZ + i) * LANES + lane], block, place, LANES)
        block[to.ALPHA * LANES + lane] = alpha
        block[to.LOAD_CHANGE * LANES + lane] = dfz
        (
            block[to.B_X * LANES + lane],
            block[to.PEAK_X * LANES + lane],
            block[to.B_Y * LANES + lane],
            block[to.PEAK_Y * LANES + lane],
        ) = curve_factors(load, dfz, block[(at.MU + i) * LANES + lane], block, place, LANES)
        (
            block[to.COSINE_X * LANES + lane],
            block[to.RATE_X * LANES + lane],
            block[to.COSINE_Y * LANES + lane],
            block[to.COSINE_PUSH * LANES + lane],
        ) = fading(block[(at.SLIP_X + i) * LANES + lane], alpha, block, place, LANES)


@inlined
def _pure_forces(block: Buffer, i: int) -> None:
    wide_vectors()
    for lane in range(LANES):
        (
            block[to.PURE_X * LANES + lane],
            block[to.PURE_X_SLOPE * LANES + lane],
            block[to.PURE_Y * LANES + lane],
        ) = pure_forces(
            block[(at.SLIP_X + i) * LANES + lane],
            block[to.ALPHA * LANES + lane],
            block[to.LOAD_CHANGE * LANES + lane],
            block[(at.MU + i) * LANES + lane],
            1.0 - block[(at.STICK + i) * LANES + lane],
            block[to.B_X * LANES + lane],
            block[to.PEAK_X * LANES + lane],
            block[to.B_Y * LANES + lane],
            block[to.PEAK_Y * LANES + lane],
            block,
            to.TYRE * LANES + lane,
            LANES,
        )


@inlined
def _weights_on_fx(block: Buffer, _i: int) -> None:
    wide_vectors()
    for lane in range(LANES):
        (
            block[to.WEIGHT_X * LANES + lane],
            block[to.REST_X * LANES + lane],
            block[to.WEIGHT_X_SLOPE * LANES + lane],
            block[to.REST_X_SLOPE * LANES + lane],
        ) = weight_on_fx(
            block[to.ALPHA * LANES + lane],
            block[to.LOAD_CHANGE * LANES + lane],
            block[to.COSINE_X * LANES + lane],
            block[to.RATE_X * LANES + lane],
            block,
            to.TYRE * LANES + lane,
            LANES,
        )


@inlined
def _weights_on_fy(block: Buffer, i: int) -> None:
    """The weights of the slip ratio, and the side force that it induces."""
    wide_vectors()
    for lane in range(LANES):
        place = to.TYRE * LANES + lane
        slip_x = block[(at.SLIP_X + i) * LANES + lane]
        dfz = block[to.LOAD_CHANGE * LANES + lane]
        (
            block[to.WEIGHT_Y * LANES + lane],
            block[to.REST_Y * LANES + lane],
            block[to.WEIGHT_Y_SLOPE * LANES + lane],
        ) = weight_on_fy(slip_x, dfz, block[to.COSINE_Y * LANES + lane], block, place, LANES)
        block[to.PUSH * LANES + lane], block[to.PUSH_SLOPE * LANES + lane] = side_push(
            slip_x,
            dfz,
            1.0 - block[(at.STICK + i) * LANES + lane],
            block[to.PEAK_Y * LANES + lane],
            block[to.COSINE_PUSH * LANES + lane],
            block,
            place,
            LANES,
        )


@inlined
def _forces(block: Buffer, i: int) -> None:
    """Contact forces, and their slopes over the spins."""
    wide_vectors()
    for lane in range(LANES):
        fx, fy, fx_slope, fy_slope = combined(
            block[to.PURE_X * LANES + lane],
            block[to.PURE_X_SLOPE * LANES + lane],
            block[to.PURE_Y * LANES + lane],
            block[to.WEIGHT_X * LANES + lane],
            block[to.REST_X * LANES + lane],
            block[to.WEIGHT_X_SLOPE * LANES + lane],
            block[to.REST_X_SLOPE * LANES + lane],
            block[to.WEIGHT_Y * LANES + lane],
            block[to.REST_Y * LANES + lane],
            block[to.WEIGHT_Y_SLOPE * LANES + lane],
            block[to.PUSH * LANES + lane],
            block[to.PUSH_SLOPE * LANES + lane],
        )
        fx, fy, slope = inside_circle(
            fx,
            fy,
            fx_slope,
            fy_slope,
            block[(at.MU + i) * LANES + lane],
            block[(at.FZ + i) * LANES + lane],
            block[to.TURN * LANES + lane],
        )
        kept = kept_stretch(
            block[(at.INVERSE_RHO + i) * LANES + lane], block[(at.STICK + i) * LANES + lane]
        )
        block[(at.STRETCH_X + i) * LANES + lane] *= kept
        block[(at.STRETCH_Y + i) * LANES + lane] *= kept
        block[(at.SLOPE + i) * LANES + lane] *= slope
        unit = block[(at.INVERSE_KAPPA_PEAK + i) * LANES + lane]
        block[(at.SLOPE_UNIT + i) * LANES + lane] = unit
        put_contact_force(block, i, lane, LANES, fx, fy)


@inlined
def _observe_peaks(block: Buffer, i: int) -> None:
    """Do as `observe_tir_peaks` for one wheel of each car."""
    wide_vectors()
    for lane in range(LANES):
        place = to.TYRE * LANES + lane
        _, dfz = load_change(block[(at.FZ + i) * LANES + lane], block, place, LANES)
        block[to.BEND_X * LANES + lane], block[to.BEND_Y * LANES + lane] = peak_bends(
            dfz,
            block[(at.SLIP_X + i) * LANES + lane],
            block[(at.SLIP_Y + i) * LANES + lane],
            block[(at.SIDE + i) * LANES + lane],
            block,
            place,
            LANES,
        )
        target_x = block[(to.TYRE + tir_index.TARGET_X) * LANES + lane]
        target_y = block[(to.TYRE + tir_index.TARGET_Y) * LANES + lane]
        block[to.PEAK_AT_X * LANES + lane] = target_x
        block[to.PEAK_AT_Y * LANES + lane] = target_y
    for _ in range(STEPS):
        _nearer_peaks(block)
    wheel = at.OBSERVED_WHEELS + at.OBSERVED_PER_WHEEL * i
    peaks = wheel + at.OBSERVED_PEAKS
    for lane in range(LANES):
        (
            block[(wheel + 6) * LANES + lane],
            block[peaks * LANES + lane],
            block[(peaks + 1) * LANES + lane],
        ) = shown_peaks(
            block[to.PEAK_AT_X * LANES + lane],
            block[to.PEAK_AT_Y * LANES + lane],
            block[to.MISSING_X * LANES + lane],
            block[to.MISSING_Y * LANES + lane],
            block[(at.FZ + i) * LANES + lane],
            block[(at.MU + i) * LANES + lane],
            block,
            to.TYRE * LANES + lane,
            LANES,
        )


@inlined
def _nearer_peaks(block: Buffer) -> None:
    wide_vectors()
    for lane in range(LANES):
        (
            block[to.PEAK_AT_X * LANES + lane],
            block[to.MISSING_X * LANES + lane],
        ) = nearer_peak(
            block[to.PEAK_AT_X * LANES + lane],
            block[(to.TYRE + tir_index.TARGET_X) * LANES + lane],
            block[to.BEND_X * LANES + lane],
        )
        (
            block[to.PEAK_AT_Y * LANES + lane],
            block[to.MISSING_Y * LANES + lane],
        ) = nearer_peak(
            block[to.PEAK_AT_Y * LANES + lane],
            block[(to.TYRE + tir_index.TARGET_Y) * LANES + lane],
            block[to.BEND_Y * LANES + lane],
        )
