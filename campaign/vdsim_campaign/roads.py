"""The roads of the campaign: the lines of their ground files, and what they do to a stop."""

from __future__ import annotations

import math
from typing import NamedTuple

FLAT = "flat"
SLIPPERY = "ice"
SPLIT = "split"
HILLS = {"up_8": 0.08, "up_20": 0.20, "down_8": -0.08, "down_20": -0.20}
"""Slope along x, in which the car drives."""
DISK_FULL = "full disk"
"""A flat road, and a plant whose recording may not grow."""
SLIPPERY_MU = 0.3

GROUNDS = {
    FLAT: "",
    DISK_FULL: "",
    SLIPPERY: f"base_mu: {SLIPPERY_MU}\n",
    SPLIT: "base_mu: 0.7\nsplit: {mu_left: 0.15, mu_right: 0.7, y_m: 0.0}\n",
    **{name: f"base_mu: 0.9\nslope_x: {grade}\n" for name, grade in HILLS.items()},
}

_GRAVITY_MPS2 = 9.81


class Road(NamedTuple):
    """What a road does to a stop along x."""

    tyres_mps2: float = math.inf
    """The most that all tyres take together before the first of them locks."""
    uphill_mps2: float = 0.0
    """What the slope takes from the speed by itself; negative: it adds."""


ROADS = {
    FLAT: Road(),
    DISK_FULL: Road(),
    SLIPPERY: Road(),
    # All wheels have the same brake, so the ice under one side bounds both.
    SPLIT: Road(tyres_mps2=0.15 * _GRAVITY_MPS2),
    **{
        name: Road(uphill_mps2=_GRAVITY_MPS2 * math.sin(math.atan(grade)))
        for name, grade in HILLS.items()
    },
}
