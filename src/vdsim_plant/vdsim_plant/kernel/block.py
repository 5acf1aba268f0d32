"""Many cars: the stages of a substep with LANES cars side by side, number k of car l at k, l.

This is the loop; its stages are in block_friction.py, block_body.py and block_wheels.py. The
operations on each car are those of stages.py, from the same functions in the same order, so that a
car in a block gives the same bits as a car alone.

What a wheel does is five short loops over lanes here, where a car alone has one. A substep of one
wheel is a chain of operations that wait for each other; the processor is kept busy by the chains of
other lanes, as far as it can look ahead. Short loops let it see more of them, and leave registers
to the constants. For the same reason the bodies come before the spins, which do not need them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import carray, inlined
from vdsim_plant.compiled.intrinsics import wide_vectors
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.bends import any_bent, bend_cars
from vdsim_plant.kernel.block_body import count_substeps, move_bodies, wheel_loads
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

Buffer = NDArray[np.float64]


def advance_blocks(
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
    """Advance the blocks [first, last), inputs held. See also single.py.

    `roads` has the cars' roads one after the other: that of a car begins at its number in `starts`.
    """
    blocks = carray(blocks_at, (blocks_size,))
    roads = carray(roads_at, (roads_size,))
    starts = carray(starts_at, (starts_size,))
    wide_vectors()
    size = blocks_size // starts_size * LANES  # behind a car there may be its assistance
    for k in range(first, last):
        block = blocks[k * size : (k + 1) * size]
        take_inputs(block)
        locked = any_locked(block)
        bent = any_bent(block)
        done = 0
        while done < substeps:
            look_up_friction(block, roads, starts[k * LANES : (k + 1) * LANES])
            # As in single.py this loop calls nothing.
            while True:
                wheel_loads(block)
                if bent:
                    bend_cars(block)
                patch_lags(block)
                patch_slips(block)
                curve_angles(block)
                contact_forces(block)
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


@inlined
def take_inputs(block: Buffer) -> None:
    """Spread the steer angles over the wheels; take the torques. Both are held."""
    for lane in range(LANES):
        s, c = sine_and_cosine(block[at.STEER * LANES + lane])
        block[at.SIN_STEER * LANES + lane] = s
        block[at.COS_STEER * LANES + lane] = c
        for i in range(4):
            front = i < 2
            block[(at.COS + i) * LANES + lane] = c if front else 1.0
            block[(at.SIN + i) * LANES + lane] = s if front else 0.0
            block[(at.DRIVE + i) * LANES + lane] = block[(at.TORQUE + i) * LANES + lane]
