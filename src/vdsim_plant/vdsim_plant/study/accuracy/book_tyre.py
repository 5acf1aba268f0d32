"""PAC2002 at zero camber once more, from the book: a second implementation to compare with.

H. B. Pacejka, Tyre and Vehicle Dynamics, 2nd edition, equations 4.E9 to 4.E67 without turn slip
and camber, with the names and in the axes of the file. It shares no line and no constant with
`tyres/`, and is written for reading, not for speed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from vdsim_plant.parameters import load_tyre
from vdsim_plant.parameters.tir_coefficients import NAMES
from vdsim_plant.study.accuracy.claim import Claim, at_most
from vdsim_plant.tyres.tir_forces import tir_points

TYRES = ("road_235_55r19", "road_195_65r15")
POINTS = 60_000
BOUND = 1e-10  # of mu Fz: the kernel's arctangent is good for 1e-11


def book_forces(
    p: Mapping[str, float], kappa: float, alpha: float, fz: float
) -> tuple[float, float]:
    """Return Fx, Fy [N] of a road with the file's own friction, in the file's axes."""
    fz0 = p["LFZO"] * p["FNOMIN"]
    dfz = (fz - fz0) / fz0

    # Pure longitudinal slip
    kx = kappa + (p["PHX1"] + p["PHX2"] * dfz) * p["LHX"]
    dx = (p["PDX1"] + p["PDX2"] * dfz) * p["LMUX"] * fz
    cx = p["PCX1"] * p["LCX"]
    ex = (p["PEX1"] + p["PEX2"] * dfz + p["PEX3"] * dfz**2) * p["LEX"]
    ex = min(ex * (1.0 - p["PEX4"] * math.copysign(1.0, kx)), 1.0)
    bx = fz * (p["PKX1"] + p["PKX2"] * dfz) * math.exp(p["PKX3"] * dfz) * p["LKX"] / (cx * dx)
    svx = fz * (p["PVX1"] + p["PVX2"] * dfz) * p["LVX"] * p["LMUX"]
    fx0 = dx * math.sin(cx * math.atan(bx * kx - ex * (bx * kx - math.atan(bx * kx)))) + svx

    # Pure lateral slip
    ay = alpha + (p["PHY1"] + p["PHY2"] * dfz) * p["LHY"]
    muy = (p["PDY1"] + p["PDY2"] * dfz) * p["LMUY"]
    dy = muy * fz
    cy = p["PCY1"] * p["LCY"]
    ey = (p["PEY1"] + p["PEY2"] * dfz) * p["LEY"]
    ey = min(ey * (1.0 - p["PEY3"] * math.copysign(1.0, ay)), 1.0)
    ky = p["PKY1"] * fz0 * math.sin(2.0 * math.atan(fz / (p["PKY2"] * fz0))) * p["LKY"]
    by = ky / (cy * dy)
    svy = fz * (p["PVY1"] + p["PVY2"] * dfz) * p["LVY"] * p["LMUY"]
    fy0 = dy * math.sin(cy * math.atan(by * ay - ey * (by * ay - math.atan(by * ay)))) + svy

    # Combined slip
    bxa = p["RBX1"] * math.cos(math.atan(p["RBX2"] * kappa)) * p["LXAL"]
    exa = min(p["REX1"] + p["REX2"] * dfz, 1.0)
    gx = _weight(bxa, p["RCX1"], exa, alpha, p["RHX1"])
    byk = p["RBY1"] * math.cos(math.atan(p["RBY2"] * (alpha - p["RBY3"]))) * p["LYKA"]
    eyk = min(p["REY1"] + p["REY2"] * dfz, 1.0)
    gy = _weight(byk, p["RCY1"], eyk, kappa, p["RHY1"] + p["RHY2"] * dfz)
    dvyk = dy * (p["RVY1"] + p["RVY2"] * dfz) * math.cos(math.atan(p["RVY4"] * alpha))
    svyk = dvyk * math.sin(p["RVY5"] * math.atan(p["RVY6"] * kappa)) * p["LVYKA"]
    return gx * fx0, gy * fy0 + svyk


def _weight(b: float, c: float, e: float, slip: float, offset: float) -> float:
    def curve(x: float) -> float:
        return math.cos(c * math.atan(b * x - e * (b * x - math.atan(b * x))))

    return curve(slip + offset) / curve(offset)


def book_claims(points: int = POINTS) -> tuple[Claim, ...]:
    """Compare at random slips and fitted loads; the circle, which the book lacks, is applied."""
    return tuple(_compared(name, points) for name in TYRES)


def _compared(name: str, points: int) -> Claim:
    tir = load_tyre(name).tir
    assert tir is not None
    book = dict(zip(NAMES, tir.values, strict=True))
    constants, mu = tir.as_array(), tir.mu_reference
    # Our y is to the left and our side forces act against the slip angle (ISO 8855).
    sign, side = (1.0 if tir["PKY1"] < 0.0 else -1.0), (1.0 if tir.measured_on == "left" else -1.0)
    chance = np.random.default_rng(11)
    low, high = max(tir["FZMIN"], 200.0), min(tir["FZMAX"], 2.0 * tir["FNOMIN"])
    kappa, alpha, fz = chance.uniform((-1.0, -0.6, low), (1.0, 0.6, high), (points, 3)).T
    ours = tir_points(kappa, alpha, fz, mu, side, 1.0, constants).tolist()
    worst, cut = 0.0, 0
    given = zip(kappa.tolist(), alpha.tolist(), fz.tolist(), strict=True)
    for (slip, angle, load), of_kernel in zip(given, ours, strict=True):
        fx, fy = book_forces(book, slip, angle, load)
        over = math.hypot(fx, fy) / (mu * load)
        if over > 1.0:
            fx, fy, cut = fx / over, fy / over, cut + 1
        apart = max(abs(of_kernel[0] - fx), abs(of_kernel[1] - sign * fy))
        worst = max(worst, apart / (mu * load))
    return Claim(
        what=f"combined slip of `{name}.tir` at {points} random slips and loads, "
        f"{100 * cut / points:.0f} % of them beyond the circle",
        against="PAC2002 written from the book a second time",
        measured=f"differs by {at_most(worst, ' mu Fz')}",
        bound=f"{BOUND:.0e} mu Fz",
        passed=worst <= BOUND,
    )
