"""What Python and the blocks exchange: held inputs go in, what the cars show comes out.

A step of a small batch is little else. Each way is one call here, which takes as long as two or
three operations of numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import carray, inlined
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.equations import clamp
from vdsim_plant.kernel.exchange_layout import (
    BRAKE_FRONT,
    DRIVE_FRONT,
    FORCE_MAX,
    LIMITS,
    NO_REST,
    STEER_MAX,
    TIME,
    TORQUE_PER_FORCE,
)
from vdsim_plant.kernel.layout import LANES

Buffer = NDArray[np.float64]


def hold_axles(
    blocks_at: Any,
    blocks_size: int,
    limits_at: Any,
    limits_size: int,
    given_at: Any,
    given_size: int,
    first: int,
    last: int,
) -> None:
    """Hold inputs in the blocks [first, last), as `Vehicle.hold_force` does: left and right alike.

    `limits`: the rows of exchange_layout.py; `given`: the cars' steer angles [rad], then their
    force intents [N]. The lanes behind the last car repeat it.
    """
    blocks = carray(blocks_at, (blocks_size,))
    limits = carray(limits_at, (limits_size,))
    given = carray(given_at, (given_size,))
    cars = given_size // 2
    columns = limits_size // LIMITS
    size = _block_size(blocks_size, cars)
    for k in range(first, last):
        block = blocks[k * size : (k + 1) * size]
        for lane in range(LANES):
            car = min(k * LANES + lane, cars - 1)
            of = car if columns > 1 else 0
            most = limits[STEER_MAX * columns + of]
            block[at.STEER * LANES + lane] = clamp(given[car], -most, most)
            most = limits[FORCE_MAX * columns + of]
            force = clamp(given[cars + car], -most, most)
            torque = limits[TORQUE_PER_FORCE * columns + of] * force
            drives = torque >= 0.0
            share = limits[DRIVE_FRONT * columns + of]
            front = torque * (share if drives else limits[BRAKE_FRONT * columns + of])
            rear = torque - front
            for i in range(4):
                wheel = front if i < 2 else rear
                block[(at.TORQUE + i) * LANES + lane] = wheel if wheel > 0.0 else 0.0
                block[(at.BRAKE + i) * LANES + lane] = -wheel if wheel < 0.0 else 0.0


def show_cars(
    blocks_at: Any,
    blocks_size: int,
    rests_at: Any,
    rests_size: int,
    dt_at: Any,
    dt_size: int,
    fields_at: Any,
    fields_size: int,
    shown_at: Any,
    shown_size: int,
    field_step: int,
    car_step: int,
    first: int,
    last: int,
) -> None:
    """Write fields of the cars in the blocks [first, last) to `shown`.

    `rests`: for each field where its missing digits are; `dt`: the substep of each car [s];
    `field_step`, `car_step`: how far apart two numbers are in `shown`.
    """
    blocks = carray(blocks_at, (blocks_size,))
    rests = carray(rests_at, (rests_size,))
    dt = carray(dt_at, (dt_size,))
    fields = carray(fields_at, (fields_size,))
    shown = carray(shown_at, (shown_size,))
    size = _block_size(blocks_size, dt_size)
    for k in range(first, last):
        block = blocks[k * size : (k + 1) * size]
        car = k * LANES
        count = min(LANES, dt_size - car)
        for row in range(fields_size):
            field = int(fields[row])
            to = row * field_step + car * car_step
            if rests[field] == NO_REST:
                for lane in range(count):
                    shown[to + lane * car_step] = block[field * LANES + lane]
            else:
                for lane in range(count):
                    value = _whole(block, rests, dt[car + lane], field, lane)
                    shown[to + lane * car_step] = value


def show_chosen(
    blocks_at: Any,
    blocks_size: int,
    rests_at: Any,
    rests_size: int,
    dt_at: Any,
    dt_size: int,
    fields_at: Any,
    fields_size: int,
    chosen_at: Any,
    chosen_size: int,
    shown_at: Any,
    shown_size: int,
) -> None:
    """Do as `show_cars` for the cars whose numbers are in `chosen`; `shown` is cars x fields."""
    blocks = carray(blocks_at, (blocks_size,))
    rests = carray(rests_at, (rests_size,))
    dt = carray(dt_at, (dt_size,))
    fields = carray(fields_at, (fields_size,))
    chosen = carray(chosen_at, (chosen_size,))
    shown = carray(shown_at, (shown_size,))
    size = _block_size(blocks_size, dt_size)
    for row_of_car in range(chosen_size):
        car = int(chosen[row_of_car])
        k = car // LANES
        lane = car - k * LANES
        block = blocks[k * size : (k + 1) * size]
        for row in range(fields_size):
            field = int(fields[row])
            shown[row_of_car * fields_size + row] = _whole(block, rests, dt[car], field, lane)


@inlined
def _block_size(blocks_size: int, cars: int) -> int:
    """Return how many numbers a block has: a car has more of them with the tyre of a file."""
    return blocks_size // ((cars + LANES - 1) // LANES)


@inlined
def _whole(block: Buffer, rests: Buffer, dt: float, field: int, lane: int) -> float:
    """Return a field of a car with all its digits."""
    if rests[field] == TIME:
        return dt * _with_rest(block, rests, at.SUBSTEPS, lane)
    return _with_rest(block, rests, field, lane)


@inlined
def _with_rest(block: Buffer, rests: Buffer, field: int, lane: int) -> float:
    value: float = np.float64(block[field * LANES + lane])
    if rests[field] != NO_REST:
        value += np.float64(block[int(rests[field]) * LANES + lane])
    return value
