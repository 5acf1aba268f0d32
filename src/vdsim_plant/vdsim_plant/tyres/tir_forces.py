"""PAC2002 / MF 5.2 tyre forces at zero camber: pure slip, combined slip, load dependence.

Symbols as in H. B. Pacejka, Tyre and Vehicle Dynamics, 2nd edition, chapter 4.3:
    kappa, alpha     slip ratio [-] and slip angle [rad] of the wheel's contact point
    fz, fz0, dfz     load, nominal load (LFZO FNOMIN) [N], and (fz - fz0) / fz0
    B C D E          factors of the Magic Formula; SH, SV its horizontal and vertical offsets
    K                slip stiffness [N or N/rad];  G  weight of the other direction's slip

Directions are ours (ISO 8855): a positive slip angle gives a negative side force. `side` is +1
for a wheel on the left of the car and -1 on the right: the tyre on the other side is the mirror
image of the one that was measured. `shift` from 0 to 1 fades the offsets in; 0 makes zero slip
give zero force, which a car needs to stand still.

`mu` is the friction of the contact. The file describes a road of friction MU_REFERENCE; on
another road both peaks scale by mu / MU_REFERENCE, the slip stiffness stays. What still exceeds
the friction circle is brought back to it along its own direction: |F| <= mu fz always.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.tyres.magic_formula import magic, magic_weight, peak_argument
from vdsim_plant.tyres.tir_index import (
    FILE_SIDE,
    FNOMIN,
    FY_SIGN,
    FZMAX,
    FZMIN,
    LCX,
    LCY,
    LEX,
    LEY,
    LFZO,
    LHX,
    LHY,
    LKX,
    LKY,
    LMUX,
    LMUY,
    LVX,
    LVY,
    LVYKA,
    LXAL,
    LYKA,
    MU_REFERENCE,
    PCX1,
    PCY1,
    PDX1,
    PDX2,
    PDY1,
    PDY2,
    PEX1,
    PEX2,
    PEX3,
    PEX4,
    PEY1,
    PEY2,
    PEY3,
    PHX1,
    PHX2,
    PHY1,
    PHY2,
    PKX1,
    PKX2,
    PKX3,
    PKY1,
    PKY2,
    PVX1,
    PVX2,
    PVY1,
    PVY2,
    RBX1,
    RBX2,
    RBY1,
    RBY2,
    RBY3,
    RCX1,
    RCY1,
    REX1,
    REX2,
    REY1,
    REY2,
    RHX1,
    RHY1,
    RHY2,
    RVY1,
    RVY2,
    RVY4,
    RVY5,
    RVY6,
)

Array = NDArray[np.float64]

INSIDE = 0.999999999999998  # rounding must not lift |F| over mu fz

# The peak factor falls with load; beyond the fitted loads it must not reach zero or below.
_LOWEST_PEAK_SHARE = 0.05


def tir_forces(
    kappa: float, alpha: float, fz: float, mu: float, side: float, shift: float, c: Array
) -> tuple[float, float]:
    """Return (Fx, Fy) [N] in the wheel's frame, inside the friction circle mu fz."""
    if fz <= 0.0:
        return 0.0, 0.0
    load = min(max(fz, max(c[FZMIN], 1e-3 * c[FNOMIN])), c[FZMAX])
    mirror = side * c[FILE_SIDE]
    friction = mu / c[MU_REFERENCE]
    fx, fy = _forces_of_file(kappa, alpha * mirror, load, friction, shift, c)
    # The circle first, where squares of forces neither vanish nor overflow.
    force = math.sqrt(fx * fx + fy * fy)
    limit = INSIDE * mu * load
    kept = limit / force if force > limit else 1.0
    # Outside the fitted loads the forces go on in proportion to the load.
    share = kept * (fz / load)
    return fx * share, fy * share * mirror * c[FY_SIGN]


def _forces_of_file(
    kappa: float, alpha: float, fz: float, friction: float, shift: float, c: Array
) -> tuple[float, float]:
    """Return combined-slip forces in the file's own sign convention."""
    dfz = _load_change(fz, c)
    fx = longitudinal_pure(kappa, fz, friction, shift, c)
    fx *= _weight_of_alpha(kappa, alpha, dfz, c)
    fy = lateral_pure(alpha, fz, friction, shift, c)
    fy *= _weight_of_kappa(kappa, alpha, dfz, c)
    side_push = shift * c[LVYKA] * (c[RVY1] + c[RVY2] * dfz)
    if side_push != 0.0:
        side_push *= _peak_lateral(dfz, friction, c) * fz * _cos_atan(c[RVY4] * alpha)
        fy += side_push * math.sin(c[RVY5] * math.atan(c[RVY6] * kappa))
    return fx, fy


def longitudinal_pure(kappa: float, fz: float, friction: float, shift: float, c: Array) -> float:
    """Return Fx0 [N] with no slip angle, in the file's sign convention."""
    dfz = _load_change(fz, c)
    slip = kappa + shift * (c[PHX1] + c[PHX2] * dfz) * c[LHX]
    shape, peak, stiffness, curvature = _longitudinal_factors(slip, fz, friction, c)
    offset: float = shift * fz * (c[PVX1] + c[PVX2] * dfz) * c[LVX] * c[LMUX] * friction
    return magic(stiffness / (shape * peak), shape, peak, curvature, slip) + offset


def lateral_pure(alpha: float, fz: float, friction: float, shift: float, c: Array) -> float:
    """Return Fy0 [N] with no longitudinal slip, in the file's sign convention."""
    dfz = _load_change(fz, c)
    slip = alpha + shift * (c[PHY1] + c[PHY2] * dfz) * c[LHY]
    shape, peak, stiffness, curvature = _lateral_factors(slip, fz, friction, c)
    offset: float = shift * fz * (c[PVY1] + c[PVY2] * dfz) * c[LVY] * c[LMUY] * friction
    return magic(stiffness / (shape * peak), shape, peak, curvature, slip) + offset


