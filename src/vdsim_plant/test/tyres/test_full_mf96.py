"""The MF96 tyre with load sensitivity and curvature, in every form in which a car can be driven."""

from __future__ import annotations

import dataclasses
import math
import pickle
from typing import Any

import numpy as np
import pytest
from vdsim_plant.assembly import lateral_transfer
from vdsim_plant.ground import Ground, SplitMu
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import Mf96Parameters, ParameterError, load_vehicle
from vdsim_plant.parameters.tyre import FURTHEST_PEAK, most_curvature
from vdsim_plant.study.accuracy.full_tyre import (
    balance_claim,
    book_curve,
    book_forces,
    curve_claims,
    full_tyre,
)
from vdsim_plant.vehicle import Vehicle
from vdsim_plant.vehicle_characteristics import axle_stiffness_n_per_rad, characteristics_of

from vdsim_plant import VDSimPlant

FULL = full_tyre(0.25, -0.8, 0.7, 0.35)
SPLIT = Ground(base_mu=0.8, split=SplitMu(mu_left=0.3, mu_right=0.8, y_m=0.0))


def test_its_forces_are_those_of_the_book_within_their_circle() -> None:
    assert all(claim.passed for claim in curve_claims(seconds=0.25))


def test_the_balance_of_two_axles_follows_their_stiffness_at_the_loads() -> None:
    claim = balance_claim()
    assert claim.passed, claim.measured


@pytest.mark.parametrize("level", ["l1", "l3"])
@pytest.mark.parametrize("ground", [Ground(base_mu=0.8), SPLIT], ids=["even", "split"])
def test_its_forces_are_those_of_the_book_at_every_level_and_on_every_road(
    level: str, ground: Ground
) -> None:
    vehicle = Vehicle("ioniq5_awd", FULL, ground, level=level)
    vehicle.reset(InitialState(vx_mps=20.0))
    for steer, force in ((0.05, 2000.0), (-0.08, -9000.0), (0.1, -20_000.0)):
        vehicle.step_force(steer, force, 0.3)
        m = vehicle.motion()
        for i in range(4):
            fx, fy, most = book_forces(vehicle.parameters, FULL.mf96, i, m)
            assert (m.tire_fx_n[i], m.tire_fy_n[i]) == pytest.approx((fx, fy), abs=1e-6 * most)


@pytest.mark.parametrize(("lateral", "longitudinal"), [(0.0, 0.0), (0.8, 1.0), (-5.0, 0.5)])
def test_the_reported_peaks_are_the_highest_points_of_the_book_curves(
    lateral: float, longitudinal: float
) -> None:
    """Search along the slip itself, with B from the stiffness that the files state."""
    tyre = full_tyre(0.2, lateral, longitudinal)
    vehicle = Vehicle("ioniq5_awd", tyre, Ground(base_mu=0.7))
    vehicle.reset(InitialState(vx_mps=20.0))
    vehicle.step_force(0.04, -2000.0, 0.5)
    m = vehicle.motion()
    axles = vehicle.parameters.axles
    stiffness = axles.cornering_stiffness_front_n_per_rad / 2.0
    static = vehicle.parameters.static_wheel_loads_n()[0]
    b_y = stiffness / (tyre.mf96.lateral_shape * axles.mu_nominal * static)
    b_x = tyre.mf96.slip_stiffness_per_load / (tyre.mf96.longitudinal_shape * axles.mu_nominal)
    slips = np.linspace(0.0, 1.2, 120_001).tolist()
    shape = tyre.mf96.lateral_shape
    across = [book_curve(shape, lateral, b_y * math.tan(slip)) for slip in slips]
    shape = tyre.mf96.longitudinal_shape
    along = [book_curve(shape, longitudinal, b_x * slip) for slip in slips]
    assert m.slip_angle_peak_rad[0] == pytest.approx(slips[int(np.argmax(across))], abs=2e-5)
    assert m.slip_ratio_peak[0] == pytest.approx(slips[int(np.argmax(along))], abs=2e-5)
    for i in range(4):
        at_rest = vehicle.parameters.static_wheel_loads_n()[i]
        share = 1.0 - 0.2 * (m.tire_fz_n[i] / at_rest - 1.0)
        assert m.mu_peak[i] == pytest.approx(0.7 * share, rel=1e-12)


