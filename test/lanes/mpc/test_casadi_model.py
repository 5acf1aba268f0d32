"""casadi_model: the numeric core as CasADi functions, against the core and the plant."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from vdsim_plant.car.loops import advance, advance_full
from vdsim_plant.ground import Ground, load_ground
from vdsim_plant.ground.compilation import BASE_MU
from vdsim_plant.kernel import layout as at
from vdsim_plant.linear.layout import STATES
from vdsim_plant.mpc.casadi_model import CasadiModel, casadi_model
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.study.accuracy.full_tyre import full_tyre
from vdsim_plant.vehicle import Vehicle

from vdsim_plant import VDSimPlant

SCALES = {"X": 100.0, "Y": 100.0, "psi": 3.0, "vx": 20.0, "vy": 5.0, "r": 1.0}
CARS: dict[str, dict[str, Any]] = {
    "ioniq5_awd": {},
    "sport_rwd": {"config": "sport_rwd"},
    "l1": {"level": "l1"},
    "full_mf96": {"tyre": full_tyre(0.3, -0.8, 0.7)},
}


def random_states(random: np.random.Generator, model: CasadiModel, n: int) -> np.ndarray:
    """From standstill to hard slides, with wheels that slip, lock and stand."""
    states = np.empty((len(model.states), n))
    for row, name in enumerate(model.states):
        scale = SCALES.get(name, 0.05 if "stretch" in name else 5.0)
        states[row] = random.uniform(-scale, scale, n)
    states[3] *= random.choice([0.0, 0.02, 1.0], n)
    states[15:19] = states[3] / 0.34 * random.uniform(0.0, 1.5, (4, n))
    return states


@pytest.mark.parametrize("name", CARS)
def test_its_substep_is_that_of_the_core_for_ten_thousand_random_states(name: str) -> None:
    """Each component within 1e-12 of its largest value."""
    n, random = 10_000, np.random.default_rng(1)
    model = casadi_model(**CARS[name])
    config = dict(CARS[name])
    vehicle = Vehicle(config.pop("config", "ioniq5_awd"), **config)
    states = random_states(random, model, n)
    inputs = random.uniform([[-0.7], [-3e4]], [[0.7], [2e4]], (2, n))
    mu = random.uniform(0.05, 1.2, n)
    found = np.asarray(model.substep.map(n)(states, inputs, np.tile(mu, (4, 1))))

    ground, template = vehicle.core_arrays()
    car = template.copy()
    run = (advance_full if name == "full_mf96" else advance).on(car, ground)
    places = list(STATES)
    wanted = np.empty_like(states)
    for k in range(n):
        vehicle.hold_force(*inputs[:, k], 0)
        held = vehicle.core_arrays()[1]
        car[:] = template
        car[at.STEER : at.THROTTLE + 1] = held[at.STEER : at.THROTTLE + 1]
        car[at.BRAKE : at.BRAKE + 4] = held[at.BRAKE : at.BRAKE + 4]
        car[places] = states[:, k]
        ground[BASE_MU] = mu[k]
        run(1)
        wanted[:, k] = car[places]
    scale = np.abs(wanted).max(axis=1)
    assert (np.abs(found - wanted).max(axis=1) <= 1e-12 * scale).all()


@pytest.mark.parametrize("name", ["ioniq5_awd", "full_mf96"])
def test_its_derivative_is_that_of_the_plant(name: str) -> None:
    """CasADi's own differentiation of the substeps of a period, against `linearize`."""
    plant = VDSimPlant(control_dt=0.005, **CARS[name])
    plant.reset([0, 0, 0.1, 17.0, 0.2, 0.1])
    for _ in range(50):
        plant.step([0.04, -3000.0])
    model = casadi_model(**CARS[name])
    x, u = ca.SX.sym("x", len(model.states)), ca.SX.sym("u", 2)
    after = x
    for _ in range(10):
        after = model.substep(after, u, [0.9] * 4)
    both = ca.Function("both", [x, u], [ca.jacobian(after, x), ca.jacobian(after, u)])
    found = plant.linearize([0.05, -2500.0], states="all")
    a, b = both(found.x, found.u)
    for mine, theirs in ((found.A, np.asarray(a)), (found.B, np.asarray(b))):
        assert np.abs(mine - theirs).max() <= 1e-9 * np.abs(theirs).max()


@pytest.mark.parametrize("name", CARS)
def test_its_ode_drives_as_the_plant_with_fine_substeps(name: str) -> None:
    """Brake and turn onto a slippery road for two seconds; Runge-Kutta of 0.1 ms."""
    model = casadi_model(**CARS[name])
    plant = VDSimPlant(**CARS[name], base_mu=0.5, control_dt=0.1, substep_dt=5e-5)
    obs = plant.reset([0, 0, 0, 16.7, 0, 0])
    spins = [wheel["omega"] for wheel in obs["wheel"]]
    x, u = ca.SX.sym("x", 10), ca.SX.sym("u", 2)
    step = ca.simpleRK(ca.Function("f", [x, u], [model.ode(x, u, [0.5] * 4)]), 1000)
    state = ca.DM([0, 0, 0, 16.7, 0, 0, *spins])
    for k in range(20):
        given = [0.05 if k < 10 else -0.03, -4000.0 if k < 10 else 1500.0]
        obs = plant.step(given)
        state = step(state, given, 0.1)
    wanted = [obs[key] for key in ("X", "Y", "psi", "vx", "vy", "r")]  # type: ignore[literal-required]
    assert np.asarray(state).ravel()[:6] == pytest.approx(wanted, abs=5e-3)


@pytest.mark.parametrize("ground", ["split_mu", "hill_8_percent", load_ground("hill_8_percent")])
def test_a_road_is_given_as_to_the_plant_and_its_slope_counts(ground: str | Ground) -> None:
    model = casadi_model(ground=ground)
    start = [0.0, 0.0, 0.0, 16.7, 0.0, 0.0]
    x = [*start, *(wheel["omega"] for wheel in VDSimPlant().reset(start)["wheel"])]
    level = float(casadi_model().ode(x, [0.0, 0.0], [0.9] * 4)[3])
    falls = level - float(model.ode(x, [0.0, 0.0], [0.9] * 4)[3])
    slope = 0.0 if ground == "split_mu" else 0.08
    assert falls == pytest.approx(9.80665 * slope / np.hypot(1.0, slope), abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"base_mu": 0.5}, "base_mu: is no argument: friction is mu, an argument of the functions"),
        ({"friction_map": []}, "friction_map: is no argument: friction is mu, an argument"),
        ({"config": "ionic5"}, "config='ionic5': must be a .yaml file or one of"),
        ({"ground": "moon"}, "ground='moon': must be a .yaml file or one of"),
        ({"tyre": 3}, "tyre=3: must be a preset name, a path or TyreParameters"),
        ({"substep_dt": 0.01}, "substep_dt=0.01: must be <= 0.002 s"),
        ({"substep_dt": "x"}, "substep_dt='x': must be a number of seconds"),
    ],
)
def test_what_is_wrong_is_named_as_by_the_plant(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ParameterError) as error:
        casadi_model(**arguments)
    assert str(error.value).startswith(text)
    with pytest.raises(TypeError, match="vehicle: no such argument; did you mean config"):
        casadi_model(vehicle="ioniq5_awd")


def test_other_tyres_and_levels_are_refused() -> None:
    for other in ({"tyre": "road_235_55r19"}, {"level": "kinematic"}):
        with pytest.raises(ParameterError, match="needs level l1 or l2 and the mf96 tyre"):
            casadi_model(**other)