def tir_peaks(
    fz: float, mu: float, kappa: float, alpha: float, side: float, c: Array
) -> tuple[float, float, float]:
    """Return (mu_peak, alpha_peak [rad], kappa_peak) of pure slip, offsets left aside.

    Both slips are positive, and those of the directions that `kappa` and `alpha` have: a file may
    describe a tyre that drives otherwise than it brakes. mu_peak is the higher of both directions,
    held inside the circle. A curve without a peak (shape factor below 1) gives infinity.
    """
    ahead = 1.0 if kappa >= 0.0 else -1.0
    aside = side * c[FILE_SIDE] * (1.0 if alpha >= 0.0 else -1.0)
    load = min(max(fz, max(c[FZMIN], 1e-3 * c[FNOMIN])), c[FZMAX])
    dfz = _load_change(load, c)
    friction = mu / c[MU_REFERENCE]
    shape, peak, stiffness, curvature = _longitudinal_factors(ahead, load, friction, c)
    kappa_peak = peak_argument(shape, curvature) * shape * peak / stiffness
    shape, peak, stiffness, curvature = _lateral_factors(aside, load, friction, c)
    alpha_peak = peak_argument(shape, curvature) * shape * peak / abs(stiffness)
    highest = max(_peak_longitudinal(dfz, friction, c), _peak_lateral(dfz, friction, c))
    return min(highest, mu), alpha_peak, kappa_peak


def _load_change(fz: float, c: Array) -> float:
    fz0 = c[LFZO] * c[FNOMIN]
    return (fz - fz0) / fz0  # type: ignore[no-any-return]


def _peak_longitudinal(dfz: float, friction: float, c: Array) -> float:
    """Return the peak friction coefficient of pure longitudinal slip."""
    peak = max(c[PDX1] + c[PDX2] * dfz, _LOWEST_PEAK_SHARE * c[PDX1])
    return peak * c[LMUX] * friction  # type: ignore[no-any-return]


def _peak_lateral(dfz: float, friction: float, c: Array) -> float:
    """Return the peak friction coefficient of pure lateral slip."""
    peak = max(c[PDY1] + c[PDY2] * dfz, _LOWEST_PEAK_SHARE * c[PDY1])
    return peak * c[LMUY] * friction  # type: ignore[no-any-return]


def _longitudinal_factors(
    slip: float, fz: float, friction: float, c: Array
) -> tuple[float, float, float, float]:
    """Return C, D [N], K [N] and E of the longitudinal force."""
    dfz = _load_change(fz, c)
    shape = c[PCX1] * c[LCX]
    peak = _peak_longitudinal(dfz, friction, c) * fz
    stiffness = fz * (c[PKX1] + c[PKX2] * dfz) * math.exp(c[PKX3] * dfz) * c[LKX]
    curvature = (c[PEX1] + c[PEX2] * dfz + c[PEX3] * dfz * dfz) * c[LEX]
    curvature *= 1.0 - c[PEX4] * _sign(slip)
    return shape, peak, stiffness, min(curvature, 1.0)


def _lateral_factors(
    slip: float, fz: float, friction: float, c: Array
) -> tuple[float, float, float, float]:
    """Return C, D [N], K [N/rad] and E of the lateral force."""
    dfz = _load_change(fz, c)
    shape = c[PCY1] * c[LCY]
    peak = _peak_lateral(dfz, friction, c) * fz
    fz0 = c[LFZO] * c[FNOMIN]
    relative = fz / (c[PKY2] * fz0)
    # sin(2 atan u) = 2 u / (1 + u^2)
    stiffness = c[PKY1] * fz0 * 2.0 * relative / (1.0 + relative * relative) * c[LKY]
    curvature = (c[PEY1] + c[PEY2] * dfz) * c[LEY]
    curvature *= 1.0 - c[PEY3] * _sign(slip)
    return shape, peak, stiffness, min(curvature, 1.0)


def _weight_of_alpha(kappa: float, alpha: float, dfz: float, c: Array) -> float:
    """Return how much of Fx0 a slip angle leaves, 1 where there is none."""
    b = c[RBX1] * _cos_atan(c[RBX2] * kappa) * c[LXAL]
    e = min(c[REX1] + c[REX2] * dfz, 1.0)
    return _share(b, c[RCX1], e, alpha, c[RHX1])


def _weight_of_kappa(kappa: float, alpha: float, dfz: float, c: Array) -> float:
    """Return how much of Fy0 a slip ratio leaves, 1 where there is none."""
    b = c[RBY1] * _cos_atan(c[RBY2] * (alpha - c[RBY3])) * c[LYKA]
    e = min(c[REY1] + c[REY2] * dfz, 1.0)
    return _share(b, c[RCY1], e, kappa, c[RHY1] + c[RHY2] * dfz)


def _share(b: float, c: float, e: float, slip: float, offset: float) -> float:
    """Return the weight over the weight at rest; below 0 the force would push the wrong way."""
    rest = magic_weight(b, c, e, offset) if offset != 0.0 else 1.0
    return max(magic_weight(b, c, e, slip + offset), 0.0) / rest if rest > 0.0 else 1.0


def _cos_atan(x: float) -> float:
    """Return cos(atan(x)), which is 1 / sqrt(1 + x^2)."""
    return 1.0 / math.sqrt(1.0 + x * x)


def _sign(x: float) -> float:
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)
