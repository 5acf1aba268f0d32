"""linearize: the derivatives of one control period, against central differences of whole steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from vdsim_plant.linear import layout as linear_layout
from vdsim_plant.linear import slopes
from vdsim_plant.linear.full_loop import FULL_WHEEL
from vdsim_plant.mpc.linearization import by_differences
from vdsim_plant.parameters.errors import ParameterError

from vdsim_plant import ALL_STATES, OBSERVED_STATES, Linearization, VDSimPlant

PATCH_2D = [{"polygon": [(10, -9), (90, -9), (90, 9), (10, 9)], "mu": 0.4}]
CARS: dict[str, dict[str, Any]] = {
    "all wheels driven": {},
    "locked rear axle": {"config": "sport_rwd"},
    "slippery": {"base_mu": 0.35},
    "stripes": {"friction_map": [(10.0, 14.0, 0.3), (30.0, 40.0, 0.5)]},
    "ramps of friction": {"config": "compact_fwd", "friction_map_2d": PATCH_2D},
    "slope": {"ground": "hill_8_percent"},
    "single track": {"level": "l1"},
}


def differences(plant: VDSimPlant, u: list[float], n: int, share: float = 1.0) -> Linearization:
    before = plant.snapshot()
    found = by_differences(
        plant.vehicle, lambda: plant.restore(before), plant.step, np.array(u), n, share
    )
    plant.restore(before)
    return found


def scaled(found: Linearization) -> np.ndarray:
    """Return A and B with each input and state in units of a usual change of it."""
    usual = np.array([1.0, 1.0, 0.1, 1.0, 1.0, 0.1])
    rest = np.ones(len(found.x) - 6)
    rows = np.concatenate([usual, rest])
    columns = np.concatenate([rows, [0.1, 1000.0]])
    return np.hstack([found.A, found.B]) * columns / rows[:, None]


def random_drive(plant: VDSimPlant, seed: int) -> list[float]:
    """Drive for a while; return the next input."""
    random = np.random.default_rng(seed)
    plant.reset([0, 0, random.uniform(-0.3, 0.3), random.uniform(4, 30), 0.1, 0.05])
    for _ in range(8):
        plant.step([random.uniform(-0.1, 0.1), random.uniform(-9000, 6000)])
    return [random.uniform(-0.1, 0.1), random.uniform(-9000, 6000)]


@pytest.mark.parametrize("states", ["observed", "all"])
@pytest.mark.parametrize("car", CARS)
def test_it_agrees_with_differences_away_from_kinks(car: str, states: str) -> None:
    """Within 1e-6 of the largest; near a kink differences of another width differ themselves."""
    plant = VDSimPlant(**CARS[car])
    smooth = 0
    for seed in range(12):
        u = random_drive(plant, seed)
        found = plant.linearize(u, states=states)
        exact, tried = scaled(found), scaled(differences(plant, u, len(found.x)))
        other = scaled(differences(plant, u, len(found.x), share=0.2))
        if np.abs(tried - other).max() > 3e-7 * np.abs(tried).max():
            continue
        smooth += 1
        assert np.abs(exact - tried).max() <= 1e-6 * np.abs(tried).max()
    assert smooth >= 6


def test_it_says_where_the_step_leads_to_the_bit_and_stays_where_it_is() -> None:
    plant = VDSimPlant(friction_map=[(8.0, 20.0, 0.4)])
    u = random_drive(plant, 3)
    before = plant.snapshot()
    observed, everything = plant.linearize(u), plant.linearize(u, states="all")
    assert plant.snapshot() == before
    obs = plant.step(u)
    assert [obs[key] for key in OBSERVED_STATES] == observed.x_next.tolist()  # type: ignore[literal-required]
    assert plant.vehicle.state_numbers().tolist() == everything.x_next.tolist()
    wheel = [everything.x_next[ALL_STATES.index(f"omega_{k}")] for k in ("FL", "FR", "RL", "RR")]
    assert wheel == [one["omega"] for one in obs["wheel"]]


def test_a_b_and_c_are_an_affine_map_through_the_step() -> None:
    plant = VDSimPlant()
    u = random_drive(plant, 5)
    found = plant.linearize(u)
    a, b, c = found
    assert a.shape == (6, 6)
    assert b.shape == (6, 2)
    assert a @ found.x + b @ found.u + c == pytest.approx(found.x_next, abs=1e-12)
    assert found.states == ("X", "Y", "psi", "vx", "vy", "r")


def test_all_states_foretell_what_a_change_of_the_first_input_does_ten_periods_on() -> None:
    plant = VDSimPlant()
    random_drive(plant, 7)
    us = np.tile([0.03, -1500.0], (10, 1))
    before = plant.snapshot()
    along = plant.linearize_along(us, states="all")
    assert plant.snapshot() == before
    change = along[0].B[:, 0]
    for found in along[1:]:
        change = found.A @ change
    ends = []
    for sign in (1.0, -1.0):
        plant.restore(before)
        plant.step([0.03 + sign * 1e-6, -1500.0])
        for u in us[1:]:
            obs = plant.step(u)
        ends.append([obs[key] for key in OBSERVED_STATES])  # type: ignore[literal-required]
    seen = (np.array(ends[0]) - np.array(ends[1])) / 2e-6
    assert change[:6] == pytest.approx(seen, rel=1e-3, abs=1e-4 * np.abs(seen).max())


def test_an_input_beyond_a_limit_changes_nothing() -> None:
    plant = VDSimPlant()
    random_drive(plant, 1)
    assert not plant.linearize([2.0, 1000.0]).B[:, 0].any()
    assert not plant.linearize([0.0, -1e9]).B[:, 1].any()


def test_a_car_that_goes_exactly_straight_can_be_steered() -> None:
    """Within 0.5 %: the forces' last change is 0 there, a kink of what carries them on."""
    plant = VDSimPlant()
    plant.reset([0, 0, 0, 20.0, 0, 0])
    plant.step([0.0, 500.0])
    found, tried = plant.linearize([0.0, 500.0]), differences(plant, [0.0, 500.0], 6)
    assert found.B[4:, 0] == pytest.approx(tried.B[4:, 0], rel=5e-3)
    assert np.abs(scaled(found) - scaled(tried)).max() < 5e-3 * np.abs(scaled(tried)).max()


