"""What a fit may not leave: bounds, held parameters, speeds at which the log shows no torque."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from vdsim_plant.parameters import load_tyre, load_vehicle
from vdsim_plant.study.identify import judgement
from vdsim_plant.study.identify.candidates import (
    CANDIDATES,
    FURTHEST,
    PRIOR,
)
from vdsim_plant.study.identify.channels import SPINS
from vdsim_plant.study.identify.drive_log import DriveLog, make_log
from vdsim_plant.study.identify.fitting import Fit, bounded_step, fit
from vdsim_plant.study.identify.problem import STEP, Place, Problem
from vdsim_plant.study.identify.unknowns import (
    Start,
    motor_curve,
    motor_key,
    motor_knots,
    unknowns_of,
)
from vdsim_plant_kit.hidden_cars import hidden_actuators, hidden_car, hidden_tyre, noisy_log

WHEEL_M = 0.3
MATRIX = np.array([[2.0, 1.0], [1.0, 3.0]])


def test_a_step_that_meets_a_bound_is_the_least_of_what_is_left() -> None:
    gradient = np.array([4.0, 1.0])
    far = np.full(2, 10.0)
    assert bounded_step(MATRIX, gradient, -far, far) == pytest.approx(
        np.linalg.solve(MATRIX, gradient)
    )
    high = np.array([0.5, 10.0])
    step = bounded_step(MATRIX, gradient, -far, high)
    assert step == pytest.approx([0.5, (1.0 - 0.5) / 3.0])


def test_what_is_held_does_not_move_and_does_not_lead_the_others() -> None:
    held = np.array([0.0, 0.0])
    free = np.array([-10.0, 0.0]), np.array([10.0, 0.0])
    assert bounded_step(MATRIX, np.array([4.0, 1e9]), *free) == pytest.approx([2.0, 0.0])
    assert bounded_step(MATRIX, np.array([4.0, 1.0]), held, held) == pytest.approx([0.0, 0.0])


def test_the_places_of_a_fit_end_where_the_values_do() -> None:
    by_key = {unknown.key: unknown for unknown in CANDIDATES}
    lag = by_key["actuator.brake.lag_s"]
    low, high = lag.bounds(0.08)
    assert lag.value(0.08, low) == pytest.approx(lag.low)
    assert lag.value(0.08, high) == pytest.approx(lag.high)
    low, high = by_key["road.mu"].bounds(0.9)
    assert 0.9 * np.exp(high) == pytest.approx(1.2)
    assert low == -FURTHEST
    assert by_key["body.mass_kg"].bounds(1500.0) == (-FURTHEST, FURTHEST)
    assert by_key["steering.offset_rad"].bounds(0.0) == (-np.inf, np.inf)


def log_of(speed_mps: np.ndarray, *, spins: bool) -> DriveLog:
    columns = {"vx_mps": speed_mps, "command_throttle": np.full(len(speed_mps), 0.5)}
    if spins:
        columns |= dict.fromkeys(SPINS, speed_mps / WHEEL_M)
    return make_log(0.02 * np.arange(len(speed_mps)), columns)


@pytest.mark.parametrize("spins", [True, False])
def test_the_torque_is_looked_for_from_the_slowest_to_the_fastest_turn_of_the_motor(
    spins: bool,
) -> None:
    vehicle = load_vehicle("ioniq5_awd")
    radius_m = WHEEL_M if spins else vehicle.wheels.radius_m
    per_mps = vehicle.drivetrain.gear_ratio / radius_m
    knots = motor_knots(log_of(np.linspace(8.0, 20.0, 2000), spins=spins), vehicle)
    assert knots[0] == pytest.approx(8.0 * per_mps, rel=0.01)
    assert knots[-1] == pytest.approx(20.0 * per_mps, rel=0.01)
    slow = motor_knots(log_of(np.linspace(0.2, 20.0, 2000), spins=spins), vehicle)
    assert slow[0] == 0.0
    assert {w for w, _ in vehicle.drivetrain.motor_torque_curve if w < slow[-1]} <= set(slow)


def test_beyond_the_knots_the_curve_is_the_start_s_in_proportion() -> None:
    vehicle = load_vehicle("ioniq5_awd")
    curve = ((0.0, 500.0), (100.0, 600.0), (400.0, 600.0), (1000.0, 200.0))
    vehicle = replace(vehicle, drivetrain=replace(vehicle.drivetrain, motor_torque_curve=curve))
    start = Start(vehicle=vehicle, tyre=load_tyre("mf96"), mu=0.9, motor_knots_radps=(200.0, 400.0))
    found = motor_curve(start, {motor_key(0): 660.0, motor_key(1): 300.0})
    expected = ((0.0, 550.0), (100.0, 660.0), (200.0, 660.0), (400.0, 300.0), (1000.0, 100.0))
    assert np.array(found) == pytest.approx(np.array(expected))


@pytest.fixture(scope="module")
def begun() -> Fit:
    """One step of a fit."""
    columns = noisy_log(hidden_car(1), hidden_tyre(1), hidden_actuators(1), duration_s=20.0, seed=1)
    log = make_log(columns.pop("time_s"), columns)
    vehicle = load_vehicle("ioniq5_awd")
    start = Start(
        vehicle=vehicle,
        tyre=load_tyre("mf96"),
        mu=0.9,
        motor_knots_radps=motor_knots(log, vehicle),
    )
    problem = Problem(log, start, unknowns_of(log, start)[0], segment_s=2.0)
    return fit(problem, held={"body.mass_kg": 0.1})


def test_a_held_parameter_is_where_it_was_put(begun: Fit) -> None:
    start = begun.problem.start_values["body.mass_kg"]
    assert begun.values["body.mass_kg"] == pytest.approx(start * np.exp(0.1))


def test_a_derivative_at_the_upper_bound_is_taken_inwards(begun: Fit) -> None:
    problem = begun.problem
    index = problem.keys.index("road.mu")
    place = Place(begun.place.x.copy(), begun.place.local)
    place.x[index] = problem.high[index]
    moved = problem._variants(place)[1 + index].values["road.mu"]
    assert moved == pytest.approx(1.2 * np.exp(-STEP))
    assert problem.equations(place, begun.spread).matrix[index, index] > 1.01 / PRIOR**2


def test_a_torque_that_the_log_hardly_shows_follows_those_beside_it(
    begun: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = begun.problem
    assert len(problem.start.motor_knots_radps) >= 4
    variances = np.full(len(begun.place.x), 1e-4)
    x = begun.place.x.copy()
    x[:] = 0.05
    for key, wide, place in (
        (motor_key(0), 1e-4, FURTHEST),
        (motor_key(1), 1e-4, 0.1),
        (motor_key(2), 1.0, 0.9),
        (motor_key(3), 1e-4, 0.3),
        ("body.cg_height_m", 1e6, 0.7),
    ):
        variances[problem.keys.index(key)] = wide
        x[problem.keys.index(key)] = place
    monkeypatch.setattr(judgement, "covariance_of", lambda _: np.diag(variances))
    equations = replace(begun.equations, matrix=np.diag(1.0 / variances))
    shown = replace(begun, place=Place(x, begun.place.local), equations=equations)
    held = judgement.hardly_shown(shown)
    speeds = problem.start.motor_knots_radps
    share = (speeds[2] - speeds[1]) / (speeds[3] - speeds[1])
    assert held == pytest.approx(
        {motor_key(0): 0.1, motor_key(2): 0.1 + 0.2 * share, "body.cg_height_m": 0.0}
    )
