"""Peaks of a tyre from a file, against a search over its force surface; the circle, exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from vdsim_plant.ground import Ground
from vdsim_plant.parameters import load_tyre, tyre_names
from vdsim_plant.tyres.tir_forces import tir_points
from vdsim_plant.vehicle import InitialState, Vehicle, VehicleMotion

TIR_TYRES = [name for name in tyre_names() if load_tyre(name).model == "pac2002"]
WHEELS = range(4)
Array = NDArray[np.float64]
Fixed = tuple[float, float, float]  # load, friction and side


def _driven(tyre: str, mu: float, steer_rad: float, force_n: float) -> VehicleMotion:
    vehicle = Vehicle(tyre=tyre, ground=Ground(base_mu=mu))
    vehicle.reset(InitialState(vx_mps=20.0))
    vehicle.step_force(steer_rad, force_n, 0.4)
    return vehicle.motion()


@pytest.mark.parametrize("name", TIR_TYRES)
@pytest.mark.parametrize("mu", [0.1, 0.3, 0.6, 0.9, 1.12])
@pytest.mark.parametrize("turn", [0.03, -0.03])
def test_peaks_are_those_of_the_present_load_and_friction(
    name: str, mu: float, turn: float
) -> None:
    tir = load_tyre(name).tir
    assert tir is not None
    c = tir.as_array()
    m = _driven(name, mu, turn, -1500.0)
    for i in WHEELS:
        load, side = m.tire_fz_n[i], (1.0, -1.0)[i % 2]
        slips = np.linspace(1e-4, 0.6, 6000)
        ahead, aside = math.copysign(1.0, m.slip_ratio[i]), math.copysign(1.0, m.slip_angle_rad[i])

        def along(slip: Array, fixed: Fixed = (load, mu, side), sign: float = ahead) -> Array:
            return np.abs(tir_points(sign * slip, 0.0, *fixed, 0.0, c)[:, 0])

        def across(slip: Array, fixed: Fixed = (load, mu, side), sign: float = aside) -> Array:
            return np.abs(tir_points(0.0, sign * slip, *fixed, 0.0, c)[:, 1])

        for curve, peak in ((along, m.slip_ratio_peak[i]), (across, m.slip_angle_peak_rad[i])):
            forces = curve(slips)
            assert curve(np.array([peak]))[0] >= forces.max() * (1.0 - 1e-9)
            at_top = slips[forces >= forces.max() * (1.0 - 1e-6)]  # flat where the circle cuts
            assert at_top.min() - 2e-3 <= peak <= at_top.max() + 2e-3


@pytest.mark.parametrize("name", TIR_TYRES)
@pytest.mark.parametrize("mu", [0.1, 0.3, 0.6, 0.9, 1.12])
def test_the_peak_friction_is_the_highest_of_both_pure_slips(name: str, mu: float) -> None:
    """Both slips together may reach more, but never more than the friction."""
    tir = load_tyre(name).tir
    assert tir is not None
    c = tir.as_array()
    m = _driven(name, mu, 0.05, -2000.0)
    slips = np.linspace(-0.5, 0.5, 4001)
    for i in WHEELS:
        load, side = m.tire_fz_n[i], (1.0, -1.0)[i % 2]

        def reached(kappa: Array, alpha: Array, fixed: Fixed = (load, mu, side)) -> Array:
            forces = tir_points(kappa, alpha, *fixed, 0.0, c)
            return np.hypot(forces[:, 0], forces[:, 1]) / fixed[0]

        none = np.zeros_like(slips)
        highest = max(reached(slips, none).max(), reached(none, slips).max())
        assert m.mu_peak[i] == pytest.approx(highest, rel=1e-4)
        kappa, alpha = np.meshgrid(slips[::50], slips[::50])
        assert reached(kappa.ravel(), alpha.ravel()).max() <= mu


@pytest.mark.parametrize("name", TIR_TYRES)
def test_no_rounding_lifts_a_force_over_the_circle(name: str) -> None:
    tir = load_tyre(name).tir
    assert tir is not None
    c = tir.as_array()
    rng = np.random.default_rng(8)
    low, high = (-1.5, -1.2, 1.0, 0.05), (1.5, 1.2, 15_000.0, 1.2)
    kappa, alpha, load, mu = rng.uniform(low, high, (400_000, 4)).T
    forces = tir_points(kappa, alpha, load, mu, 1.0, 1.0, c)
    assert (np.hypot(forces[:, 0], forces[:, 1]) <= mu * load).all()


@pytest.mark.parametrize("name", TIR_TYRES)
def test_no_rounding_lifts_a_wheel_over_its_circle(name: str) -> None:
    for mu in (0.05, 0.3, 0.9, 1.2):
        vehicle = Vehicle(tyre=name, ground=Ground(base_mu=mu))
        rng = np.random.default_rng(9)
        vehicle.reset(InitialState(vx_mps=20.0))
        for steer, force in rng.uniform((-0.4, -30_000.0), (0.4, 20_000.0), (40, 2)):
            for _ in range(20):
                vehicle.step_force(steer, force, 1e-3)
                m = vehicle.motion()
                for fx, fy, fz in zip(m.tire_fx_n, m.tire_fy_n, m.tire_fz_n, strict=True):
                    assert math.hypot(fx, fy) <= mu * fz
