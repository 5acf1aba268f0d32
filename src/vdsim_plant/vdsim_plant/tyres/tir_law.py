"""PAC2002 / MF 5.2 tyre forces at zero camber: pure slip, combined slip, load dependence.

Symbols as in H. B. Pacejka, Tyre and Vehicle Dynamics, 2nd edition, chapter 4.3:
    kappa, alpha     slip ratio [-] and slip angle [rad] of the wheel's contact point
    fz, fz0, dfz     load, nominal load (LFZO FNOMIN) [N], and (fz - fz0) / fz0
    B C D E          factors of the Magic Formula D sin(C atan(B x - E (B x - atan(B x))))
    SH, SV           its horizontal and vertical offsets
    K                slip stiffness [N or N/rad];  G  weight of the other direction's slip

Slip angle and side force are in the file's own axes here; what of the car's is which is up to
`side_of`. `shift` from 0 to 1 fades the offsets in; 0 makes zero slip give zero force, which a car
needs to stand still. All forces are per newton of load until `inside_circle`.

`mu` is the friction of the contact. The file describes a road of the friction MU = max(PDX1 LMUX,
PDY1 LMUY); on another road both peaks scale by mu / MU, the slip stiffness stays. What still
exceeds the friction circle is brought back to it along its own direction: |F| <= mu fz always.

The functions have neither branches nor calls of a library, so that wheels or cars go side by side
in vector lanes. Constants are read from `c` at `place` + number (tir/index.py) * `stride`. What
depends on kappa comes with its slope over kappa, from which the spin of the wheel takes its step.
Here are the forces of pure slip; tir_combined.py has the combined ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma
from vdsim_plant.kernel.equations import clamp
from vdsim_plant.kernel.polynomials import (
    arctangent,
    curve_sine_and_cosine,
    exponential,
)
from vdsim_plant.parameters.tir import index as at

Buffer = NDArray[np.float64]

PI = 3.141592653589793
LEAST = 1e-18  # arguments of the curves: their cubes, two multiplied, must be floats
MOST = 1e25


@inlined
def side_of(slip_y: float, side: float, c: Buffer, place: int, stride: int) -> tuple[float, float]:
    """Return alpha in the file's axes, and what turns the file's Fy into that of the wheel.

    `slip_y` is minus the tangent of the slip angle (ISO 8855: y to the left, a positive slip angle
    gives a negative side force). `side` is +1 for a wheel on the left of the car, -1 on the right:
    the tyre on the other side is the mirror image of the one that was measured.
    """
    mirror = side * c[place + at.FILE_SIDE * stride]
    size = abs(slip_y)
    size = LEAST if size < LEAST else size
    angle = arctangent(size, 1.0 / size)
    return signed(angle, -slip_y) * mirror, mirror * c[place + at.FY_SIGN * stride]


@inlined
def load_change(fz: float, c: Buffer, place: int, stride: int) -> tuple[float, float]:
    """Return the load within the fitted ones [N], and dfz."""
    load = clamp(fz, c[place + at.LOAD_LEAST * stride], c[place + at.LOAD_MOST * stride])
    return load, fma(load, c[place + at.INVERSE_FZ0 * stride], -1.0)


@inlined
def curve_factors(
    load: float, dfz: float, mu: float, c: Buffer, place: int, stride: int
) -> tuple[float, float, float, float]:
    """Return B and D along, B and D across; D over the load."""
    friction = mu * c[place + at.INVERSE_MU * stride]
    peak_x = fma(c[place + at.PEAK_X1 * stride], dfz, c[place + at.PEAK_X0 * stride])
    peak_y = fma(c[place + at.PEAK_Y1 * stride], dfz, c[place + at.PEAK_Y0 * stride])
    least_x = c[place + at.PEAK_X_LEAST * stride]
    least_y = c[place + at.PEAK_Y_LEAST * stride]
    peak_x = friction * (least_x if peak_x < least_x else peak_x)
    peak_y = friction * (least_y if peak_y < least_y else peak_y)
    relative = load * c[place + at.STIFF_Y_LOAD * stride]
    bottom = fma(relative, relative, 1.0)
    stiff = fma(c[place + at.STIFF_X1 * stride], dfz, c[place + at.STIFF_X0 * stride])
    stiff = stiff * exponential(c[place + at.STIFF_X_RATE * stride] * dfz)
    # One division for three.
    inverse = 1.0 / (peak_x * peak_y * bottom)
    b_x = stiff * c[place + at.INVERSE_SHAPE_X * stride] * (inverse * peak_y * bottom)
    b_y = c[place + at.STIFF_Y0 * stride] * c[place + at.INVERSE_SHAPE_Y * stride]
    return b_x, peak_x, b_y * (inverse * peak_x), peak_y


@inlined
def bend_along(slip: float, dfz: float, c: Buffer, place: int, stride: int) -> float:
    """Return E of the longitudinal force on the side of `slip`."""
    bend = fma(c[place + at.BEND_X2 * stride], dfz, c[place + at.BEND_X1 * stride])
    bend = fma(bend, dfz, c[place + at.BEND_X0 * stride])
    side = c[place + at.BEND_X_SIDE * stride]
    bend = bend * (1.0 - (side if slip >= 0.0 else -side))
    return 1.0 if bend > 1.0 else bend


@inlined
def bend_across(slip: float, dfz: float, c: Buffer, place: int, stride: int) -> float:
    """Return E of the lateral force on the side of `slip`."""
    bend = fma(c[place + at.BEND_Y1 * stride], dfz, c[place + at.BEND_Y0 * stride])
    side = c[place + at.BEND_Y_SIDE * stride]
    bend = bend * (1.0 - (side if slip >= 0.0 else -side))
    return 1.0 if bend > 1.0 else bend


@inlined
def two_angles(
    x: float, shape_x: float, bend_x: float, y: float, shape_y: float, bend_y: float
) -> tuple[float, float, float, float]:
    """Return C atan(|x| - E (|x| - atan |x|)) and its slope over |x|, twice with one division.

    An angle beyond pi counts as pi: there the curve has come down to zero, and would go on to push
    the wrong way.
    """
    a = clamp(abs(x), LEAST, MOST)
    b = clamp(abs(y), LEAST, MOST)
    a_square = fma(a, a, 1.0)
    b_square = fma(b, b, 1.0)
    a_cube = a * a_square
    b_cube = b * b_square
    inverse = 1.0 / (a_cube * b_cube)
    inverse_a = inverse * b_cube
    inverse_b = inverse * a_cube
    inner_a = fma(-bend_x, a - arctangent(a, inverse_a * a_square), a)
    inner_b = fma(-bend_y, b - arctangent(b, inverse_b * b_square), b)
    slope_a = fma(-bend_x, fma(-inverse_a, a, 1.0), 1.0)
    slope_b = fma(-bend_y, fma(-inverse_b, b, 1.0), 1.0)
    a = clamp(inner_a, LEAST, MOST)
    b = clamp(inner_b, LEAST, MOST)
    a_square = fma(a, a, 1.0)
    b_square = fma(b, b, 1.0)
    a_cube = a * a_square
    b_cube = b * b_square
    inverse = 1.0 / (a_cube * b_cube)
    inverse_a = inverse * b_cube
    inverse_b = inverse * a_cube
    angle_x = shape_x * arctangent(a, inverse_a * a_square)
    angle_y = shape_y * arctangent(b, inverse_b * b_square)
    return (
        PI if angle_x > PI else angle_x,
        shape_x * slope_a * (inverse_a * a),
        PI if angle_y > PI else angle_y,
        shape_y * slope_b * (inverse_b * b),
    )


@inlined
def pure_forces(
    kappa: float,
    alpha: float,
    dfz: float,
    mu: float,
    shift: float,
    b_x: float,
    peak_x: float,
    b_y: float,
    peak_y: float,
    c: Buffer,
    place: int,
    stride: int,
) -> tuple[float, float, float]:
    """Return Fx0, its slope over kappa, Fy0: each without the slip of the other direction."""
    offset_x = fma(c[place + at.SHIFT_X1 * stride], dfz, c[place + at.SHIFT_X0 * stride])
    offset_y = fma(c[place + at.SHIFT_Y1 * stride], dfz, c[place + at.SHIFT_Y0 * stride])
    x = fma(shift, offset_x, kappa)
    y = fma(shift, offset_y, alpha)
    bent_x = b_x * x
    bent_y = b_y * y
    angle_x, slope_x, angle_y, _ = two_angles(
        bent_x,
        c[place + at.SHAPE_X * stride],
        bend_along(x, dfz, c, place, stride),
        bent_y,
        c[place + at.SHAPE_Y * stride],
        bend_across(y, dfz, c, place, stride),
    )
    sine_x, rise_x = curve_sine_and_cosine(angle_x)
    sine_y, _ = curve_sine_and_cosine(angle_y)
    raised = shift * mu * c[place + at.INVERSE_MU * stride]
    lift_x = fma(c[place + at.RISE_X1 * stride], dfz, c[place + at.RISE_X0 * stride])
    lift_y = fma(c[place + at.RISE_Y1 * stride], dfz, c[place + at.RISE_Y0 * stride])
    return (
        fma(raised, lift_x, peak_x * signed(sine_x, bent_x)),
        peak_x * rise_x * slope_x * b_x,
        fma(raised, lift_y, peak_y * signed(sine_y, bent_y)),
    )


@inlined
def signed(size: float, like: float) -> float:
    """Return `size` with the sign of `like`, and 0 where that is 0."""
    size = 0.0 if like == 0.0 else size
    return -size if like < 0.0 else size
