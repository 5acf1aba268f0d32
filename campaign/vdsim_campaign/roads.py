"""The roads of the campaign: lines of a ground file each."""

from __future__ import annotations

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
TYRES_MPS2 = {SPLIT: 0.15 * _GRAVITY_MPS2}
"""Deceleration at which the first wheel locks, where that is less than a stop asks for: all wheels
have the same brake, so the ice under one side bounds both."""
