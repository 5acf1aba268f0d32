"""The same bits: run to run, process to process, alone or in a batch, from a snapshot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from vdsim_plant.ground import Ground, PolygonPatch
from vdsim_plant.parameters import load_vehicle
from vdsim_plant.vehicle import InitialState, PedalInput, Vehicle
from vdsim_plant_kit.drives import CRUISE, drive, in_fresh_process

from vdsim_plant import PlantBatch, VDSimPlant

PATCHES = [(20.0, 40.0, 0.5), (60.0, 80.0, 0.3)]
RUN = """
import hashlib
from vdsim_plant import VDSimPlant
plant = VDSimPlant(friction_map=[(20.0, 40.0, 0.5)])
plant.reset([0, 0, 0.3, 16.7, 0.1, 0.05])
for k in range(60):
    obs = plant.step([0.05 - 0.001 * k, -200.0 * k])
print(hashlib.sha256(plant.snapshot()).hexdigest(), repr(obs["X"]))
"""


def test_processes_agree_cached_or_freshly_compiled(tmp_path) -> None:  # type: ignore[no-untyped-def]
    cached = in_fresh_process(RUN)
    assert in_fresh_process(RUN) == cached
    assert in_fresh_process(RUN, VDSIM_CACHE_DIR=str(tmp_path / "empty")) == cached


@pytest.mark.parametrize(
    "plant",
    [
        'VDSimPlant(level="kinematic")',
        'VDSimPlant(tyre="road_235_55r19")',
        "VDSimPlant(ground=Ground(split=SplitMu(0.2, 0.8), transition_m=0.5))",
        "VDSimPlant(ground=Ground(polygons=(rectangle((9, 0), 6, 4, 0, 0.3),), transition_m=0.5))",
    ],
)
def test_processes_agree_whatever_the_car_and_the_road(plant: str) -> None:
    """Each kernel takes other functions from the C library, which a fresh process has to find."""
    code = f"""
import hashlib
from vdsim_plant import VDSimPlant
from vdsim_plant.ground import Ground, SplitMu, rectangle
plant = {plant}
plant.reset([0, 0, 0, 16.7, 0, 0])
for k in range(20):
    plant.step([0.05, -200.0 * k])
print(hashlib.sha256(plant.snapshot()).hexdigest())
"""
    assert in_fresh_process(code) == in_fresh_process(code)


def test_cars_may_be_made_in_several_threads_at_once() -> None:
    code = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from vdsim_plant import VDSimPlant
sys.setswitchinterval(1e-6)
together = Barrier(8)
def drive(_):
    together.wait()
    plant = VDSimPlant()
    return [plant.step([0.02, 900.0])["X"] for _ in range(100)][-1]
with ThreadPoolExecutor(8) as pool:
    print(len(set(pool.map(drive, range(8)))))
"""
    assert [in_fresh_process(code) for _ in range(4)] == ["1\n"] * 4