def test_load_transfer_lowers_the_grip_of_an_axle_by_the_closed_form() -> None:
    """2 mu (F - q x^2 / F0): wheels of mean load F that x [N] moves between, static load F0."""
    car = load_vehicle("ioniq5_awd")
    vehicle = Vehicle(car, full_tyre(0.3), Ground(base_mu=0.9))
    vehicle.reset(InitialState(vx_mps=20.0))
    vehicle.step_force(0.05, 0.0, 2.0)
    m = vehicle.motion()
    for axle in range(2):
        left, right = 2 * axle, 2 * axle + 1
        grip = sum(m.mu_peak[i] * m.tire_fz_n[i] for i in (left, right))
        moved = 0.5 * (m.tire_fz_n[right] - m.tire_fz_n[left])
        mean = 0.5 * (m.tire_fz_n[right] + m.tire_fz_n[left])
        static = car.static_wheel_loads_n()[left]
        assert moved == pytest.approx(lateral_transfer(car)[axle] * m.ay_mps2, rel=0.01)
        even = 2.0 * 0.9 * mean * (1.0 - 0.3 * (mean / static - 1.0))
        assert grip == pytest.approx(even - 2.0 * 0.9 * 0.3 * moved**2 / static, rel=1e-12)
        assert grip < 0.97 * even


def _drive(plant: VDSimPlant, states: list[float], inputs: np.ndarray) -> list[dict[str, Any]]:
    plant.reset(states)
    return [dict(plant.step(row)) for row in inputs.tolist()]


@pytest.mark.parametrize("road", [{"base_mu": 0.8}, {"ground": SPLIT}], ids=["even", "split"])
def test_a_batch_has_the_bits_of_cars_alone_plain_ones_among_them(road: dict[str, Any]) -> None:
    n = 19
    rng = np.random.default_rng(3)
    some = rng.random(n) < 0.6
    vary = {
        "tyre.mf96.load_sensitivity": np.where(some, rng.uniform(0.0, 0.4, n), 0.0),
        "tyre.mf96.lateral_curvature": np.where(some, rng.uniform(-2.0, 0.8, n), 0.0),
        "tyre.mf96.longitudinal_curvature": np.where(rng.random(n) < 0.5, 0.0, 0.7) * some,
    }
    plant = VDSimPlant(control_dt=0.02, **road)
    batch = plant.batch(n, vary=vary)
    start = [0.0, 0.0, 0.2, 18.0, 0.5, 0.1]
    batch.reset(start)
    inputs = rng.uniform((-0.3, -15_000.0), (0.3, 8000.0), (30, 2))
    for row in inputs:
        batch.step(row)
    assert not some.all()
    assert some.any()
    for car in range(n):
        alone = plant.varied({name: values[car] for name, values in vary.items()})
        assert batch.observation(car) == _drive(alone, start, inputs)[-1]


def test_a_plain_car_in_the_loop_of_the_full_tyre_has_its_usual_bits() -> None:
    inputs = np.random.default_rng(4).uniform((-0.3, -15_000.0), (0.3, 8000.0), (40, 2))
    start = [0.0, 0.0, 0.0, 20.0, 0.0, 0.0]
    usual = VDSimPlant(control_dt=0.02)
    both = usual.batch(2, vary={"tyre.mf96.load_sensitivity": [0.0, 0.3]})
    both.reset(start)
    for row in inputs:
        both.step(row)
    assert both.observation(0) == _drive(usual, start, inputs)[-1]
    assert both.observation(1) != both.observation(0)


