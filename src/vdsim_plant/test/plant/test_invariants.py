"""Laws that hold for every input: symmetry, energy, no NaN, the order of the integrator."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from vdsim_plant.ground import Ground, PolygonPatch, SplitMu, XPatch
from vdsim_plant.parameters import vehicle_names
from vdsim_plant.vehicle import STATE_LIMITS, InitialState, PedalInput, Vehicle, VehicleMotion
from vdsim_plant_kit.drives import FRICTIONS, kinetic_energy_j

ROADS = {
    "flat": Ground(),
    "ice": Ground(base_mu=0.05),
    "grippy": Ground(base_mu=1.2),
    "split": Ground(split=SplitMu(0.1, 0.9)),
    "stripes": Ground(x_patches=(XPatch(-5.0, 3.0, 0.2), XPatch(8.0, 20.0, 0.5))),
    "soft stripes": Ground(x_patches=(XPatch(-5.0, 3.0, 0.2),), transition_m=2.0),
    "triangle": Ground(polygons=(PolygonPatch(((-9.0, -9.0), (9.0, -9.0), (0.0, 9.0)), 0.3),)),
    "steep": Ground(slope_x=0.3, slope_y=-0.2),
}
CARS = {
    (name, level, tyre): {
        road: Vehicle(name, tyre, ground, level=level) for road, ground in ROADS.items()
    }
    for name, level, tyre in (
        ("ioniq5_awd", "l2", None),
        ("ioniq5_awd", "l1", None),
        ("ioniq5_awd", "kinematic", None),
        ("ioniq5_awd", "l2", "road_235_55r19"),
        ("scale_car", "l2", None),
        ("sport_rwd", "l2", None),
    )
}
anything = st.floats(allow_nan=False, allow_infinity=False)


def _within(limit: float) -> st.SearchStrategy[float]:
    return st.floats(-limit, limit)


starts = st.builds(InitialState, **{key: _within(limit) for key, limit in STATE_LIMITS.items()})
near = st.builds(
    InitialState,
    x_m=_within(20.0),
    y_m=_within(20.0),
    yaw_rad=_within(4.0),
    vx_mps=_within(3.0),
    vy_mps=_within(3.0),
    yaw_rate_radps=_within(2.0),
)
pedals = st.builds(
    PedalInput,
    steer_rad=anything,
    throttle=anything,
    brake=anything,
    gear=st.sampled_from((-1, 0, 1)),
    handbrake=st.booleans(),
)


def _check(vehicle: Vehicle) -> None:
    """Everything finite, every wheel inside its circle."""
    m = vehicle.motion()
    for field in dataclasses.fields(VehicleMotion):
        value = getattr(m, field.name)
        assert np.all(np.isfinite(value)), (field.name, value)
    for fx, fy, fz, mu in zip(m.tire_fx_n, m.tire_fy_n, m.tire_fz_n, m.wheel_mu, strict=True):
        assert fz >= 0.0
        assert math.hypot(fx, fy) <= mu * fz


@settings(max_examples=400)
@given(
    car=st.sampled_from(sorted(CARS, key=str)),
    road=st.sampled_from(sorted(ROADS)),
    start=st.one_of(starts, near),
    forces=st.lists(st.tuples(anything, anything), min_size=1, max_size=4),
    pedal=pedals,
)
@example(  # a car that moves to the side only, where wheels cannot slip
    car=("ioniq5_awd", "kinematic", None),
    road="ice",
    start=InitialState(vy_mps=53.0),
    forces=[(0.0, 0.0)],
    pedal=PedalInput(gear=-1),
)
def test_every_input_gives_numbers_inside_the_circle(
    car: tuple[str, str, str | None],
    road: str,
    start: InitialState,
    forces: list[tuple[float, float]],
    pedal: PedalInput,
) -> None:
    # [VS-2.7.2]
    vehicle = CARS[car][road]
    vehicle.reset(start)
    _check(vehicle)
    for steer, force in forces:
        for _ in range(4):
            vehicle.step_force(steer, force, 0.0005)
            _check(vehicle)
        vehicle.step_force(steer, force, 0.2)
        _check(vehicle)
    vehicle.step_pedals(pedal, 0.3)
    _check(vehicle)


@pytest.mark.parametrize("substep_s", [1e-5, 1e-2, 0.05, 0.1])
@pytest.mark.parametrize("mu", FRICTIONS)
def test_absurd_substeps_give_numbers_too(substep_s: float, mu: float) -> None:
    vehicle = Vehicle(ground=Ground(base_mu=mu), substep_s=substep_s, allow_coarse_substep=True)
    vehicle.reset(InitialState(vx_mps=20.0, yaw_rate_radps=1.0))
    for force in (15000.0, -20000.0, -500.0, 0.0):
        vehicle.step_force(0.1, force, 10 * substep_s)
        _check(vehicle)


@pytest.mark.parametrize("mu", FRICTIONS)
def test_left_and_right_are_mirror_images_to_the_bit(mu: float) -> None:
    left, right = Vehicle(ground=Ground(base_mu=mu)), Vehicle(ground=Ground(base_mu=mu))
    left.reset(InitialState(vx_mps=14.0, vy_mps=0.4, yaw_rate_radps=0.1))
    right.reset(InitialState(vx_mps=14.0, vy_mps=-0.4, yaw_rate_radps=-0.1))
    rng = np.random.default_rng(11)
    for steer, force in rng.uniform((-0.3, -9000.0), (0.3, 9000.0), (60, 2)):
        left.step_force(steer, force, 0.05)
        right.step_force(-steer, force, 0.05)
    a, b = left.motion(), right.motion()
    assert (a.x_m, a.y_m, a.yaw_rad, a.vx_mps) == (b.x_m, -b.y_m, -b.yaw_rad, b.vx_mps)
    assert (a.vy_mps, a.yaw_rate_radps, a.ay_mps2) == (-b.vy_mps, -b.yaw_rate_radps, -b.ay_mps2)
    assert a.tire_fz_n == tuple(b.tire_fz_n[i] for i in (1, 0, 3, 2))
    assert a.tire_fy_n == tuple(-b.tire_fy_n[i] for i in (1, 0, 3, 2))


@pytest.mark.parametrize("name", vehicle_names())
@pytest.mark.parametrize("mu", FRICTIONS)
def test_tyres_never_create_energy(name: str, mu: float) -> None:
    """Without drive, on the level, body and wheels together only lose energy.

    What may come back is what a standing tyre holds as a spring: half the grip times 8 mm.
    """
    vehicle = Vehicle(name, ground=Ground(base_mu=mu))
    weight = 9.81 * vehicle.parameters.body.mass_kg
    rng = np.random.default_rng(5)
    for _ in range(6):
        vx, vy = rng.uniform(-12.0, 12.0), rng.uniform(-4.0, 4.0)
        vehicle.reset(InitialState(vx_mps=vx, vy_mps=vy, yaw_rate_radps=rng.uniform(-2.0, 2.0)))
        steer, force = rng.uniform(-0.3, 0.3), -weight * rng.uniform(0.0, 0.6)
        least = kinetic_energy_j(vehicle)
        for _ in range(1500):
            vehicle.step_force(steer, force, vehicle.substep_s)
            energy = kinetic_energy_j(vehicle)
            assert energy <= least + 0.5 * weight * mu * 8e-3
            least = min(least, energy)


def _path(substep_s: float, road: Ground) -> NDArray[np.float64]:
    vehicle = Vehicle(ground=road, substep_s=substep_s, allow_coarse_substep=True)
    vehicle.reset(InitialState(vx_mps=16.7))
    for k in range(60):
        vehicle.step_force(0.04 * math.sin(0.15 * k), -1500.0 if k > 30 else 500.0, 0.05)
    m = vehicle.motion()
    return np.array([m.x_m, m.y_m, m.yaw_rad, m.vx_mps, m.vy_mps, m.yaw_rate_radps])


STEPS_S = (4e-3, 2e-3, 1e-3, 5e-4)


def test_steps_of_the_input_leave_a_fraction_of_a_millimetre() -> None:
    """Every step of the input costs a share of a substep: first order, with a small factor."""
    exact = 2.0 * _path(1e-5, Ground()) - _path(2e-5, Ground())
    errors = [math.hypot(*(_path(step, Ground()) - exact)[:2]) for step in (5e-3, *STEPS_S[1:])]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 2e-4


def _steady(substep_s: float, force_n: float) -> NDArray[np.float64]:
    vehicle = Vehicle(substep_s=substep_s, allow_coarse_substep=True)
    vehicle.reset(InitialState(vx_mps=20.0))
    vehicle.step_force(0.0, force_n, 2.0)
    m = vehicle.motion()
    return np.array([m.x_m, m.vx_mps, *m.wheel_spin_radps])


@pytest.mark.parametrize("force_n", [-4600.0, 0.0, 3000.0])
def test_integrator_is_of_second_order_between_steps_of_the_input(force_n: float) -> None:
    exact = 2.0 * _steady(1e-5, force_n) - _steady(2e-5, force_n)
    errors = [float(np.linalg.norm(_steady(step, force_n) - exact)) for step in STEPS_S]
    orders = [math.log2(a / b) for a, b in pairwise(errors)]
    assert all(1.7 < order < 2.3 for order in orders), orders


def test_patches_keep_the_error_small() -> None:
    road = Ground(x_patches=(XPatch(20.0, 40.0, 0.5),))
    error = _path(5e-4, road)[:2] - _path(2e-5, road)[:2]
    assert math.hypot(*error) < 5e-3


@pytest.mark.parametrize("mu", [0.05, 0.1, 0.3])
@pytest.mark.parametrize(
    ("level", "tyre"), [("l2", None), ("l1", None), ("kinematic", None), ("l2", "road_235_55r19")]
)
def test_a_car_never_slows_by_more_than_friction_allows(
    mu: float, level: str, tyre: str | None
) -> None:
    """Rolling resistance is part of the contact force, so the circle bounds it too."""
    vehicle = Vehicle(tyre=tyre, ground=Ground(base_mu=mu), level=level)
    body, aero = vehicle.parameters.body, vehicle.parameters.aero
    drag = 0.5 * aero.air_density_kgpm3 * aero.frontal_area_m2 * aero.drag_coefficient
    for force_n in (0.0, -600.0, -1500.0, -40_000.0):
        vehicle.reset(InitialState(vx_mps=20.0))
        for _ in range(400):
            air = drag * vehicle.motion().vx_mps ** 2 / body.mass_kg
            vehicle.step_force(0.0, force_n, vehicle.substep_s)
            assert -vehicle.motion().ax_mps2 <= mu * 9.80665 + air + 1e-10


@pytest.mark.parametrize("name", vehicle_names())
def test_coasting_costs_the_rolling_resistance(name: str) -> None:
    vehicle = Vehicle(name)
    vehicle.reset(InitialState(vx_mps=10.0))
    vehicle.step_force(0.0, 0.0, 1.0)
    m = vehicle.motion()
    inertias = (
        vehicle.parameters.wheels.inertia_front_kgm2,
        vehicle.parameters.wheels.inertia_rear_kgm2,
    )
    radius, mass = vehicle.parameters.wheels.radius_m, vehicle.parameters.body.mass_kg
    spun = 2.0 * sum(inertias) / radius**2 * m.ax_mps2  # what slowing the wheels gives back
    rolling = vehicle.tyre.rolling_resistance * mass * 9.80665
    assert sum(m.tire_fx_n) == pytest.approx(-rolling - spun, rel=2e-3)