def test_another_instruction_set_gives_the_same_bits(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """The same code for a plain 64-bit processor, without wide vectors and fused instructions."""
    other = in_fresh_process(
        RUN, VDSIM_CACHE_DIR=str(tmp_path), NUMBA_CPU_NAME="x86-64", NUMBA_CPU_FEATURES=""
    )
    assert other == in_fresh_process(RUN)


def _plant(**options: object) -> VDSimPlant:
    return VDSimPlant(friction_map=PATCHES, **options)  # type: ignore[arg-type]


def test_a_snapshot_continues_to_the_bit() -> None:
    inputs = [(0.02 * (k % 5), -900.0 * (k % 7)) for k in range(60)]
    plant = _plant()
    whole = drive(plant, inputs)
    drive(plant, inputs[:25])
    kept = plant.snapshot()
    drive(plant, [(0.3, 9000.0)] * 7)
    assert plant.restore(kept) == whole[25]
    assert [plant.step(list(u)) for u in inputs[25:]] == whole[26:]
    other = _plant()
    other.restore(kept)
    assert [other.step(list(u)) for u in inputs[25:]] == whole[26:]


def test_a_snapshot_of_another_car_is_refused() -> None:
    kept = Vehicle("sport_rwd").snapshot()
    with pytest.raises(ValueError, match="snapshot: is of a car with other parameters"):
        Vehicle("ioniq5_awd").restore(kept)
    with pytest.raises(ValueError, match="snapshot: has 3 bytes"):
        Vehicle().restore(b"abc")
    car = load_vehicle("ioniq5_awd")
    weaker = replace(car, brakes=replace(car.brakes, max_torque_nm=0.5 * car.brakes.max_torque_nm))
    with pytest.raises(ValueError, match="snapshot: is of a car with other parameters"):
        Vehicle(weaker).restore(Vehicle(car).snapshot())


def test_snapshot_keeps_the_pedals() -> None:
    vehicle = Vehicle()
    vehicle.step_pedals(PedalInput(throttle=0.4), 0.1)
    other = Vehicle()
    other.restore(vehicle.snapshot())
    assert other.motion() == vehicle.motion()
    assert other.motion().throttle_applied == 0.4


def test_one_long_step_is_many_short_ones() -> None:
    long, short = Vehicle(), Vehicle()
    for vehicle in (long, short):
        vehicle.reset(InitialState(vx_mps=12.0))
    long.step_pedals(PedalInput(0.1, 0.3, 0.0), 0.5)
    for _ in range(100):
        short.step_pedals(PedalInput(0.1, 0.3, 0.0), 0.005)
    assert long.motion() == short.motion()


def _starts(n: int) -> tuple[np.ndarray, list[np.ndarray]]:  # type: ignore[type-arg]
    rng = np.random.default_rng(n)
    low, high = (-20.0, -9.0, -3.0, -10.0, -3.0, -1.0), (90.0, 9.0, 3.0, 30.0, 3.0, 1.0)
    return rng.uniform(low, high, (n, 6)), [
        rng.uniform((-0.6, -20000.0), (0.6, 15000.0), (n, 2)) for _ in range(12)
    ]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("level", ["l1", "l2"])
@pytest.mark.parametrize("tyre", ["mf96", "road_235_55r19"])
def test_a_batch_is_its_cars_to_the_bit(threads: int, level: str, tyre: str) -> None:
    plant = _plant(level=level, tyre=tyre)
    n = 37
    states, inputs = _starts(n)
    batch = plant.batch(n, threads=threads)
    begun = batch.reset(states)
    assert begun["X"].tolist() == states[:, 0].tolist()
    for u in inputs:
        seen = batch.step(u)
    for car in range(n):
        alone = drive(plant, [tuple(u[car]) for u in inputs], states[car])[-1]
        assert batch.observation(car) == alone
        assert seen["wheel"]["Fx"][car].tolist() == [w["Fx"] for w in alone["wheel"]]
        assert seen["psi"][car] == alone["psi"]


def test_a_batch_may_have_a_substep_of_its_own() -> None:
    states, inputs = _starts(3)
    batch = _plant().batch(3, substep_dt=1e-3)
    batch.reset(states)
    for u in inputs:
        batch.step(u)
    for car in range(3):
        plant = _plant(substep_dt=1e-3)
        alone = drive(plant, [tuple(u[car]) for u in inputs], states[car])[-1]
        assert batch.observation(car) == alone
    with pytest.raises(ValueError, match=r"substep_dt=0\.0003: must divide control_dt"):
        _plant().batch(3, substep_dt=3e-4)


def test_a_batch_on_a_painted_road_is_its_cars_to_the_bit() -> None:
    road = Ground(polygons=(PolygonPatch(((0.0, -5.0), (50.0, -5.0), (25.0, 8.0)), 0.3),))
    plant = VDSimPlant("compact_fwd", ground=road)
    states, inputs = _starts(5)
    batch = plant.batch(5)
    batch.reset(states)
    for u in inputs:
        batch.step(u)
    for car in range(5):
        alone = drive(plant, [tuple(u[car]) for u in inputs], states[car])[-1]
        assert batch.observation(car) == alone


@pytest.mark.parametrize("axles", [("locked", "open"), ("locked", "locked")])
def test_a_batch_with_locked_differentials_is_its_cars_to_the_bit(axles: tuple[str, str]) -> None:
    car = load_vehicle("ioniq5_awd")
    front, rear = axles
    drivetrain = replace(car.drivetrain, differential_front=front, differential_rear=rear)
    plant = _plant(config=replace(car, drivetrain=drivetrain))
    states, inputs = _starts(5)
    batch = plant.batch(5)
    batch.reset(states)
    for u in inputs:
        batch.step(u)
    for k in range(5):
        alone = drive(plant, [tuple(u[k]) for u in inputs], states[k])[-1]
        assert batch.observation(k) == alone
        assert alone["wheel"][0]["omega"] == alone["wheel"][1]["omega"]


def test_a_batch_that_stands_on_a_slope_is_its_cars_to_the_bit() -> None:
    """From the first substep after a reset: below 1 m/s the patches are springs."""
    plant = VDSimPlant(ground=Ground(base_mu=0.5, slope_x=0.08, slope_y=0.03))
    inputs = [(0.1, -2000.0), (0.0, -2000.0), (0.1, 0.0), (0.1, 3000.0)]
    for speed in (0.0, 0.3, -0.8):
        start = [0.0, 0.0, 0.2, speed, 0.0, 0.0]
        batch = plant.batch(3)
        batch.reset(start)
        for u in inputs:
            batch.step(list(u))
        assert batch.observation(2) == drive(plant, inputs, start)[-1]


def test_a_batch_snapshot_continues_to_the_bit() -> None:
    batch = _plant().batch(20)
    batch.reset(list(CRUISE))
    batch.step([0.1, -500.0])
    kept = batch.snapshot()
    ahead = batch.step([0.2, 500.0])["Y"]
    batch.restore(kept)
    assert np.array_equal(batch.step([0.2, 500.0])["Y"], ahead)


@pytest.mark.parametrize(
    "other",
    [
        VDSimPlant("compact_fwd").batch(20),
        VDSimPlant(level="l1").batch(20),
        VDSimPlant(base_mu=0.5).batch(20),
        VDSimPlant(substep_dt=1e-3).batch(20),
        VDSimPlant().batch(21),  # as many bytes: blocks are whole
    ],
)
def test_a_batch_refuses_the_snapshot_of_another(other: PlantBatch) -> None:
    batch = VDSimPlant().batch(20)
    before = batch.snapshot()
    with pytest.raises(ValueError, match="snapshot: is not of 20 cars of this kind on this road"):
        batch.restore(other.snapshot())
    assert batch.snapshot() == before


@pytest.mark.parametrize("broken", [b"", b"1234", VDSimPlant().batch(20).snapshot()[:-8]])
def test_a_batch_refuses_a_broken_snapshot(broken: bytes) -> None:
    with pytest.raises(ValueError, match=f"snapshot: has {len(broken)} bytes: not one of a batch"):
        VDSimPlant().batch(20).restore(broken)


def test_blocks_begin_on_cache_lines() -> None:
    """A vector across two lines is loaded twice: no bit changes, but the speed does."""
    assert [_plant().batch(n)._blocks.ctypes.data % 64 for n in (1, 16, 100, 3000)] == [0] * 4


def test_a_car_in_a_batch_takes_less_than_4_kb() -> None:
    assert len(_plant().batch(1600).snapshot()) / 1600 < 4096


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.batch(0), "n=0: must be a whole number"),
        (lambda p: p.batch(True), "n=True"),
        (lambda p: p.batch(3, threads=0), "threads=0"),
        (lambda p: p.batch(3).reset([0.0] * 5), r"states: has shape \(5,\): must be \(3, 6\)"),
        (lambda p: p.batch(3).reset([[0.0, 0, 0, 999.0, 0, 0]] * 3), r"states\[0\]\[3\]=999"),
        (lambda p: p.batch(3).step([np.nan, 0.0]), r"u\[0\]\[0\]=nan: must be finite"),
        (lambda p: p.batch(3).step("ab"), "u: must be rows of numbers"),
        (lambda p: p.batch(3).observation(3), "car=3: must be 0 to 2"),
        (lambda p: VDSimPlant(level="kinematic").batch(3), "batch: needs level l1, l2 or l3"),
    ],
)
def test_a_batch_names_what_is_wrong(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        call(_plant())
