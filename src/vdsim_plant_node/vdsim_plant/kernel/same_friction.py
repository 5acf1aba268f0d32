"""Where a car cannot meet another friction: between two edges of the stripes across x.

Most substeps happen there: the lookup under four wheels becomes one comparison.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled import compiled
from vdsim_plant.ground.compilation import (
    GRID_AT,
    HEADER_SIZE,
    KNOT_COUNT,
    KNOT_STRIDE,
    POLYGON_COUNT,
    SPLIT,
)


@compiled
def same_mu_around(x: float, reach: float, ground: NDArray[np.float64]) -> tuple[float, float]:
    """Return (from, to): while from <= x < to [m] no wheel, at most `reach` away, meets another mu.

    An empty range (from > to) where that cannot be said.
    """
    first = -math.inf
    last = math.inf
    if ground[SPLIT] + ground[GRID_AT] + ground[POLYGON_COUNT] > 0.0:
        return last, first
    for k in range(int(ground[KNOT_COUNT])):
        at = HEADER_SIZE + KNOT_STRIDE * k
        edge = ground[at]
        if x - reach < edge:
            last = edge - reach
            break
        first = edge + reach
        if ground[at + 2] != 0.0 or ground[at + 4] != 0.0:
            first = math.inf
    return first, last
