"""Steer that nobody gave: axles that turn as the body rolls, and under the tyres' side forces.

A table is odd, as a car is symmetric: straight between its points, constant beyond the last. It is
kept as the slope at 0 and up to BEND_KINKS changes of slope (kernel/layout.py). The side force is
that of the substep before. Called for one car and for the lanes of a block: number k of a car
stands at k * wide + lane.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.layout import LANES
from vdsim_plant.kernel.polynomials import sine_and_cosine

Buffer = NDArray[np.float64]


@inlined
def bend_of(car: Buffer, table: int, x: float, lane: int, wide: int) -> float:
    """Return what a table says at x [rad]."""
    size = abs(x)
    angle = car[table * wide + lane] * size
    for k in range(at.BEND_KINKS):
        over = size - car[(table + 1 + 2 * k) * wide + lane]
        angle += car[(table + 2 + 2 * k) * wide + lane] * (0.0 if over < 0.0 else over)
    bend: float = angle if x >= 0.0 else -angle
    return bend


@inlined
def bend_axles(car: Buffer, roll: float, lane: int, wide: int) -> None:
    """Turn the wheels of both axles; `roll` of the body [rad], right side down."""
    for axle in range(2):
        first = 2 * axle
        left = car[(at.BODY_FY + first) * wide + lane]
        side = left + car[(at.BODY_FY + first + 1) * wide + lane]
        tables = at.BEND_TABLES + 2 * axle * at.BEND_TABLE
        bend = bend_of(car, tables, roll, lane, wide)
        bend += bend_of(car, tables + at.BEND_TABLE, side, lane, wide)
        steer = car[at.STEER * wide + lane] if axle == 0 else 0.0
        s, c = sine_and_cosine(steer + bend)
        for i in range(first, first + 2):
            car[(at.COS + i) * wide + lane] = c
            car[(at.SIN + i) * wide + lane] = s


@inlined
def bend_a_car(car: Buffer) -> None:
    """Turn the wheels of one car whose body leans by its side force."""
    if car[at.BENDS] > 0.0:
        bend_axles(car, car[at.ROLL_PER_FORCE] * car[at.EXPECTED_Y], 0, 1)


@inlined
def any_bent(block: Buffer) -> bool:
    """Return whether an axle of a car of the block steers by itself."""
    bends = 0.0
    for lane in range(LANES):
        bends += block[at.BENDS * LANES + lane]
    return bends > 0.0


@inlined
def bend_cars(block: Buffer) -> None:
    """Turn the wheels of the cars of a block."""
    for lane in range(LANES):
        leans = block[at.ROLL_PER_FORCE * LANES + lane] * block[at.EXPECTED_Y * LANES + lane]
        bend_axles(block, leans, lane, LANES)