def test_a_standing_car_under_the_brake_moves_for_no_small_change() -> None:
    plant = VDSimPlant()
    for _ in range(3):
        plant.step([0.0, -5000.0])
    found = plant.linearize([0.0, -5000.0])
    assert found.x_next.tolist() == [0.0] * 6
    assert not found.B[:, 1].any()
    assert np.abs(found.A[:3, :3] - np.eye(3)).max() < 1e-12


@pytest.mark.parametrize(
    "made",
    [
        {"tyre": "road_235_55r19"},
        {"level": "kinematic"},
        {"actuators": "passenger_car"},
        {"limit_to_motor": True},
        {"actuators": "passenger_car", "sensors": "automotive"},
    ],
)
def test_other_cars_are_linearised_by_differences_and_stay_where_they_are(
    made: dict[str, Any],
) -> None:
    plant = VDSimPlant(**made)
    u = random_drive(plant, 2)
    before = plant.snapshot()
    first, second = plant.linearize_along([u, u])
    assert plant.snapshot() == before
    obs = plant.step(u)
    assert [obs[key] for key in OBSERVED_STATES] == first.x_next.tolist()  # type: ignore[literal-required]
    plant.restore(before)
    plant.vehicle.change_state(3, 1e-3)
    moved = plant.step(u)
    assert moved["X"] - first.x_next[0] == pytest.approx(1e-3 * first.A[0, 3], rel=1e-2)
    assert second.x.tolist() == first.x_next.tolist()