@pytest.mark.parametrize("level", ["l1", "l2"])
@pytest.mark.parametrize("ground", [Ground(base_mu=0.8), SPLIT], ids=["even", "split"])
def test_its_exact_linearization_is_that_of_differences(level: str, ground: Ground) -> None:
    """Central differences of the plant itself; the linearised car has the plant's bits."""
    plant = VDSimPlant("ioniq5_awd", tyre=FULL, ground=ground, level=level, control_dt=0.01)
    plant.reset([0.0, 0.3, 0.1, 17.0, 0.2, 0.2])
    for _ in range(40):
        plant.step([0.05, -2500.0])
    found = plant.linearize([0.06, -3000.0])
    here = plant.snapshot()
    keys = ("X", "Y", "psi", "vx", "vy", "r")
    for column, half in enumerate((1e-5, 0.5)):
        ends = []
        for side in (half, -half):
            plant.restore(here)
            u = [0.06, -3000.0]
            u[column] += side
            obs: Any = plant.step(u)
            ends.append(np.array([obs[key] for key in keys]))
        slope = (ends[0] - ends[1]) / (2.0 * half)
        scale = np.abs(slope).max()
        assert found.B[:, column] == pytest.approx(slope, abs=2e-6 * scale)
    plant.restore(here)
    after: Any = plant.step([0.06, -3000.0])
    assert found.x_next.tolist() == [after[key] for key in keys]


@pytest.mark.parametrize(("curvature", "kept"), [(0.0, 0.628), (0.7, 0.773)])
def test_curvature_leaves_more_force_to_a_locked_wheel(curvature: float, kept: float) -> None:
    vehicle = Vehicle("ioniq5_awd", full_tyre(0.0, 0.0, curvature), Ground(base_mu=0.9))
    vehicle.reset(InitialState(vx_mps=25.0))
    vehicle.step_force(0.0, -60_000.0, 0.5)
    m = vehicle.motion()
    assert m.slip_ratio[0] == pytest.approx(-1.0)
    assert -m.tire_fx_n[0] / (0.9 * m.tire_fz_n[0]) == pytest.approx(kept, abs=5e-4)


def test_it_stands_on_a_slope_without_creep_and_without_chatter() -> None:
    for tyre in (full_tyre(1.0, 0.8, 1.0), full_tyre(0.3, -10.0, -10.0)):
        vehicle = Vehicle("ioniq5_awd", tyre, Ground(base_mu=0.9, slope_x=0.08))
        vehicle.step_pedals(PedalInput(brake=1.0), 5.0)
        before = vehicle.motion()
        vehicle.step_pedals(PedalInput(brake=1.0), 10.0)
        m = vehicle.motion()
        assert math.hypot(m.x_m - before.x_m, m.y_m - before.y_m) < 1e-9
        assert max(abs(spin) for spin in m.wheel_spin_radps) < 1e-6


def test_a_copy_goes_on_with_the_same_bits() -> None:
    plant = VDSimPlant(tyre=FULL, base_mu=0.8)
    plant.reset([0.0, 0.0, 0.0, 20.0, 0.0, 0.0])
    plant.step([0.1, -3000.0])
    copy = pickle.loads(pickle.dumps(plant))
    ahead = plant.batch(3, from_current=True)
    ahead.step([0.1, -3000.0])
    assert plant.step([0.1, -3000.0]) == copy.step([0.1, -3000.0]) == ahead.observation(2)


def test_a_load_leaves_a_tenth_of_the_friction_at_least() -> None:
    """Pressed down by its wings to four times its weight."""
    car = load_vehicle("ioniq5_awd")
    aero = dataclasses.replace(
        car.aero, lift_coefficient_front=-5.0, lift_coefficient_rear=-5.0, frontal_area_m2=3.0
    )
    vehicle = Vehicle(dataclasses.replace(car, aero=aero), full_tyre(1.0), Ground(base_mu=0.9))
    vehicle.reset(InitialState(vx_mps=60.0))
    m = vehicle.motion()
    static = car.static_wheel_loads_n()
    assert all(load > 2.2 * rest for load, rest in zip(m.tire_fz_n, static, strict=True))
    assert m.mu_peak == pytest.approx((0.09,) * 4, rel=1e-12)


