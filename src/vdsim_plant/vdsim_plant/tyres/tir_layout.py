"""Where a tyre file's constants stand in a car's numbers, alone and in a block.

A car alone has them behind everything else, a row of the four wheels for each constant: wheels side
by side then read like cars side by side. A block has each once for every car, behind the numbers of
kernel/layout.py and the few more of float32 (narrow/layout.py), and then room for what goes from
one loop over lanes to the next: one wheel's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.kernel import layout as at
from vdsim_plant.parameters.tir import index as tir_index

Array = NDArray[np.float64]

ALONE = at.SIZE  # where they begin in a car alone,
RESTS = 6  # numbers that float32 has between (narrow/layout.py)
TYRE = ALONE + RESTS  # and in a block

WORK = TYRE + tir_index.SIZE
ALPHA = WORK  # what tir_law.py's functions give, under their names
TURN = WORK + 1
LOAD_CHANGE = WORK + 2
B_X = WORK + 3
PEAK_X = WORK + 4
B_Y = WORK + 5
PEAK_Y = WORK + 6
COSINE_X = WORK + 7
RATE_X = WORK + 8
COSINE_Y = WORK + 9
COSINE_PUSH = WORK + 10
PURE_X = WORK + 11
PURE_X_SLOPE = WORK + 12
PURE_Y = WORK + 13
WEIGHT_X = WORK + 14
REST_X = WORK + 15
WEIGHT_X_SLOPE = WORK + 16
REST_X_SLOPE = WORK + 17
WEIGHT_Y = WORK + 18
REST_Y = WORK + 19
WEIGHT_Y_SLOPE = WORK + 20
PUSH = WORK + 21
PUSH_SLOPE = WORK + 22
BEND_X = WORK + 23  # of the peaks
BEND_Y = WORK + 24
PEAK_AT_X = WORK + 25
PEAK_AT_Y = WORK + 26
MISSING_X = WORK + 27
MISSING_Y = WORK + 28

BLOCK_SIZE = WORK + 29

POINT = 12  # numbers of a row of tir_points.py


def with_constants(car: Array, constants: Array) -> Array:
    """Return a car's numbers with the tyre's constants behind them."""
    return np.concatenate([car, np.repeat(constants, 4)])


def in_a_block(car: Array) -> Array:
    """Return the numbers of such a car as a block holds them."""
    rests, work = np.zeros(TYRE - ALONE), np.zeros(BLOCK_SIZE - WORK)
    return np.concatenate([car[:ALONE], rests, car[ALONE::4], work])