@pytest.mark.parametrize(
    ("u", "states", "text"),
    [
        ([float("nan"), 0.0], "observed", "u[0] (delta)=nan: must be finite"),
        ([0.0, float("inf")], "observed", "u[1] (Fx)=inf: must be finite"),
        ([0.0, 0.0, 0.0], "observed", "u=[0.0, 0.0, 0.0]: must be two numbers, [delta_rad, Fx_n]"),
        ([0], "observed", "u=[0]: must be two numbers, [delta_rad, Fx_n]"),
        (["a", 0.0], "observed", "u=['a', 0.0]: must be two numbers, [delta_rad, Fx_n]"),
        ([0.0, 0.0], "some", "states='some': must be observed or all"),
        ([0.0, 0.0], 6, "states=6: must be observed or all"),
    ],
)
def test_a_wrong_argument_is_named(u: list[float], states: str, text: str) -> None:
    with pytest.raises(ParameterError) as error:
        VDSimPlant().linearize(u, states=states)
    assert str(error.value) == text


@pytest.mark.parametrize(
    ("us", "text"),
    [
        ([[0.0, 0.0], [0.0, float("nan")]], "us[1][1] (Fx)=nan: must be finite"),
        ([[0.0]], "us: has shape (1, 1): must be rows of [delta_rad, Fx_n]"),
        ([["a", 0.0]], "us: must be rows of two numbers, [delta_rad, Fx_n]"),
    ],
)
def test_a_wrong_plan_is_named(us: list[list[float]], text: str) -> None:
    with pytest.raises(ParameterError) as error:
        VDSimPlant().linearize_along(us)
    assert str(error.value) == text


def test_a_column_as_solvers_return_it_is_an_input() -> None:
    plant = VDSimPlant()
    column = np.array([[0.02], [500.0]])
    assert plant.linearize(column).x_next.tolist() == plant.linearize([0.02, 500.0]).x_next.tolist()


def test_level_l3_is_linearized_by_what_it_shows() -> None:
    plant = VDSimPlant(level="l3")
    plant.reset([0.0, 0.0, 0.0, 15.0, 0.0, 0.0])
    plant.step([0.02, 500.0])
    found = plant.linearize([0.02, 500.0])
    assert found.A.shape == (6, 6)
    assert found.A[0, 3] == pytest.approx(plant.control_dt, rel=0.05), "X grows with the speed"
    with pytest.raises(ParameterError, match="states=all: is for the levels"):
        plant.linearize([0.02, 500.0], states="all")


def test_assistance_counts_in_a_linearization() -> None:
    """Full braking with ABS: more of it changes nothing, without ABS it locks the wheels."""
    plant = VDSimPlant(assist="abs")
    plant.reset([0.0, 0.0, 0.0, 20.0, 0.0, 0.0])
    for _ in range(5):
        plant.step([0.0, -40_000.0])
    assert abs(plant.linearize([0.0, -40_000.0]).B[3, 1]) < 1e-6


def test_the_derivatives_of_every_stage_fit_into_their_room() -> None:
    """A stage writes `place + k * stride + i`: one that grew would write over the next one's."""
    stages = [slopes.CONTACT, slopes.WHEEL, slopes.ON_BODY, slopes.BRAKED, slopes.JOINED]
    stages += [slopes.LOADS, slopes.BODY]
    assert FULL_WHEEL.place == slopes.WHEEL.place
    full_end = FULL_WHEEL.place + len(FULL_WHEEL.entries) * FULL_WHEEL.stride
    assert full_end <= slopes.ON_BODY.place, "the room of a wheel ends there"
    ends = [stage.place + len(stage.entries) * stage.stride for stage in stages]
    rooms = [*(stage.place for stage in stages[1:]), linear_layout.WORK_SIZE]
    assert all(end <= room for end, room in zip(ends, rooms, strict=True)), (ends, rooms)
    assert rooms == sorted(rooms)