def test_the_stiffness_of_an_axle_falls_with_load_transfer() -> None:
    car = load_vehicle("ioniq5_awd")
    plain, sensitive = full_tyre(0.0), full_tyre(0.3)
    assert axle_stiffness_n_per_rad(car, plain, ay_mps2=5.0) == axle_stiffness_n_per_rad(car, plain)
    assert axle_stiffness_n_per_rad(car, sensitive) == axle_stiffness_n_per_rad(car, plain)
    for axle, stiffness in enumerate(axle_stiffness_n_per_rad(car, sensitive, ay_mps2=5.0)):
        moved = 5.0 * lateral_transfer(car)[axle] / car.static_wheel_loads_n()[2 * axle]
        nominal = axle_stiffness_n_per_rad(car, plain)[axle]
        assert stiffness == pytest.approx(nominal * (1.0 - 0.3 * moved**2), rel=1e-12)
    figures = characteristics_of(car, sensitive)
    # K = m / L (b / Cf - a / Cr) with Cf = 220e3 (1 - 0.3 xf^2), Cr = 160e3 (1 - 0.3 xr^2)
    xf, xr = (
        4.0 * per_ay / load
        for per_ay, load in zip(lateral_transfer(car), (7010.3, 4556.7), strict=True)
    )
    stiffness = 220e3 * (1.0 - 0.3 * xf**2), 160e3 * (1.0 - 0.3 * xr**2)
    gradient = 2359.0 / 2.97 * (1.8 / stiffness[0] - 1.17 / stiffness[1])
    assert figures.turning_understeer_rad_s2_per_m == pytest.approx(gradient, rel=1e-3)
    assert figures.understeer_gradient_rad_s2_per_m == pytest.approx(
        characteristics_of(car, plain).understeer_gradient_rad_s2_per_m
    )


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"load_sensitivity": -0.1}, "load_sensitivity=-0.1: must be >= 0 and <= 1"),
        ({"load_sensitivity": 1.5}, "load_sensitivity=1.5: must be >= 0 and <= 1"),
        ({"lateral_curvature": 1.1}, "lateral_curvature=1.1: must be >= -10 and <= 1"),
        ({"lateral_curvature": math.nan}, "lateral_curvature=nan: must be >= -10 and <= 1"),
        (
            {"lateral_curvature": 0.97},
            "lateral_curvature=0.97: must be <= 0.9396 with lateral_shape=1.3, "
            "or the curve has no peak to speak of",
        ),
        (
            {"longitudinal_curvature": 1.0, "longitudinal_shape": 1.5},
            "longitudinal_curvature=1: must be <= 0.9",
        ),
    ],
)
def test_what_has_no_peak_is_refused(change: dict[str, float], problem: str) -> None:
    with pytest.raises(ParameterError) as error:
        Mf96Parameters(**change)
    assert str(error.value).startswith(problem)


@pytest.mark.parametrize("shape", [1.01, 1.3, 1.5, 1.65, 1.99])
def test_the_largest_curvature_still_has_its_peak(shape: float) -> None:
    most = most_curvature(shape)
    Mf96Parameters(lateral_shape=shape, lateral_curvature=most)
    if most > 0.0:
        grid = np.linspace(0.0, 10.0 * FURTHEST_PEAK, 200_001).tolist()
        top = int(np.argmax([book_curve(shape, most, b) for b in grid]))
        assert grid[top] <= FURTHEST_PEAK + 1e-3


@pytest.mark.parametrize(
    ("sensitivity", "front_share", "yaw_rate"),
    [
        (0.0, 0.5, 0.290),
        (0.0, 0.7, 0.288),
        (0.0, 0.3, 0.295),
        (0.2, 0.5, 0.309),
        (0.2, 0.7, 0.276),
        (0.2, 0.3, None),
    ],
)
def test_load_sensitivity_has_roll_stiffness_decide_the_balance(
    sensitivity: float, front_share: float, yaw_rate: float | None
) -> None:
    """The figures of docs/plant.md; None: the car spins."""
    plant = VDSimPlant(base_mu=0.9)
    springs = plant.vehicle.parameters.suspension
    whole = springs.roll_stiffness_front_nm_per_rad + springs.roll_stiffness_rear_nm_per_rad
    car = plant.varied(
        {
            "tyre.mf96.load_sensitivity": sensitivity,
            "suspension.roll_stiffness_front_nm_per_rad": front_share * whole,
            "suspension.roll_stiffness_rear_nm_per_rad": (1.0 - front_share) * whole,
        }
    )
    obs = car.reset([0.0, 0.0, 0.0, 20.0, 0.0, 0.0])
    while obs["t"] < 10.0 and abs(obs["beta"]) < 0.5:
        obs = car.step([0.05, 20_000.0 * (20.0 - obs["vx"])])
    if yaw_rate is None:
        assert obs["t"] < 3.0
    else:
        assert obs["r"] == pytest.approx(yaw_rate, abs=6e-4)
