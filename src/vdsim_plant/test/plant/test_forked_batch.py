"""A batch goes on from a plant, starts single cars again, and rolls inputs out, to the bit."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from vdsim_plant.ground import Ground, HeightGrid
from vdsim_plant.kernel import layout as at
from vdsim_plant_kit.drives import CRUISE, in_fresh_process

from vdsim_plant import PlantBatch, VDSimPlant

Array = NDArray[np.float64]
LOW, HIGH = (-0.3, -9000.0), (0.3, 6000.0)
LAYERS = {"actuators": "passenger_car", "sensors": "automotive"}
WAVES = HeightGrid(
    0.05 * np.sin(np.arange(0.0, 130.0, 0.5))[np.newaxis] * np.array([[0.5], [1.0]]),
    cell_m=0.5,
    x0_m=-30.0,
    y0_m=-0.25,
)
PLANTS: dict[str, dict[str, Any]] = {
    "bare": {},
    "layers": LAYERS,
    "motor": {"limit_to_motor": True, **LAYERS},
    "painted": {"friction_map_2d": [{"polygon": [(0, -9), (60, -9), (30, 9)], "mu": 0.3}]},
    "tilted": {"ground": "hill_8_percent"},
    "l1": {"level": "l1"},
    "tyre_file": {"tyre": "road_235_55r19", **LAYERS},
    "tyre_file_painted": {"tyre": "road_195_65r15", "ground": "split_mu"},
    "l3": {"level": "l3", **LAYERS},
    "l3_waves": {"level": "l3", "ground": Ground(base_mu=0.8, heights=WAVES)},
    "assist": {"assist": "passenger_car", "limit_to_motor": True, **LAYERS},
    "assist_l3_split": {"assist": "passenger_car", "level": "l3", "ground": "split_mu"},
    "assist_tyre_file": {"assist": "abs", "tyre": "road_195_65r15"},
}


def _driven(**arguments: Any) -> VDSimPlant:
    """Return a plant in the middle of a drive at the limit."""
    plant = VDSimPlant(control_dt=0.02, seed=5, **arguments)
    plant.reset(list(CRUISE))
    for u in _inputs(25, 1):
        plant.step(u)
    return plant


def _inputs(periods: int, seed: int, n: int | None = None) -> Array:
    shape = (periods, 2) if n is None else (n, periods, 2)
    return np.random.default_rng(seed).uniform(LOW, HIGH, shape)


def _starts(n: int, seed: int = 0) -> Array:
    low, high = (-20.0, -9.0, -3.0, -10.0, -3.0, -1.0), (90.0, 9.0, 3.0, 30.0, 3.0, 1.0)
    return np.random.default_rng(seed).uniform(low, high, (n, 6))


def _measured(source: Any, car: int | None = None) -> list[Any]:
    values = vars(source.measured()).values()
    return [np.asarray(v if car is None else v[car]).tolist() for v in values]


def _same_measured(plant: VDSimPlant, batch: PlantBatch, car: int) -> bool:
    return _measured(plant) == _measured(batch, car)


@pytest.mark.parametrize("name", PLANTS)
def test_a_batch_goes_on_from_the_plant_to_the_bit(name: str) -> None:
    plant = _driven(**PLANTS[name])
    batch = plant.batch(18, from_current=True)
    assert batch.observation(17) == plant.restore(plant.snapshot())
    assert _same_measured(plant, batch, 17)
    for u in _inputs(10, 2):
        alone = plant.step(u)
        batch.step(u)
        assert batch.observation(0) == batch.observation(17) == alone
        assert _same_measured(plant, batch, 3)


def test_a_tilted_plant_is_forked_with_its_tilt() -> None:
    plant = VDSimPlant()
    plant.vehicle.tilt(0.2, -0.1)
    batch = VDSimPlant().batch(2)
    batch.fork(plant)
    batch.step([0.0, 0.0])
    assert batch.observation(1) == plant.step([0.0, 0.0])


def test_a_fork_of_some_cars_leaves_the_others() -> None:
    plant = _driven(**LAYERS)
    batch, other = (plant.batch(20) for _ in range(2))
    mask = np.arange(20) % 3 == 0
    batch.fork(plant, mask)
    u = [0.1, -500.0]
    batch.step(u)
    other.step(u)
    alone = plant.step(u)
    for car in range(20):
        assert batch.observation(car) == (alone if mask[car] else other.observation(car))


def test_a_fork_may_have_a_substep_of_its_own() -> None:
    """It goes on from the same place, as exactly as that substep is, with wheels that slip."""
    brake_and_turn = [0.05, -12000.0]
    plant = VDSimPlant(control_dt=0.02, base_mu=0.5)
    plant.reset(list(CRUISE))
    for _ in range(25):
        plant.step(brake_and_turn)
    batch = plant.batch(3, from_current=True, substep_dt=1e-3)
    begun = batch.observe()
    now = plant.motion()
    assert begun["t"][2] == now.time_s
    assert begun["wheel"]["Fx"][1].tolist() == list(now.tire_fx_n)
    seeded = plant.batch(1, substep_dt=1e-3)
    seeded.reset([now.x_m, now.y_m, now.yaw_rad, now.vx_mps, now.vy_mps, now.yaw_rate_radps])
    errors = {"forked": 0.0, "seeded": 0.0}
    for _ in range(25):
        exact = plant.step(brake_and_turn)
        for key, cars in (("forked", batch), ("seeded", seeded)):
            seen = cars.step(brake_and_turn)
            errors[key] = float(np.hypot(seen["X"][0] - exact["X"], seen["Y"][0] - exact["Y"]))
    assert batch.observe()["t"][0] == pytest.approx(plant.motion().time_s, abs=1e-12)
    assert errors["forked"] < 0.005
    assert errors["forked"] < 0.1 * errors["seeded"]  # wheels, loads and patches count


@pytest.mark.parametrize(
    ("cars", "plant", "message"),
    [
        ({}, {"base_mu": 0.5}, "plant: has other parameters, level or road than the cars here"),
        ({}, {"config": "compact_fwd"}, "plant: has other parameters"),
        ({}, {"limit_to_motor": True}, "plant: has other parameters"),
        ({}, LAYERS, "plant: has other actuators or sensors"),
        (LAYERS, {}, "plant: has other actuators or sensors"),
        ({"sensors": "automated"}, {"sensors": "automotive"}, "plant: has other actuators"),
    ],
)
def test_a_fork_of_another_plant_is_refused(cars: Any, plant: Any, message: str) -> None:
    batch = VDSimPlant(**cars).batch(3)
    before = batch.snapshot()
    with pytest.raises(ValueError, match=message):
        batch.fork(VDSimPlant(**plant))
    assert batch.snapshot() == before


@pytest.mark.parametrize("name", PLANTS)
def test_single_cars_start_again_to_the_bit(name: str) -> None:
    """Others drive on; the last car of a block that is not full is among those."""
    n = 21
    plants = [VDSimPlant(control_dt=0.02, seed=k, **PLANTS[name]) for k in range(n)]
    batch = VDSimPlant(control_dt=0.02, **PLANTS[name]).batch(n)
    rng = np.random.default_rng(4)
    for period, rows in enumerate(_inputs(12, 5, n).transpose(1, 0, 2)):
        mask = rng.random(n) < 0.3 if period % 3 else np.ones(n, dtype=bool)
        mask[-1] |= period == 7
        states = _starts(n, period)
        # A row for each car, or one for each that starts again.
        batch.reset(states[mask] if period % 2 else states, mask)
        for car in np.flatnonzero(mask):
            plants[car].reset(states[car])
        batch.step(rows)
        for car, plant in enumerate(plants):
            assert plant.step(rows[car]) == batch.observation(car)
            assert _same_measured(plant, batch, car)


def test_a_rollout_is_its_steps_to_the_bit() -> None:
    n, periods = 19, 12
    plant = _driven(**LAYERS)
    inputs = _inputs(periods, 6, n)
    stepped, rolled = (plant.batch(n, from_current=True) for _ in range(2))
    keys = ("X", "psi", "wheel.Fy", "t")
    seen = []
    for period in range(periods):
        obs = stepped.step(inputs[:, period])
        seen.append(np.column_stack([obs["X"], obs["psi"], obs["wheel"]["Fy"], obs["t"]]))
    every = rolled.rollout(inputs, keys=keys)
    assert np.array_equal(every, np.stack(seen, axis=1))
    assert rolled.snapshot() == stepped.snapshot()


def test_a_rollout_writes_into_the_callers_array() -> None:
    batch = _driven().batch(5, from_current=True)
    start = batch.snapshot()
    inputs = _inputs(11, 7)  # one row of inputs for all cars
    all_of_them = batch.rollout(inputs)
    for kind in (np.float64, np.float32):
        batch.restore(start)
        room = np.full((5, 2, 3, 6), np.nan, dtype=kind)[:, 1]  # not contiguous
        assert batch.rollout(inputs, 3, out=room) is room
        assert np.array_equal(room, all_of_them[:, 2::3][:, :3].astype(kind))


def test_what_a_rollout_cannot_use_is_named() -> None:
    batch = VDSimPlant().batch(3)
    wrong = np.zeros((3, 4, 2))
    wrong[2, 1, 0] = np.nan
    for arguments, message in (
        ({"inputs": np.zeros((4, 2, 2))}, r"inputs: has shape \(4, 2, 2\): must be \(3, T, 2\)"),
        ({"inputs": wrong}, r"inputs\[2\]\[1\]\[0\]=nan: must be finite"),
        ({"inputs": "ab"}, "inputs: must be rows of numbers"),
        ({"inputs": np.zeros((4, 2)), "every": 0}, "every=0: must be a whole number"),
        ({"inputs": np.zeros((5, 2)), "every": 7}, "every=7: must be at most 5, the periods"),
        ({"inputs": np.zeros((4, 2)), "keys": ("X", "yaw")}, r"keys\[1\]='yaw': must be one of X"),
        ({"inputs": np.zeros((4, 2)), "out": np.zeros((3, 4, 5))}, "out: has shape"),
        ({"inputs": np.zeros((4, 2)), "out": [[0.0]]}, "out: must be an array of float64"),
    ):
        with pytest.raises(ValueError, match=message):
            batch.rollout(**arguments)
    with pytest.raises(ValueError, match="mask: is of int64 and shape"):
        batch.reset(mask=np.zeros(3, dtype=np.int64))


def test_read_returns_the_columns_of_the_observation() -> None:
    batch = _driven().batch(17, from_current=True)
    batch.step(_starts(17)[:, :2] * 0.01)
    seen = batch.observe()
    out = np.empty((17, 5))
    assert batch.read(("beta", "wheel.kappa"), out) is out
    assert np.array_equal(out, np.column_stack([seen["beta"], seen["wheel"]["kappa"]]))
    for cars in ([16, 3], np.array([16, 3], dtype=np.int32)):
        some = np.empty((2, 1), dtype=np.float32)
        assert batch.read(("beta",), some, cars=cars) is some
        assert np.array_equal(some[:, 0], seen["beta"][[16, 3]].astype(np.float32))
        assert np.array_equal(batch.read("beta", cars=cars)[:, 0], seen["beta"][[16, 3]])
    assert batch.read(cars=[]).shape == (0, 6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda batch: batch.read(cars=2),
            r"cars=2: must be a list of numbers of cars, as \[0, 5\]",
        ),
        (lambda batch: batch.read(cars=[0.5]), r"cars=\[0.5\]: must be a list of numbers of cars"),
        (lambda batch: batch.read(cars=[[0], [0, 1]]), r"cars=\[\[0\], \[0, 1\]\]: must be a list"),
        (lambda batch: batch.read(cars=[0, 3]), "cars=3: must be 0 to 2"),
        (lambda batch: batch.read(cars=[-1]), "cars=-1: must be 0 to 2"),
        (lambda batch: batch.read(cars=[0], out=np.empty((3, 6))), "out: has shape"),
        (lambda batch: batch.read(out=[[0.0]]), "out: must be an array of float64"),
        (lambda batch: batch.fork(3), "plant=3: must be a VDSimPlant"),
    ],
)
def test_what_a_batch_cannot_read_or_fork_is_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(VDSimPlant().batch(3))


@pytest.mark.parametrize("name", PLANTS)
def test_a_plant_is_copied_and_pickled_to_the_bit(name: str) -> None:
    plant = _driven(**PLANTS[name])
    for other in (copy.deepcopy(plant), copy.copy(plant), pickle.loads(pickle.dumps(plant))):
        assert other.snapshot() == plant.snapshot()
        assert other.restore(plant.snapshot()) == plant.restore(plant.snapshot())
        kept = plant.snapshot()
        assert other.step([0.1, 500.0]) == plant.step([0.1, 500.0])
        assert _measured(other) == _measured(plant)
        plant.restore(kept)


@pytest.mark.parametrize("name", PLANTS)
def test_a_batch_is_copied_and_pickled_to_the_bit(name: str) -> None:
    batch = _driven(**PLANTS[name]).batch(18, from_current=True, threads=2)
    batch.step([0.1, -500.0])
    for other in (copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))):
        assert other.snapshot() == batch.snapshot()
        start = batch.snapshot()
        other.step([0.2, 700.0])
        batch.step([0.2, 700.0])
        assert other.snapshot() == batch.snapshot()
        assert _measured(other) == _measured(batch)
        batch.restore(start)


def test_a_batch_with_threads_works_in_a_spawned_process() -> None:
    """A batch goes there and its state comes back."""
    code = """
