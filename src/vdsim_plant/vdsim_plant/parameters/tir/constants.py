"""The coefficients of a property file as the constants that the force law reads."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.parameters.tir import index as at

Array = NDArray[np.float64]

# The peak factor falls with load; beyond the fitted loads it must not reach zero or below.
_LOWEST_PEAK_SHARE = 0.05
_LEAST_LOAD_SHARE = 1e-3  # of the nominal load, where the file states no lowest one


def law_constants(p: Mapping[str, float], *, mu_reference: float, file_side: float) -> Array:
    """Return the constants in the order of index.py.

    PKY1 < 0: the file follows ISO, where a positive slip angle gives a negative side force;
    PKY1 > 0: it follows the adapted SAE axes, where y points the other way.
    """
    c = np.zeros(at.SIZE)
    c[at.FNOMIN] = p["FNOMIN"]
    c[at.LOAD_LEAST] = min(max(p["FZMIN"], _LEAST_LOAD_SHARE * p["FNOMIN"]), p["FZMAX"])
    c[at.LOAD_MOST] = p["FZMAX"]
    c[at.INVERSE_FZ0] = _inverse(p["LFZO"] * p["FNOMIN"])
    c[at.INVERSE_MU] = _inverse(mu_reference)
    c[at.FILE_SIDE] = file_side
    c[at.FY_SIGN] = 1.0 if p["PKY1"] < 0.0 else -1.0
    _put_longitudinal(c, p)
    _put_lateral(c, p)
    _put_combined(c, p)
    return c


def _put_longitudinal(c: Array, p: Mapping[str, float]) -> None:
    shape = p["PCX1"] * p["LCX"]
    c[at.SHAPE_X], c[at.INVERSE_SHAPE_X] = shape, _inverse(shape)
    c[at.PEAK_X0], c[at.PEAK_X1] = p["PDX1"] * p["LMUX"], p["PDX2"] * p["LMUX"]
    c[at.PEAK_X_LEAST] = _LOWEST_PEAK_SHARE * c[at.PEAK_X0]
    c[at.STIFF_X0], c[at.STIFF_X1] = p["PKX1"] * p["LKX"], p["PKX2"] * p["LKX"]
    c[at.STIFF_X_RATE] = p["PKX3"]
    c[at.BEND_X0], c[at.BEND_X1] = p["PEX1"] * p["LEX"], p["PEX2"] * p["LEX"]
    c[at.BEND_X2], c[at.BEND_X_SIDE] = p["PEX3"] * p["LEX"], p["PEX4"]
    c[at.SHIFT_X0], c[at.SHIFT_X1] = p["PHX1"] * p["LHX"], p["PHX2"] * p["LHX"]
    scale = p["LVX"] * p["LMUX"]
    c[at.RISE_X0], c[at.RISE_X1] = p["PVX1"] * scale, p["PVX2"] * scale
    c[at.TARGET_X], c[at.NO_PEAK_X] = _target(shape)


def _put_lateral(c: Array, p: Mapping[str, float]) -> None:
    shape = p["PCY1"] * p["LCY"]
    c[at.SHAPE_Y], c[at.INVERSE_SHAPE_Y] = shape, _inverse(shape)
    c[at.PEAK_Y0], c[at.PEAK_Y1] = p["PDY1"] * p["LMUY"], p["PDY2"] * p["LMUY"]
    c[at.PEAK_Y_LEAST] = _LOWEST_PEAK_SHARE * c[at.PEAK_Y0]
    # K = PKY1 Fz0 sin(2 atan(u)), u = Fz / (PKY2 Fz0), and sin(2 atan u) = 2 u / (1 + u^2)
    c[at.STIFF_Y0] = 2.0 * p["PKY1"] * p["LKY"] / p["PKY2"]
    c[at.STIFF_Y_LOAD] = _inverse(p["PKY2"] * p["LFZO"] * p["FNOMIN"])
    c[at.BEND_Y0], c[at.BEND_Y1] = p["PEY1"] * p["LEY"], p["PEY2"] * p["LEY"]
    c[at.BEND_Y_SIDE] = p["PEY3"]
    c[at.SHIFT_Y0], c[at.SHIFT_Y1] = p["PHY1"] * p["LHY"], p["PHY2"] * p["LHY"]
    scale = p["LVY"] * p["LMUY"]
    c[at.RISE_Y0], c[at.RISE_Y1] = p["PVY1"] * scale, p["PVY2"] * scale
    c[at.TARGET_Y], c[at.NO_PEAK_Y] = _target(shape)


def _put_combined(c: Array, p: Mapping[str, float]) -> None:
    c[at.WEIGHT_X_B], c[at.WEIGHT_X_FADE] = p["RBX1"] * p["LXAL"], p["RBX2"]
    c[at.WEIGHT_X_SHAPE], c[at.WEIGHT_X_SHIFT] = p["RCX1"], p["RHX1"]
    c[at.WEIGHT_X_BEND0], c[at.WEIGHT_X_BEND1] = p["REX1"], p["REX2"]
    c[at.WEIGHT_Y_B], c[at.WEIGHT_Y_FADE] = p["RBY1"] * p["LYKA"], p["RBY2"]
    c[at.WEIGHT_Y_FROM], c[at.WEIGHT_Y_SHAPE] = p["RBY3"], p["RCY1"]
    c[at.WEIGHT_Y_BEND0], c[at.WEIGHT_Y_BEND1] = p["REY1"], p["REY2"]
    c[at.WEIGHT_Y_SHIFT0], c[at.WEIGHT_Y_SHIFT1] = p["RHY1"], p["RHY2"]
    c[at.PUSH0], c[at.PUSH1] = p["LVYKA"] * p["RVY1"], p["LVYKA"] * p["RVY2"]
    c[at.PUSH_FADE], c[at.PUSH_SHAPE], c[at.PUSH_RISE] = p["RVY4"], p["RVY5"], p["RVY6"]


def unusable(c: Array) -> tuple[str, ...]:
    """Return the names of constants that are no numbers: products of the file's are too large."""
    may_be_infinite = (at.NO_PEAK_X, at.NO_PEAK_Y)
    return tuple(
        name
        for name, place in vars(at).items()
        if name.isupper() and type(place) is int and place < at.SIZE
        if place not in may_be_infinite and not math.isfinite(c[place])
    )


def _inverse(value: float) -> float:
    """Return 1 / value, infinity for what is as good as zero."""
    return 1.0 / value if value > 0.0 and math.isfinite(1.0 / value) else math.inf


def _target(shape: float) -> tuple[float, float]:
    """Return tan(pi / 2C), and infinity for a curve that has no peak."""
    return (math.tan(math.pi / (2.0 * shape)), 0.0) if shape > 1.0 else (1.0, math.inf)
