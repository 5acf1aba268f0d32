"""Cars of one batch differ in parameters, roads, substeps and layers; each is like one alone."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from vdsim_plant.ground import Ground, SplitMu

from vdsim_plant import VDSimPlant

Array = NDArray[np.float64]
N = 21
RNG = np.random.default_rng(0)
LAYERS = {"actuators": "passenger_car", "sensors": "automotive"}
ROADS = (
    Ground(base_mu=0.5),
    Ground(base_mu=0.8, split=SplitMu(mu_left=0.2, mu_right=0.7, y_m=0.5)),
    Ground(base_mu=0.7, slope_x=0.05),
)
VARIED: dict[str, dict[str, Any]] = {
    "parameters": {
        "body.mass_kg": RNG.uniform(1800.0, 2700.0, N),
        "body.cg_height_m": RNG.uniform(0.4, 0.7, N),
        "axles.cornering_stiffness_front_n_per_rad": RNG.uniform(1.5e5, 2.5e5, N),
        "steering.max_angle_rad": RNG.uniform(0.1, 0.5, N),
        "brakes.brake_split_front": RNG.uniform(0.4, 0.8, N),
        "tyre.rolling_resistance": RNG.uniform(0.005, 0.02, N),
    },
    "friction": {"base_mu": RNG.uniform(0.2, 1.1, N)},
    "maps": {"friction_map": [[(a, a + 9.0, 0.3)] for a in RNG.uniform(-5.0, 20.0, N)]},
    "roads": {"ground": [ROADS[k % 3] for k in range(N)]},
    "substeps": {"substep_dt": RNG.choice([2.5e-4, 5e-4, 1e-3], N)},
    "levels": {"level": [("l1", "l2")[k % 2] for k in range(N)]},
    "cars": {"config": [("ioniq5_awd", "compact_fwd", "sport_rwd")[k % 3] for k in range(N)]},
    "tyre_files": {
        "tyre": [("road_235_55r19", "road_195_65r15")[k % 2] for k in range(N)],
        "base_mu": RNG.uniform(0.2, 1.1, N),
        "body.mass_kg": RNG.uniform(1800.0, 2700.0, N),
    },
    "motors": {"limit_to_motor": [k % 2 == 0 for k in range(N)]},
    "actuators": {
        "actuators.steering.lag_s": RNG.choice([0.0, 0.05, 0.2], N),
        "actuators.steering.delay_s": RNG.choice([0.0, 0.02, 0.033], N),
        "actuators.force.rate_limit_per_s": RNG.choice([0.0, 3e4], N),
        "actuators.wheel_torque.lag_s": RNG.choice([0.0, 0.03], N),
        "actuators.steering.limit_over_speed": [
            ((), ((0.0, 0.4), (30.0, 0.05)))[k % 2] for k in range(N)
        ],
        "actuators.force.rate_limit_over_speed": [
            (((0.0, 5e4), (30.0, 1e4)), ())[k % 2] for k in range(N)
        ],
    },
    "sensors": {
        "sensors.yaw_rate.noise_std": RNG.choice([0.0, 0.01], N),
        "sensors.wheel_spin.bias": RNG.choice([0.0, 0.1], N),
        "sensors.imu_gravity": [("included", "excluded")[k % 2] for k in range(N)],
    },
}


@pytest.mark.parametrize("name", VARIED)
def test_each_car_of_a_varied_batch_is_like_one_alone_to_the_bit(name: str) -> None:
    layers = LAYERS if name in ("actuators", "sensors", "parameters") else {}
    plant = VDSimPlant(control_dt=0.02, seed=9, **layers)
    vary = VARIED[name]
    cars = [
        plant.varied({k: v[car] for k, v in vary.items()} | {"seed": 9 + car}) for car in range(N)
    ]
    batch = plant.batch(N, vary=vary, threads=2)
    rng = np.random.default_rng(1)
    low, high = (-20.0, -9.0, -3.0, -5.0, -2.0, -1.0), (30.0, 9.0, 3.0, 30.0, 2.0, 1.0)
    for period in range(12):
        if period in (0, 6):
            states = rng.uniform(low, high, (N, 6))
            mask = rng.random(N) < 0.4 if period else np.ones(N, dtype=bool)
            batch.reset(states, mask)
            for car in np.flatnonzero(mask):
                cars[car].reset(states[car])
        u = rng.uniform((-0.4, -9000.0), (0.4, 6000.0), (N, 2))
        extra = rng.uniform(-300.0, 300.0, (N, 4)) if period % 2 else None
        batch.step(u, torques=extra)
        measured = batch.measured()
        for car, alone in enumerate(cars):
            torques = None if extra is None else extra[car]
            assert alone.step(u[car], torques=torques) == batch.observation(car)
            theirs = alone.measured()
            assert theirs.yaw_rate_radps == measured.yaw_rate_radps[car]
            assert theirs.ax_mps2 == measured.ax_mps2[car]
            assert theirs.ay_mps2 == measured.ay_mps2[car]
            assert theirs.wheel_spin_radps == tuple(measured.wheel_spin_radps[car])


def test_a_car_becomes_another_kind_when_it_starts_again() -> None:
    plant = VDSimPlant(control_dt=0.02)
    masses = [1900.0, 2300.0, 2700.0]
    vary = {"body.mass_kg": masses, "base_mu": [0.3, 0.6, 0.9], "substep_dt": [5e-4, 1e-3, 2.5e-4]}
    batch = plant.batch(3, vary=vary)
    cars = [plant.varied({key: values[k] for key, values in vary.items()}) for k in range(3)]
    start = [0.0, 0.0, 0.0, 20.0, 0.0, 0.0]
    batch.reset(start)
    batch.reset(start, [True, False, True], kinds=[2, 1])
    assert batch.kinds.tolist() == [2, 1, 1]
    for car, kind in enumerate((2, 1, 1)):
        cars[kind].reset(start)
        seen = cars[kind].step([0.1, -3000.0])
        if car == 0:
            batch.step([0.1, -3000.0])
        assert batch.observation(car) == seen
    again = pickle.loads(pickle.dumps(batch))
    batch.step([0.0, 100.0])
    again.step([0.0, 100.0])
    assert again.snapshot() == batch.snapshot()
    with pytest.raises(ValueError, match="kinds=3: must be 0 to 2"):
        batch.reset(start, kinds=3)


def test_a_snapshot_holds_which_kind_each_car_is() -> None:
    plant = VDSimPlant()
    batch, other = (plant.batch(3, vary={"base_mu": [0.3, 0.6, 0.9]}) for _ in range(2))
    batch.reset([0.0, 0.0, 0.0, 20.0, 0.0, 0.0], kinds=[1, 1, 0])
    other.restore(batch.snapshot())
    assert other.kinds.tolist() == [1, 1, 0]
    for cars in (batch, other):
        cars.step([0.3, -9000.0])
    assert other.snapshot() == batch.snapshot()


def test_cars_that_are_alike_are_made_once() -> None:
    batch = VDSimPlant().batch(100, vary={"base_mu": np.tile([0.3, 0.6], 50)})
    assert set(batch.kinds.tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([("base_mu", 0.5)], "changes=.*: must be names with values"),
        ({"limit_to_motor": "no"}, "limit_to_motor='no': must be True or False"),
        ({"body.mass": 3.0}, r"body\.mass: is no parameter; did you mean mass_kg\?"),
        ({"bodi.mass_kg": 3.0}, r"bodi\.mass_kg: is no parameter; did you mean body\?"),
        ({"body.mass_kg.x": 3.0}, "has no parts"),
        ({"body.mass_kg": -3.0}, "mass_kg=-3"),
        ({"base_my": 0.4}, r"base_my: cannot be varied; did you mean base_mu\?"),
        ({"control_dt": 0.1}, "control_dt: cannot be varied"),
        ({"sensors.ax.bias": 0.1}, "sensors.ax.bias: cannot be varied: the plant has no sensors"),
        ({"config": "compact_fwd", "tyre.rolling_resistance": 0.1}, "cannot be varied"),
    ],
)
def test_a_change_that_means_nothing_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        VDSimPlant().varied(changes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"vary": {"tyre.mf96.load_sensitivity": [0.1, 0.2, 2.0]}},
            r"^vary\[2\]\.tyre\.mf96\.load_sensitivity=2\.0: must be >= 0 and <= 1$",
        ),
        (
            {"vary": {"body.mass_kg": [2e3, -1.0, 2e3]}},
            r"^vary\[1\]\.body\.mass_kg=-1\.0: must be >= 0\.1",
        ),
        ({"vary": ["base_mu"]}, r"vary=\['base_mu'\]: must be names with n values each"),
        ({"vary": {"base_mu": 0.5}}, r"vary\['base_mu'\]: must be 3 values"),
        ({"vary": {"base_mu": [0.5]}}, r"vary\['base_mu'\]: has 1 values: must be 3"),
        ({"vary": {"base_mu": [0.5, 0.5, 7.0]}}, r"vary\[2\]\.base_mu=7"),
        ({"vary": {"level": ["l1", "l2", "kinematic"]}}, "batch: needs level l1, l2 or l3"),
        (
            {"vary": {"tyre": ["mf96", "road_235_55r19", "mf96"]}},
            r"plants\[1\]\.tyre\.model=pac2002: must be mf96, as the first one's",
        ),
        ({"vary": {"sensors": [None, "automated", None]}}, r"plants\[1\]\.sensors: must be given"),
        (
            {"vary": {"base_mu": [0.5, 0.6, 0.7]}, "from_current": True},
            "from_current: needs cars that are all like this plant",
        ),
    ],
)
def test_a_batch_that_cannot_be_varied_so_says_why(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        VDSimPlant().batch(3, **arguments)


def test_layers_need_one_substep_and_one_delay() -> None:
    plant = VDSimPlant(**LAYERS)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"plants\[1\]\.substep_dt: must be that of the first"):
        plant.batch(2, vary={"substep_dt": [5e-4, 1e-3]})
    with pytest.raises(ValueError, match=r"plants\[1\]\.sensors: must have the delays"):
        plant.batch(2, vary={"sensors.yaw_rate.delay_s": [0.0, 0.01]})
