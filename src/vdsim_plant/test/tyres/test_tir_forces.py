"""The PAC2002 equations against numbers worked by hand, and the properties a tyre must have."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from vdsim_plant.parameters import load_tyre, tyre_names
from vdsim_plant.parameters.tir_coefficients import coefficients_from
from vdsim_plant.tyres.tir_forces import tir_forces, tir_peaks, tir_points

# A tyre simple enough for a pocket calculator: no curvature, no load dependence, no offsets.
SIMPLE = {
    "FNOMIN": 4000.0, "UNLOADED_RADIUS": 0.3,
    "PCX1": 1.5, "PDX1": 1.0, "PKX1": 20.0, "RBX1": 10.0, "RBX2": 0.0, "RCX1": 1.0,
    "PCY1": 1.3, "PDY1": 1.0, "PKY1": -20.0, "PKY2": 2.0,
    "RBY1": 8.0, "RBY2": 0.0, "RCY1": 1.0,
}  # fmt: skip
TIR_TYRES = [name for name in tyre_names() if load_tyre(name).model == "pac2002"]

slips = st.floats(-3.0, 3.0)
angles = st.floats(-1.5, 1.5)
# Not between 0 and 1e-300 N: there mu Fz is a denormal number, whose own rounding is a part of it.
loads = st.one_of(st.just(0.0), st.floats(1e-300, 20_000.0))
frictions = st.floats(0.05, 1.2)


def simple(**changes: float) -> np.ndarray:
    return coefficients_from({**SIMPLE, **changes}, measured_on="left").as_array()


def shipped(name: str) -> np.ndarray:
    tir = load_tyre(name).tir
    assert tir is not None
    return tir.as_array()


def test_longitudinal_force_worked_by_hand() -> None:
    # K = 20 Fz = 80 000 N, D = 4000 N, B = K / (C D) = 13.3333, kappa = 0.05: B kappa = 0.66667
    # atan = 0.588003, times 1.5 = 0.882004, sin = 0.772014, times D = 3088.06 N
    fx, fy = tir_forces(0.05, 0.0, 4000.0, 1.0, 1.0, 1.0, simple())
    assert fx == pytest.approx(3088.06, abs=0.02)
    assert fy == 0.0


def test_lateral_force_worked_by_hand() -> None:
    # K = -20 * 4000 * sin(2 atan(1 / 2)) = -80 000 * 0.8 = -64 000 N/rad
    # B = 64 000 / (1.3 * 4000) = 12.3077, alpha = 0.04: B alpha = 0.492308, atan = 0.457475
    # times 1.3 = 0.594717, sin = 0.560275, times D = 2241.10 N, against the slip angle
    fx, fy = tir_forces(0.0, 0.04, 4000.0, 1.0, 1.0, 1.0, simple())
    assert fx == 0.0
    assert fy == pytest.approx(-2241.10, abs=0.02)


def test_combined_force_worked_by_hand() -> None:
    # Both weights are cos(atan(B x)) here, which is 1 / sqrt(1 + (B x)^2):
    # Gx(alpha 0.04) = 1 / sqrt(1 + 0.4^2) = 0.928477;  Gy(kappa 0.05) = 1 / sqrt(1.16) the same
    fx, fy = tir_forces(0.05, 0.04, 4000.0, 1.0, 1.0, 1.0, simple())
    assert fx == pytest.approx(3088.06 * 0.928477, abs=0.02)
    assert fy == pytest.approx(-2241.10 * 0.928477, abs=0.02)


def test_curvature_and_load_terms_worked_by_hand() -> None:
    # fz = 5000: dfz = 0.25, mu = 1 - 0.2 * 0.25 = 0.95, D = 4750 N, K = 5000 * (20 + 4 * 0.25)
    # = 105 000 N, B = 105 000 / (1.5 * 4750) = 14.73684, B kappa = 0.442105, atan = 0.416272
    # E = 0.5: 0.442105 - 0.5 * 0.025833 = 0.429189, atan = 0.405401, times 1.5 = 0.608101
    # sin = 0.571324, times D = 2713.8 N
    c = simple(PDX2=-0.2, PKX2=4.0, PEX1=0.5)
    fx, _ = tir_forces(0.03, 0.0, 5000.0, 1.0, 1.0, 0.0, c)
    assert fx == pytest.approx(2713.8, abs=0.1)


def test_offsets_worked_by_hand_and_faded_out() -> None:
    # SV = 4000 * 0.01 = 40 N; SH = 0.001 rad on a slope of -64 000 N/rad: -64 N (nearly linear)
    c = simple(PHY1=0.001, PVY1=0.01)
    _, fy = tir_forces(0.0, 0.0, 4000.0, 1.0, 1.0, 1.0, c)
    assert fy == pytest.approx(40.0 - 64.0, abs=0.02)
    assert tir_forces(0.0, 0.0, 4000.0, 1.0, 1.0, 0.0, c) == (0.0, 0.0)


def test_side_push_of_a_driven_wheel_worked_by_hand() -> None:
    # SVyk = D * RVY1 * sin(RVY5 atan(RVY6 kappa)) = 4000 * 0.05 * sin(2 atan(1)) = 200 N
    c = simple(RVY1=0.05, RVY5=2.0, RVY6=10.0)
    assert tir_forces(0.1, 0.0, 4000.0, 1.5, 1.0, 1.0, c)[1] == pytest.approx(1.5 * 200.0)


def test_friction_scales_the_peak_and_leaves_the_stiffness() -> None:
    c = simple()
    stiffness = [tir_forces(1e-6, 0.0, 4000.0, mu, 1.0, 0.0, c)[0] / 1e-6 for mu in (0.2, 1.0)]
    assert stiffness == pytest.approx([80_000.0, 80_000.0], rel=1e-4)
    kappa = tir_peaks(4000.0, 0.2, 1.0, 1.0, 1.0, c)[2]
    assert tir_forces(kappa, 0.0, 4000.0, 0.2, 1.0, 0.0, c)[0] == pytest.approx(800.0, rel=1e-9)


@given(kappa=slips, alpha=angles, fz=loads, mu=frictions, shift=st.floats(0.0, 1.0))
@example(kappa=0.0, alpha=0.5, fz=4e-284, mu=1.0, shift=0.0)  # its square is 0
@pytest.mark.parametrize("name", TIR_TYRES)
def test_the_friction_circle_is_held(
    name: str, kappa: float, alpha: float, fz: float, mu: float, shift: float
) -> None:
    fx, fy = tir_forces(kappa, alpha, fz, mu, 1.0, shift, shipped(name))
    assert math.hypot(fx, fy) <= mu * fz


@given(kappa=slips, alpha=angles, fz=loads, mu=frictions)
@pytest.mark.parametrize("name", TIR_TYRES)
def test_left_and_right_wheels_are_mirror_images(
    name: str, kappa: float, alpha: float, fz: float, mu: float
) -> None:
    c = shipped(name)
    left = tir_forces(kappa, alpha, fz, mu, 1.0, 1.0, c)
    right = tir_forces(kappa, -alpha, fz, mu, -1.0, 1.0, c)
    assert left == (right[0], -right[1])


@given(kappa=slips, alpha=angles, fz=loads, mu=frictions)
@pytest.mark.parametrize("name", TIR_TYRES)
def test_without_offsets_the_force_never_drives_the_slip(
    name: str, kappa: float, alpha: float, fz: float, mu: float
) -> None:
    c = shipped(name)
    fx, fy = tir_forces(kappa, alpha, fz, mu, 1.0, 0.0, c)
    assert fx * kappa >= -1e-9
    assert fy * alpha <= 1e-9


@pytest.mark.parametrize("name", TIR_TYRES)
def test_no_slip_no_force(name: str) -> None:
    assert tir_forces(0.0, 0.0, 4000.0, 0.9, 1.0, 0.0, shipped(name)) == (0.0, 0.0)


@pytest.mark.parametrize("name", TIR_TYRES)
def test_no_load_no_force(name: str) -> None:
    assert tir_forces(0.1, 0.1, 0.0, 0.9, 1.0, 1.0, shipped(name)) == (0.0, 0.0)


@pytest.mark.parametrize("name", TIR_TYRES)
def test_a_heavier_load_carries_more_but_less_per_newton(name: str) -> None:
    c = shipped(name)
    forces = [-tir_forces(0.0, 0.15, fz, 0.9, 1.0, 0.0, c)[1] for fz in (2000, 4000, 6000, 8000)]
    per_load = [force / fz for force, fz in zip(forces, (2000, 4000, 6000, 8000), strict=True)]
    assert forces == sorted(forces)
    assert per_load[1:] == sorted(per_load[1:], reverse=True)


@pytest.mark.parametrize("name", TIR_TYRES)
@pytest.mark.parametrize("mu", [0.1, 0.5, 0.9])
def test_peaks_are_where_the_curves_turn(name: str, mu: float) -> None:
    c = shipped(name)
    fz = 0.8 * float(c[0])
    _, alpha_peak, kappa_peak = tir_peaks(fz, mu, 1.0, 1.0, 1.0, c)
    near = np.array([0.95, 1.0, 1.05])
    across = -tir_points(0.0, near * alpha_peak, fz, mu, 1.0, 0.0, c)[:, 1]
    along = tir_points(near * kappa_peak, 0.0, fz, mu, 1.0, 0.0, c)[:, 0]
    for below, peak, beyond in (across, along):
        highest = peak * (1.0 + 1e-12)  # where the circle cuts the curve it is flat
        assert below <= highest
        assert beyond <= highest


def test_a_curve_that_never_turns_has_its_peak_at_infinity() -> None:
    assert tir_peaks(4000.0, 1.0, 1.0, 1.0, 1.0, simple(PCY1=0.95))[1] == math.inf


def test_a_file_in_sae_axes_gives_the_same_forces() -> None:
    iso = tir_forces(0.02, 0.03, 4000.0, 0.9, 1.0, 1.0, simple(PVY1=0.01, PHY1=0.001))
    sae = tir_forces(0.02, 0.03, 4000.0, 0.9, 1.0, 1.0, simple(PVY1=-0.01, PHY1=0.001, PKY1=20.0))
    assert sae == pytest.approx(iso)


def test_a_tyre_measured_on_the_right_is_mirrored_for_the_left() -> None:
    right = coefficients_from({**SIMPLE, "PVY1": 0.01}, measured_on="right").as_array()
    left = simple(PVY1=0.01)
    on_right = tir_forces(0.0, 0.0, 4000.0, 1.0, -1.0, 1.0, right)
    on_left = tir_forces(0.0, 0.0, 4000.0, 1.0, 1.0, 1.0, left)
    assert on_right == on_left == (0.0, 40.0)
    assert tir_forces(0.0, 0.0, 4000.0, 1.0, 1.0, 1.0, right) == (0.0, -40.0)


def test_beyond_the_fitted_loads_the_force_goes_on_in_proportion() -> None:
    c = simple(FZMIN=1000.0, FZMAX=6000.0, PDX2=-0.9)
    at_limit = tir_forces(0.05, 0.0, 6000.0, 1.0, 1.0, 0.0, c)[0]
    assert tir_forces(0.05, 0.0, 12_000.0, 1.0, 1.0, 0.0, c)[0] == pytest.approx(2 * at_limit)
