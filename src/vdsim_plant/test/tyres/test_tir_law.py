"""The kernel's PAC2002 on tyres with every coefficient: against the book, and its slope."""

from __future__ import annotations

import math

import numpy as np
import pytest
from vdsim_plant.parameters.tir_coefficients import NAMES, TirCoefficients, coefficients_from
from vdsim_plant.study.accuracy.book_tyre import book_forces
from vdsim_plant.tyres.tir_forces import tir_peaks, tir_points

SIMPLE = {
    "FNOMIN": 4000.0, "UNLOADED_RADIUS": 0.3,
    "PCX1": 1.5, "PDX1": 1.0, "PKX1": 20.0, "RBX1": 10.0, "RBX2": 0.0, "RCX1": 1.0,
    "PCY1": 1.3, "PDY1": 1.0, "PKY1": -20.0, "PKY2": 2.0,
    "RBY1": 8.0, "RBY2": 0.0, "RCY1": 1.0,
}  # fmt: skip
# Ranges wide enough for any road tyre; no coefficient is left out.
RANGES = {
    "FNOMIN": (2500.0, 8000.0), "FZMIN": (100.0, 300.0), "FZMAX": (9000.0, 15_000.0),
    **{name: (0.8, 1.2) for name in NAMES if name.startswith("L")},
    "PCX1": (1.3, 1.6), "PDX1": (0.9, 1.3), "PDX2": (-0.1, 0.0),
    "PEX1": (-1.0, 0.5), "PEX2": (-0.3, 0.3), "PEX3": (-0.2, 0.2), "PEX4": (-0.3, 0.3),
    "PKX1": (12.0, 30.0), "PKX2": (-3.0, 3.0), "PKX3": (-0.5, 0.5),
    "PHX1": (-2e-3, 2e-3), "PHX2": (-1e-3, 1e-3), "PVX1": (-0.02, 0.02), "PVX2": (-0.01, 0.01),
    "RBX1": (5.0, 14.0), "RBX2": (-12.0, 12.0), "RCX1": (0.85, 1.0),
    "REX1": (-0.5, 0.9), "REX2": (-0.2, 0.2), "RHX1": (-0.02, 0.02),
    "PCY1": (1.1, 1.5), "PDY1": (0.8, 1.2), "PDY2": (-0.15, 0.0),
    "PEY1": (-1.5, 0.5), "PEY2": (-0.5, 0.5), "PEY3": (-0.3, 0.3),
    "PKY1": (12.0, 30.0), "PKY2": (1.5, 3.0),
    "PHY1": (-4e-3, 4e-3), "PHY2": (-2e-3, 2e-3), "PVY1": (-0.03, 0.03), "PVY2": (-0.02, 0.02),
    "RBY1": (4.0, 12.0), "RBY2": (2.0, 10.0), "RBY3": (-0.05, 0.05), "RCY1": (0.85, 1.0),
    "REY1": (-0.3, 0.8), "REY2": (-0.1, 0.1), "RHY1": (-0.02, 0.02), "RHY2": (-0.01, 0.01),
    "RVY1": (-0.05, 0.05), "RVY2": (-0.02, 0.02),
    "RVY4": (2.0, 15.0), "RVY5": (1.0, 3.0), "RVY6": (-15.0, 15.0),
}  # fmt: skip


