"""Where the curves of pure slip have their peaks, at a load and a friction (tir_law.py)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma
from vdsim_plant.kernel.equations import clamp
from vdsim_plant.kernel.polynomials import arctangent
from vdsim_plant.parameters.tir import index as at
from vdsim_plant.parameters.tir.index import MOST_ALPHA_RAD, MOST_KAPPA
from vdsim_plant.tyres.tir_law import (
    LEAST,
    bend_across,
    bend_along,
    curve_factors,
    load_change,
)

Buffer = NDArray[np.float64]

STEPS = 14
FARTHEST = 1e9  # B x of a peak
UNREACHED = 1e-9  # share of the target


@inlined
def nearer_peak(bx: float, target: float, bend: float) -> tuple[float, float]:
    """Return a better B x > 0 for the peak, and what is still missing there before this step.

    The peak is where B x - E (B x - atan(B x)) reaches tan(pi / 2C). Newton's steps from that
    number go on in one direction only: for E > 0 the expression is concave and begins below, for
    E < 0 it is convex and begins above.
    """
    square = fma(bx, bx, 1.0)
    inverse = 1.0 / (bx * square)
    missing = target - fma(-bend, bx - arctangent(bx, inverse * square), bx)
    slope = fma(bend, inverse * bx, 1.0 - bend)
    return clamp(bx + missing / slope, LEAST, FARTHEST), missing


@inlined
def _peak_of(bx: float, missing: float, target: float, never: float) -> float:
    """Return B x of the peak, infinity where the curve has none or comes to none."""
    return bx + never if missing <= UNREACHED * target else math.inf


@inlined
def peak_bends(
    dfz: float, kappa: float, slip_y: float, side: float, c: Buffer, place: int, stride: int
) -> tuple[float, float]:
    """Return E along and across, on the sides of the present slips.

    A file may describe a tyre that drives otherwise than it brakes.
    """
    aside = side * c[place + at.FILE_SIDE * stride]
    return (
        bend_along(kappa, dfz, c, place, stride),
        bend_across(aside if slip_y <= 0.0 else -aside, dfz, c, place, stride),
    )


@inlined
def tir_peaks(
    bx_x: float,
    bx_y: float,
    missing_x: float,
    missing_y: float,
    fz: float,
    mu: float,
    c: Buffer,
    place: int,
    stride: int,
) -> tuple[float, float, float]:
    """Return (mu_peak, alpha_peak [rad], kappa_peak) of pure slip, offsets left aside.

    The first four are of the last `nearer_peak`. mu_peak is the higher of both directions, held
    inside the circle. A curve without a peak (shape factor up to 1) gives infinity.
    """
    load, dfz = load_change(fz, c, place, stride)
    b_x, peak_x, b_y, peak_y = curve_factors(load, dfz, mu, c, place, stride)
    highest = peak_x if peak_x > peak_y else peak_y
    never_x = c[place + at.NO_PEAK_X * stride]
    never_y = c[place + at.NO_PEAK_Y * stride]
    bx_x = _peak_of(bx_x, missing_x, c[place + at.TARGET_X * stride], never_x)
    bx_y = _peak_of(bx_y, missing_y, c[place + at.TARGET_Y * stride], never_y)
    return (mu if highest > mu else highest), bx_y / abs(b_y), bx_x / b_x


@inlined
def shown_peaks(
    bx_x: float,
    bx_y: float,
    missing_x: float,
    missing_y: float,
    fz: float,
    mu: float,
    c: Buffer,
    place: int,
    stride: int,
) -> tuple[float, float, float]:
    """Return `tir_peaks` as an observation shows them: a curve without a peak has one far away."""
    highest, alpha_peak, kappa_peak = tir_peaks(
        bx_x, bx_y, missing_x, missing_y, fz, mu, c, place, stride
    )
    alpha_peak = MOST_ALPHA_RAD if alpha_peak > MOST_ALPHA_RAD else alpha_peak
    return highest, alpha_peak, MOST_KAPPA if kappa_peak > MOST_KAPPA else kappa_peak
