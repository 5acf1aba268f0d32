"""The forces of a tyre from a property file with slip in both directions, inside the circle.

Symbols, axes and the arguments `c`, `place` and `stride` are those of tir_law.py.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma
from vdsim_plant.kernel.equations import clamp
from vdsim_plant.kernel.polynomials import (
    HALF_PI,
    arctangent,
    curve_sine_and_cosine,
    sine_and_cosine,
)
from vdsim_plant.parameters.tir import index as at
from vdsim_plant.tyres.tir_law import (
    LEAST,
    MOST,
    curve_factors,
    load_change,
    pure_forces,
    side_of,
    signed,
    two_angles,
)

Buffer = NDArray[np.float64]

INSIDE = 0.999999999999998  # rounding must not lift |F| over mu fz


@inlined
def fading(
    kappa: float, alpha: float, c: Buffer, place: int, stride: int
) -> tuple[float, float, float, float]:
    """Return the cosines of the arctangents that weaken the weights and the side push.

    In order: of the weight on Fx, its logarithm's slope over kappa, of that on Fy, of the push.
    """
    steep_x = clamp(c[place + at.WEIGHT_X_FADE * stride] * kappa, -MOST, MOST)
    from_y = alpha - c[place + at.WEIGHT_Y_FROM * stride]
    steep_y = clamp(c[place + at.WEIGHT_Y_FADE * stride] * from_y, -MOST, MOST)
    steep = clamp(c[place + at.PUSH_FADE * stride] * alpha, -MOST, MOST)
    # cos(atan(u)) = 1 / sqrt(1 + u^2); one division for three.
    square_x = fma(steep_x, steep_x, 1.0)
    square_y = fma(steep_y, steep_y, 1.0)
    square = fma(steep, steep, 1.0)
    inverse = 1.0 / (square_x * square_y * square)
    of_x = inverse * (square_y * square)
    return (
        math.sqrt(of_x),
        -(c[place + at.WEIGHT_X_FADE * stride] * steep_x * of_x),
        math.sqrt(inverse * (square_x * square)),
        math.sqrt(inverse * (square_x * square_y)),
    )


@inlined
def weight_on_fx(
    alpha: float,
    dfz: float,
    cosine: float,
    rate: float,
    c: Buffer,
    place: int,
    stride: int,
) -> tuple[float, float, float, float]:
    """Return the weight of the slip angle, that at its offset, and both slopes over kappa."""
    b = c[place + at.WEIGHT_X_B * stride] * cosine
    bend = fma(c[place + at.WEIGHT_X_BEND1 * stride], dfz, c[place + at.WEIGHT_X_BEND0 * stride])
    bend = 1.0 if bend > 1.0 else bend
    offset = c[place + at.WEIGHT_X_SHIFT * stride]
    shape = c[place + at.WEIGHT_X_SHAPE * stride]
    x = b * (alpha + offset)
    rest = b * offset
    angle, slope, angle_rest, slope_rest = two_angles(x, shape, bend, rest, shape, bend)
    cos_x, sin_x = curve_sine_and_cosine(HALF_PI - angle)
    cos_rest, sin_rest = curve_sine_and_cosine(HALF_PI - angle_rest)
    return (
        cos_x,
        cos_rest,
        -(sin_x * slope * (abs(x) * rate)),
        -(sin_rest * slope_rest * (abs(rest) * rate)),
    )


@inlined
def weight_on_fy(
    kappa: float, dfz: float, cosine: float, c: Buffer, place: int, stride: int
) -> tuple[float, float, float]:
    """Return the weight of the slip ratio, that at its offset, and the slope over kappa."""
    b = c[place + at.WEIGHT_Y_B * stride] * cosine
    bend = fma(c[place + at.WEIGHT_Y_BEND1 * stride], dfz, c[place + at.WEIGHT_Y_BEND0 * stride])
    bend = 1.0 if bend > 1.0 else bend
    offset = fma(
        c[place + at.WEIGHT_Y_SHIFT1 * stride], dfz, c[place + at.WEIGHT_Y_SHIFT0 * stride]
    )
    shape = c[place + at.WEIGHT_Y_SHAPE * stride]
    y = b * (kappa + offset)
    angle, slope, angle_rest, _ = two_angles(y, shape, bend, b * offset, shape, bend)
    cos_y, sin_y = curve_sine_and_cosine(HALF_PI - angle)
    cos_rest, _ = curve_sine_and_cosine(HALF_PI - angle_rest)
    return cos_y, cos_rest, -(sin_y * slope * signed(b, y))


@inlined
def side_push(
    kappa: float,
    dfz: float,
    shift: float,
    peak_y: float,
    cosine: float,
    c: Buffer,
    place: int,
    stride: int,
) -> tuple[float, float]:
    """Return the side force that a slip ratio induces, and its slope over kappa."""
    strength = fma(c[place + at.PUSH1 * stride], dfz, c[place + at.PUSH0 * stride])
    strength = strength * shift * peak_y * cosine
    rise = c[place + at.PUSH_RISE * stride]
    x = rise * kappa
    a = clamp(abs(x), LEAST, MOST)
    square = fma(a, a, 1.0)
    inverse = 1.0 / (a * square)
    shape = c[place + at.PUSH_SHAPE * stride]
    s, cosine_push = sine_and_cosine(shape * arctangent(a, inverse * square))
    slope = strength * cosine_push * shape * rise * (inverse * a)
    return strength * signed(s, x), slope


@inlined
def combined(
    fx: float,
    fx_slope: float,
    fy: float,
    weight_x: float,
    rest_x: float,
    weight_x_slope: float,
    rest_x_slope: float,
    weight_y: float,
    rest_y: float,
    weight_y_slope: float,
    push: float,
    push_slope: float,
) -> tuple[float, float, float, float]:
    """Return Fx, Fy and their slopes over kappa from the pure forces and the weights.

    A weight below 0 would push the wrong way; one whose value at the offset is not above 0 is none.
    """
    # One division for two.
    known_x = rest_x > 0.0
    known_y = rest_y > 0.0
    rest_x = rest_x if known_x else 1.0
    rest_y = rest_y if known_y else 1.0
    inverse = 1.0 / (rest_x * rest_y)
    inverse_x = inverse * rest_y
    share_x = weight_x * inverse_x
    share_x_slope = fma(-share_x, rest_x_slope, weight_x_slope) * inverse_x
    share_x_slope = share_x_slope if share_x > 0.0 else 0.0
    share_x = share_x if share_x > 0.0 else 0.0
    share_x = share_x if known_x else 1.0
    share_x_slope = share_x_slope if known_x else 0.0
    share_y = weight_y * (inverse * rest_x)
    share_y_slope = weight_y_slope * (inverse * rest_x)
    share_y_slope = share_y_slope if share_y > 0.0 else 0.0
    share_y = share_y if share_y > 0.0 else 0.0
    share_y = share_y if known_y else 1.0
    share_y_slope = share_y_slope if known_y else 0.0
    return (
        fx * share_x,
        fma(share_y, fy, push),
        fma(fx, share_x_slope, fx_slope * share_x),
        fma(fy, share_y_slope, push_slope),
    )


@inlined
def inside_circle(
    fx: float, fy: float, fx_slope: float, fy_slope: float, mu: float, fz: float, turn: float
) -> tuple[float, float, float]:
    """Return Fx, Fy [N] of the wheel and the slope of Fx over kappa, not below 0.

    `turn` is of `side_of`. The circle comes first, where squares of forces neither vanish nor
    overflow.
    """
    square = fma(fx, fx, fy * fy)
    force = math.sqrt(square)
    limit = INSIDE * mu
    outside = force > limit
    square = square if outside else 1.0
    along = fma(fx, fx_slope, fy * fy_slope)
    # Along the circle only the part of the slope across the force is left.
    inverse = 1.0 / square
    slope = fma(-(fx * inverse), along, fx_slope)
    kept = limit * force * inverse
    kept = kept if outside else 1.0
    slope = slope if outside else fx_slope
    scale = kept * (fz if fz > 0.0 else 0.0)
    slope = scale * slope
    return fx * scale, fy * scale * turn, 0.0 if slope < 0.0 else slope


@inlined
def tir_force(
    kappa: float,
    slip_y: float,
    fz: float,
    mu: float,
    side: float,
    shift: float,
    c: Buffer,
    place: int,
    stride: int,
) -> tuple[float, float, float]:
    """Return Fx, Fy [N] in the wheel's frame and the slope of Fx over kappa."""
    alpha, turn = side_of(slip_y, side, c, place, stride)
    load, dfz = load_change(fz, c, place, stride)
    b_x, peak_x, b_y, peak_y = curve_factors(load, dfz, mu, c, place, stride)
    fx, fx_slope, fy = pure_forces(
        kappa, alpha, dfz, mu, shift, b_x, peak_x, b_y, peak_y, c, place, stride
    )
    cos_x, rate, cos_y, cos_push = fading(kappa, alpha, c, place, stride)
    weight_x, rest_x, weight_x_slope, rest_x_slope = weight_on_fx(
        alpha, dfz, cos_x, rate, c, place, stride
    )
    weight_y, rest_y, weight_y_slope = weight_on_fy(kappa, dfz, cos_y, c, place, stride)
    push, push_slope = side_push(kappa, dfz, shift, peak_y, cos_push, c, place, stride)
    fx, fy, fx_slope, fy_slope = combined(
        fx,
        fx_slope,
        fy,
        weight_x,
        rest_x,
        weight_x_slope,
        rest_x_slope,
        weight_y,
        rest_y,
        weight_y_slope,
        push,
        push_slope,
    )
    return inside_circle(fx, fy, fx_slope, fy_slope, mu, fz, turn)