def drawn(seed: int) -> TirCoefficients:
    """Return a tyre at random: in ISO or SAE axes, measured on the left or on the right."""
    rng = np.random.default_rng(seed)
    assert set(RANGES) == set(NAMES)
    found = {name: rng.uniform(*RANGES[name]) for name in NAMES} | {"UNLOADED_RADIUS": 0.3}
    found["PKY1"] *= (-1.0, 1.0)[seed % 2]
    return coefficients_from(found, measured_on=("left", "right")[seed // 2 % 2])


@pytest.mark.parametrize("seed", range(12))
def test_tyres_with_every_coefficient_are_those_of_the_book(seed: int) -> None:
    tir = drawn(seed)
    rng = np.random.default_rng(100 + seed)
    low, high = (-1.2, -0.8, tir["FZMIN"], 0.2), (1.2, 0.8, tir["FZMAX"], 1.3)
    points = rng.uniform(low, high, (400, 4))
    sign = 1.0 if tir["PKY1"] < 0.0 else -1.0
    side = 1.0 if tir.measured_on == "left" else -1.0
    ours = tir_points(*points.T, side, 1.0, tir.as_array())
    for (kappa, alpha, fz, mu), (fx, fy, *_) in zip(points.tolist(), ours.tolist(), strict=True):
        # On another road the file's own factors of friction are others, the stiffness is not.
        scale = mu / tir.mu_reference
        book = dict(zip(NAMES, tir.values, strict=True))
        book |= {name: book[name] * scale for name in ("LMUX", "LMUY")}
        book_fx, book_fy = book_forces(book, kappa, alpha, fz)
        over = max(math.hypot(book_fx, book_fy) / (mu * fz), 1.0)
        assert fx == pytest.approx(book_fx / over, abs=3e-10 * mu * fz)
        assert fy == pytest.approx(sign * book_fy / over, abs=3e-10 * mu * fz)


@pytest.mark.parametrize("seed", range(12))
def test_the_slope_is_that_of_the_force_over_the_slip(seed: int) -> None:
    tir = drawn(seed)
    c, h = tir.as_array(), 1e-5
    rng = np.random.default_rng(200 + seed)
    low, high = (-1.2, -0.8, 100.0, 0.2, -1.0, 0.0), (1.2, 0.8, 15_000.0, 1.3, 1.0, 1.0)
    kappa, alpha, fz, mu, side, shift = rng.uniform(low, high, (2000, 6)).T
    fixed = (alpha, fz, mu, np.sign(side), shift, c)
    ours = tir_points(kappa, *fixed)[:, 2]
    # Kinks between both ends: of the circle, of the weights at 0, of E where the slip turns.
    before, middle, after = (tir_points(kappa + k * h, *fixed)[:, 0] for k in (-1.0, 0.0, 1.0))
    smooth = np.abs(after - 2.0 * middle + before) < 1e-5 * mu * fz
    difference = np.maximum((after - before) / (2.0 * h), 0.0)
    assert smooth.mean() > 0.95
    apart = np.abs(ours - difference) / (20.0 * fz)
    assert apart[smooth].max() < 5e-5
    assert np.quantile(apart, 0.9) < 1e-6
    assert (ours >= 0.0).all()


@pytest.mark.parametrize("fz", [0.0, 1e-9, 1e4, 1e7])
@pytest.mark.parametrize("kappa", [0.0, 1e-30, 1.0, 1e12, -1e12])
@pytest.mark.parametrize("slip_angle", [0.0, 1e-30, 1.5707963])
def test_no_slip_and_no_load_give_anything_but_a_number(
    fz: float, kappa: float, slip_angle: float
) -> None:
    for seed in range(4):
        rows = tir_points(kappa, slip_angle, fz, 0.9, 1.0, 1.0, drawn(seed).as_array())
        assert np.isfinite(rows[:, :4]).all()
        assert math.hypot(rows[0, 0], rows[0, 1]) <= 0.9 * fz


@pytest.mark.parametrize("e", [-5.0, -1.0, 0.0, 0.5, 0.9, 0.95])
@pytest.mark.parametrize("c", [1.05, 1.3, 1.65, 1.99])
def test_a_curve_reaches_its_peak_factor_where_its_peak_is(c: float, e: float) -> None:
    tyre = coefficients_from(
        {**SIMPLE, "PCX1": c, "PEX1": e, "PCY1": c, "PEY1": e}, measured_on="left"
    ).as_array()
    mu_peak, alpha_peak, kappa_peak = tir_peaks(4000.0, 1.0, 1.0, 1.0, 1.0, tyre)
    assert mu_peak == pytest.approx(1.0)
    for peak, stiffness in ((kappa_peak, 20.0), (alpha_peak, 16.0)):
        bx = stiffness / c * peak
        bent = bx - e * (bx - math.atan(bx))
        assert math.sin(c * math.atan(bent)) == pytest.approx(1.0, rel=1e-9)
        assert c * math.atan(bent) == pytest.approx(math.pi / 2.0, rel=1e-8)


def test_without_curvature_the_peak_is_where_the_tangent_says() -> None:
    tyre = coefficients_from(SIMPLE, measured_on="left").as_array()
    _, alpha_peak, kappa_peak = tir_peaks(4000.0, 1.0, 1.0, 1.0, 1.0, tyre)
    assert kappa_peak == pytest.approx(math.tan(math.pi / 3.0) * 1.5 / 20.0, rel=1e-9)
    assert alpha_peak == pytest.approx(math.tan(math.pi / 2.6) * 1.3 / 16.0, rel=1e-9)


@pytest.mark.parametrize(("c", "e"), [(0.5, 0.0), (1.0, 0.0), (0.9, -5.0), (1.05, 1.0)])
def test_a_curve_that_only_rises_has_no_peak(c: float, e: float) -> None:
    tyre = coefficients_from({**SIMPLE, "PCX1": c, "PEX1": e}, measured_on="left").as_array()
    assert tir_peaks(4000.0, 1.0, 1.0, 1.0, 1.0, tyre)[2] == math.inf
