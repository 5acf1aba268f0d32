"""Friction on a road that only has stripes across x: quick to look up, and quick to compile.

The values are those of `mu_at`, to the bit. Most substeps need no lookup at all: while the car has
neither moved nor turned by more than the wheels' room to the nearest edge, nothing can change.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.ground.compilation import BASE_MU, HEADER_SIZE, KNOT_COUNT, KNOT_STRIDE

Buffer = NDArray[np.float64]


@inlined
def striped_mu(x: float, ground: Buffer) -> tuple[float, float]:
    """Return the friction at world x [m], and how far [m] from there it changes.

    That distance is 0 inside a ramp.
    """
    cover = 0.0
    paint = 0.0
    room = math.inf
    on_ramp = False
    for k in range(int(ground[KNOT_COUNT])):
        at = HEADER_SIZE + KNOT_STRIDE * k
        beyond = x - ground[at]
        if beyond >= 0.0:
            cover = ground[at + 1] + ground[at + 2] * beyond
            paint = ground[at + 3] + ground[at + 4] * beyond
            on_ramp = ground[at + 2] != 0.0 or ground[at + 4] != 0.0
        room = min(room, abs(beyond))
    mu: float = ground[BASE_MU] * (1.0 - cover) + paint
    return mu, 0.0 if on_ramp else room


# How a wheel's room to the nearest edge is shared out between moving and turning, which moves it by
# at most its arm times the angle. Most of it is for moving: the smaller the part that an approach
# to an edge leaves, the fewer lookups it takes.
TO_MOVE = 0.88
TO_TURN = 0.11


@inlined
def free_range(place: float, room: float, share: float) -> tuple[float, float]:
    """Return (from, to): while from <= place < to, less than a share of the room is used up."""
    free = share * room
    return place - free, place + free
