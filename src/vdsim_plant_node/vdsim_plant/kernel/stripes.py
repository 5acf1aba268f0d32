"""Friction on a road that only has stripes across x: quick to look up, and quick to compile.

The values are those of `mu_at`, to the bit.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground.compilation import BASE_MU, HEADER_SIZE, KNOT_COUNT, KNOT_STRIDE
from vdsim_plant.kernel.inlining import inlined

Buffer = NDArray[np.float64]


@inlined
def striped_mu(x: float, ground: Buffer) -> float:
    """Return the friction at world x [m]."""
    cover = 0.0
    paint = 0.0
    for k in range(int(ground[KNOT_COUNT])):
        at = HEADER_SIZE + KNOT_STRIDE * k
        beyond = x - ground[at]
        if beyond >= 0.0:
            cover = ground[at + 1] + ground[at + 2] * beyond
            paint = ground[at + 3] + ground[at + 4] * beyond
    mu: float = ground[BASE_MU] * (1.0 - cover) + paint
    return mu


@inlined
def same_mu_around(x: float, reach: float, ground: Buffer) -> tuple[float, float]:
    """Return (from, to): while from <= x < to [m] no wheel, at most `reach` away, meets another mu.

    Most substeps happen there and need no lookup. An empty range where that cannot be said.
    """
    first = -math.inf
    last = math.inf
    for k in range(int(ground[KNOT_COUNT])):
        at = HEADER_SIZE + KNOT_STRIDE * k
        edge = ground[at]
        if x - reach < edge:
            last = edge - reach
            break
        changes = ground[at + 2] != 0.0 or ground[at + 4] != 0.0
        first = math.inf if changes else edge + reach
    return first, last