import multiprocessing, pickle
from vdsim_plant import PlantBatch, VDSimPlant

def work(batch):
    batch.step([0.1, 300.0])
    return batch.snapshot()

if __name__ == "__main__":
    batch = VDSimPlant().batch(40, threads=2)
    batch.step([0.0, 1000.0])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(PlantBatch.snapshot, (batch,))
    print(there == batch.snapshot())
"""
    assert in_fresh_process(code).strip() == "True"


def test_a_batch_with_threads_works_in_a_forked_process() -> None:
    code = """
import os
from vdsim_plant import VDSimPlant
batch = VDSimPlant().batch(40, threads=2)
batch.step([0.0, 1000.0])
read, write = os.pipe()
child = os.fork()
if child == 0:
    batch.step([0.1, 300.0])
    os.write(write, batch.snapshot()[:4000])
    os._exit(0)
batch.step([0.1, 300.0])
print(os.read(read, 4000) == batch.snapshot()[:4000], os.waitpid(child, 0)[1])
"""
    assert in_fresh_process(code).split() == ["True", "0"]


def test_columns_and_numbers_of_numpy_are_taken() -> None:
    plant = VDSimPlant(control_dt=np.float32(0.02), substep_dt=np.float64(5e-4), seed=np.int64(3))  # type: ignore[arg-type]
    same = VDSimPlant(control_dt=0.02, seed=3)
    assert plant.control_dt == 0.02
    column = np.array([CRUISE]).T
    assert plant.reset(column) == same.reset(list(CRUISE))  # type: ignore[arg-type]
    u = np.array([[0.1], [-500.0]])
    four = np.array([[1.0], [2.0], [3.0], [4.0]])
    assert plant.step(u, torques=four) == same.step([0.1, -500.0], torques=[1, 2, 3, 4])  # type: ignore[arg-type]
    batch = plant.batch(np.int64(3), from_current=True)  # type: ignore[arg-type]
    batch.step(u)
    batch.step(np.stack([u, u, u]))
    same.step([0.1, -500.0])
    assert batch.observation(2) == same.step([0.1, -500.0])
    with pytest.raises(ValueError, match=r"^u=[^\n]*: must be two numbers[^\n]*$"):
        plant.step(np.zeros((3, 4)))  # type: ignore[arg-type]


def test_the_substep_of_a_forked_car_counts_its_own_time() -> None:
    plant = _driven()
    batch = plant.batch(2, from_current=True, substep_dt=2.5e-4)
    assert batch._blocks[0, at.SUBSTEPS, 0] == 2 * plant.vehicle.core_arrays()[1][at.SUBSTEPS]
