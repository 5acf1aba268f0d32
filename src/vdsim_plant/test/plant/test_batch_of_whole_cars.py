"""Springs, heights and assistance in a batch: cars that differ have the bits of cars alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from vdsim_plant.assist import AssistParameters, load_assist
from vdsim_plant.ground import Ground, HeightGrid
from vdsim_plant.parameters import ParameterError, load_vehicle
from vdsim_plant.parameters.ride import RideParameters

from vdsim_plant import VDSimPlant

Array = NDArray[np.float64]
N = 19
LOW, HIGH = (-0.3, -20000.0), (0.3, 15000.0)


def _grids(n: int) -> list[Ground]:
    """Return roads with waves of other sizes; every third is a plane."""
    waves = np.sin(np.arange(0.0, 120.0, 0.4))
    rows = np.array([[0.6], [1.0], [0.8]])
    return [
        Ground(
            base_mu=0.5 + 0.02 * k,
            heights=None
            if k % 3 == 0
            else HeightGrid(0.003 * k * rows[: 2 + k % 2] * waves[: 290 - k], 0.4, -20.0, -k / 2),
        )
        for k in range(n)
    ]


def _all_alike(plant: VDSimPlant, vary: dict[str, Any], periods: int = 40) -> None:
    """Drive each car alone and all together at the limit; every number must be the same."""
    rng = np.random.default_rng(7)
    low, high = (-10.0, -5.0, -1.0, 0.0, -1.0, -0.5), (20.0, 5.0, 1.0, 28.0, 1.0, 0.5)
    states = rng.uniform(low, high, (N, 6))
    batch = plant.batch(N, vary=vary)
    alone = [plant.varied({name: of[k] for name, of in vary.items()}) for k in range(N)]
    batch.reset(states)
    for car, row in zip(alone, states, strict=True):
        car.reset(row)
    torques = rng.uniform(-200.0, 900.0, (N, 4))
    for period, u in enumerate(rng.uniform(LOW, HIGH, (periods, N, 2))):
        extra = torques if period % 4 == 0 else None
        batch.step(u, torques=extra)
        for k, car in enumerate(alone):
            seen = car.step(u[k], torques=None if extra is None else extra[k])
            assert batch.observation(k) == seen, (period, k)


def test_cars_on_springs_drive_over_roads_of_their_own() -> None:
    plant = VDSimPlant(level="l3", control_dt=0.02)
    masses = np.linspace(1900.0, 2600.0, N).tolist()
    _all_alike(plant, {"ground": _grids(N), "body.mass_kg": masses})


def test_vertical_motions_may_take_other_parts_of_a_substep_in_each_car() -> None:
    """A stiff axle takes a substep of 2 ms in several parts, a soft one beside it in one."""
    soft = VDSimPlant(level="l3", control_dt=0.02, substep_dt=2e-3, allow_coarse_substep=True)
    stiff = [0.0 if k % 2 else 40000.0 * (1 + k) for k in range(N)]
    _all_alike(soft, {"ride.bump_stop_front_n_per_m": stiff}, periods=20)


def test_axles_that_steer_by_roll_and_a_curved_tyre_are_in_the_batch() -> None:
    car = load_vehicle("ioniq5_awd")
    table = ((0.0, 0.0), (0.05, 0.006), (0.1, 0.008))
    bent = replace(car, suspension=replace(car.suspension, roll_steer_front=table))
    bent = replace(bent, ride=RideParameters(bump_stop_front_n_per_m=150000.0))
    plant = VDSimPlant(bent, level="l3", control_dt=0.02)
    _all_alike(plant, {"tyre.mf96.load_sensitivity": np.linspace(0.0, 0.3, N).tolist()}, periods=20)


def test_each_car_has_the_assistance_of_its_own() -> None:
    systems: list[AssistParameters] = [
        replace(load_assist("passenger_car"), yaw_gain_per_s=2.0 + k, slip_share=0.7 + 0.02 * k)
        if k % 2
        else load_assist("abs")
        for k in range(N)
    ]
    split = VDSimPlant(ground="split_mu", assist="abs", control_dt=0.02)
    _all_alike(split, {"assist": systems})


def test_assistance_goes_on_in_the_middle_of_a_drive_with_another_substep() -> None:
    plant = VDSimPlant(ground="split_mu", assist="passenger_car", control_dt=0.02)
    plant.reset([0.0, 0.0, 0.0, 25.0, 0.0, 0.0])
    for _ in range(20):
        plant.step([0.01, -20000.0])
    batch = plant.batch(3, from_current=True, substep_dt=1e-3)
    for _ in range(20):
        alone, seen = plant.step([0.01, -20000.0]), batch.step([0.01, -20000.0])
    assert seen["X"][1] == pytest.approx(alone["X"], abs=0.01)
    assert seen["r"][1] == pytest.approx(alone["r"], abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "call", "message"),
    [
        ({"level": "l3"}, {"dtype": "float32"}, "dtype=float32: must be float64 with level l3"),
        ({"assist": "abs"}, {"dtype": "float32"}, "dtype=float32: must be float64 with assist"),
        (
            {"level": "l3", "tyre": "road_235_55r19"},
            {},
            "batch: needs the tyre mf96 at level l3: no property file",
        ),
        (
            {},
            {"vary": {"level": ["l2", "l3", "l2"]}},
            r"plants\[1\]\.level=l3: all must be l3, or none",
        ),
        (
            {},
            {"vary": {"assist": [None, "abs", None]}},
            r"plants\[1\]\.assist: must be given for all plants or for none",
        ),
        (
            {"assist": "abs"},
            {"vary": {"substep_dt": [5e-4, 1e-3, 5e-4]}},
            r"plants\[1\]\.substep_dt: must be that of the first one, with assist",
        ),
        (
            {},
            {"vary": {"assist": ["abs", AssistParameters(abs="on", period_s=0.01), "abs"]}},
            r"plants\[1\]\.assist\.period_s=0\.01: must be 0\.005, as the first one's",
        ),
    ],
)
def test_what_a_batch_cannot_be_is_refused(
    arguments: dict[str, Any], call: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        VDSimPlant(**arguments).batch(3, **call)


def test_what_is_decided_does_not_change_what_is_held() -> None:
    """After a step a car of the batch still holds what it was given."""
    plant = VDSimPlant(assist="passenger_car", base_mu=0.3, control_dt=0.02)
    batch = plant.batch(2)
    batch.reset([0.0, 0.0, 0.0, 20.0, 0.0, 0.0])
    first = batch.step([0.0, -20000.0])
    kept = batch.snapshot()
    again = batch.step([0.0, -20000.0])
    other = plant.batch(2)
    other.restore(kept)
    assert other.step([0.0, -20000.0])["X"].tolist() == again["X"].tolist()
    assert abs(first["wheel"]["kappa"]).max() < 0.5  # no wheel is locked
