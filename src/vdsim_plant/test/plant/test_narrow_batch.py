"""Batches in float32: as exact as they say, at rest and far away too, and used like the others."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from numba import njit, types
from vdsim_plant.batch.forms import NARROW
from vdsim_plant.compiled.narrowing import narrowed
from vdsim_plant.ground import Ground, SplitMu
from vdsim_plant.kernel import equations, mf96
from vdsim_plant.kernel import layout as at
from vdsim_plant.narrow.loop import REPLACED, WIDE
from vdsim_plant.parameters import ParameterError, TyreParameters, vehicle_names
from vdsim_plant.study.accuracy.full_tyre import full_tyre
from vdsim_plant.tyres import tir_combined, tir_law, tir_layout, tir_peaks

from vdsim_plant import VDSimPlant

PATCHES = [(20.0, 40.0, 0.5), (60.0, 80.0, 0.3)]
MOST_STEPS = 20
EQUATIONS = {
    item.py_func.__name__: item
    for module in (equations, mf96, tir_law, tir_combined, tir_peaks)
    for item in vars(module).values()
    if hasattr(item, "py_func")
}
ARGUMENTS = {"float": types.float32, "int": types.int64, "Buffer": types.float32[::1]}
TIR = "road_195_65r15"
FULL_TYRE = full_tyre(0.3, 0.4, -0.5)


def _starts(n: int) -> np.ndarray:  # type: ignore[type-arg]
    rng = np.random.default_rng(n)
    low, high = (-20.0, -9.0, -3.0, 5.0, 0.0, 0.0), (90.0, 9.0, 3.0, 30.0, 0.0, 0.0)
    return rng.uniform(low, high, (n, 6))


def _inputs(n: int, steps: int = 12) -> list[np.ndarray]:  # type: ignore[type-arg]
    rng = np.random.default_rng(steps)
    return [rng.uniform((-0.1, -9000.0), (0.1, 5000.0), (n, 2)) for _ in range(steps)]


def test_the_rests_fill_their_places() -> None:
    rests = sorted(set(NARROW.rests.values()))
    assert [at.SIZE + k for k in range(tir_layout.RESTS)] == rests


@pytest.mark.parametrize("equation", EQUATIONS)
def test_no_equation_leaves_float32(equation: str) -> None:
    plain: Any = EQUATIONS[equation].py_func
    made: Any = njit(narrowed(plain, REPLACED, WIDE))
    names = plain.__code__.co_varnames[: plain.__code__.co_argcount]
    arguments = tuple(ARGUMENTS[plain.__annotations__[name]] for name in names)
    made.compile(arguments)
    returned = made.overloads[arguments].signature.return_type
    assert set(getattr(returned, "types", (returned,))) == {types.float32}


@pytest.mark.parametrize("level", ["l1", "l2"])
@pytest.mark.parametrize(
    ("car", "tyre"),
    [
        ("ioniq5_awd", None),
        ("sport_rwd", None),
        ("ioniq5_awd", FULL_TYRE),
        ("ioniq5_awd", "road_235_55r19"),
        ("compact_fwd", "road_195_65r15"),
    ],
)
def test_it_drives_as_the_batch_in_float64(
    car: str, tyre: TyreParameters | str | None, level: str
) -> None:
    n = 75
    plant = VDSimPlant(car, tyre=tyre, level=level, friction_map=PATCHES)
    wide, narrow = plant.batch(n), plant.batch(n, dtype="float32")
    started = (wide.reset(_starts(n)), narrow.reset(_starts(n)))
    assert started[0]["X"] == pytest.approx(started[1]["X"], abs=1e-9)
    for u in _inputs(n):
        exact, seen = wide.step(u), narrow.step(u)
    away = np.hypot(exact["X"] - seen["X"], exact["Y"] - seen["Y"])
    assert np.median(away) < 1e-5
    assert np.max(away) < 1e-3  # the wheel of some car just meets an edge of the friction
    assert np.median(np.abs(exact["psi"] - seen["psi"])) < 2e-6
    assert exact["t"].tolist() == seen["t"].tolist()
    wheels = exact["wheel"]["Fy"] - seen["wheel"]["Fy"]
    assert np.median(np.abs(wheels)) < 1.0
    assert np.mean(np.abs(exact["wheel"]["mu"] - seen["wheel"]["mu"]) < 1e-6) > 0.99


@pytest.mark.parametrize("x", [0.0, 5000.0, 1e6])
def test_a_slow_car_far_away_moves(x: float) -> None:
    plant = VDSimPlant()
    wide, narrow = plant.batch(1), plant.batch(1, dtype="float32")
    for batch in (wide, narrow):
        batch.reset([x, -x, 0.3, 0.05, 0.0, 0.0])
    gone = []
    for batch in (wide, narrow):
        for _ in range(40):
            seen = batch.step([0.1, 270.0])
        gone.append((seen["X"][0] - x, seen["Y"][0] + x, seen["psi"][0]))
    assert gone[0][0] > 0.05
    assert gone[1] == pytest.approx(gone[0], abs=2e-6)


def test_time_goes_on_after_more_substeps_than_float32_can_count() -> None:
    batch = VDSimPlant(control_dt=1.0).batch(1, dtype="float32")
    batch._blocks_of_cars.put(at.SUBSTEPS, np.array([2.0**24]))
    assert batch.step([0.0, 0.0])["t"][0] == (2.0**24 + 2000) * 5e-4
    assert batch.observation(0)["t"] == (2.0**24 + 2000) * 5e-4


@pytest.mark.parametrize(
    ("name", "tyre"), [*((name, None) for name in vehicle_names()), ("compact_fwd", TIR)]
)
@pytest.mark.parametrize("slope", [0.0, 0.08, -0.3])
def test_a_standing_car_stands(name: str, tyre: str | None, slope: float) -> None:
    ground = Ground(slope_x=slope, slope_y=slope / 3.0)
    n = 33
    states = np.zeros((n, 6))
    states[:, 0], states[:, 2] = 3000.0, np.linspace(0.0, np.pi, n)
    plant = VDSimPlant(name, tyre=tyre, ground=ground, control_dt=1.0)
    batch = plant.batch(n, dtype="float32")
    batch.reset(states)
    brakes = [2000.0] * 4
    for _ in range(5):
        before = batch.step([0.0, 0.0], brakes=brakes)
    assert np.hypot(before["X"] - 3000.0, before["Y"]).max() < 5e-3
    for _ in range(10):
        after = batch.step([0.0, 0.0], brakes=brakes)
    for key in ("X", "Y", "psi"):
        assert after[key].tolist() == before[key].tolist()  # type: ignore[literal-required]


def test_a_standing_car_sets_off() -> None:
    batch = VDSimPlant().batch(1, dtype="float32")
    for _ in range(20):
        seen = batch.step([0.0, 400.0])
    assert seen["vx"][0] == pytest.approx(0.055, abs=0.01)


@pytest.mark.parametrize("mu", [0.02, 0.3, 1.2])
@pytest.mark.parametrize("substep_dt", [1e-4, 5e-4, 5e-3])
def test_nothing_leaves_the_friction_circle_or_the_numbers(mu: float, substep_dt: float) -> None:
    rng = np.random.default_rng(1)
    n = 64
    for name, tyre in (("ioniq5_awd", None), ("scale_car", None), ("ioniq5_awd", TIR)):
        plant = VDSimPlant(
            name, tyre=tyre, base_mu=mu, substep_dt=substep_dt, allow_coarse_substep=True
        )
        batch = plant.batch(n, dtype="float32", allow_coarse_substep=True)
        most = np.array([1e6, 1e6, 1e4, 150.0, 150.0, 50.0])
        states = rng.uniform(-most, most, (n, 6))
        states[::3, 3:] *= 1e-3
        states[1::3, 3:] *= (0.2, 0.02, 0.02)
        batch.reset(states)
        for _ in range(MOST_STEPS):
            u = rng.uniform((-1.0, -1e5), (1.0, 1e5), (n, 2)) * (rng.random((n, 1)) < 0.8)
            brakes = rng.uniform(0.0, 3000.0, (n, 4)) * (rng.random((n, 1)) < 0.3)
            seen = batch.step(u, brakes=brakes)
            wheel = seen["wheel"]
            body = [seen[key] for key in ("X", "Y", "psi", "vx", "vy", "r", "ax", "ay")]  # type: ignore[literal-required]
            assert np.isfinite([*body, *np.moveaxis(wheel["omega"], 1, 0)]).all()
            force = np.hypot(wheel["Fx"], wheel["Fy"])
            assert np.all(force <= wheel["mu"] * wheel["Fz"] * (1.0 + 1e-6))


def test_the_bits_depend_on_neither_threads_nor_neighbours() -> None:
    n = 101
    plant = VDSimPlant(ground=Ground(split=SplitMu(0.2, 0.8), transition_m=0.5))
    one, two = plant.batch(n, dtype="float32"), plant.batch(n, threads=2, dtype=np.float32)
    alone = plant.batch(1, dtype=np.dtype("float32"))
    one.reset(_starts(n)), two.reset(_starts(n)), alone.reset(_starts(n)[7])
    for u in _inputs(n):
        seen = one.step(u), two.step(u), alone.step(u[7])
    assert one.snapshot() == two.snapshot()
    assert seen[0]["X"][7] == seen[2]["X"][0]
    assert seen[0]["psi"][7] == seen[2]["psi"][0]


def test_snapshots_copies_and_resets_go_on_to_the_bit() -> None:
    n = 40
    plant = VDSimPlant(friction_map=PATCHES)
    batch = plant.batch(n, dtype="float32")
    batch.reset(_starts(n))
    inputs = _inputs(n)
    for u in inputs[:4]:
        batch.step(u)
    kept = batch.snapshot()
    others = [
        copy.deepcopy(batch),
        pickle.loads(pickle.dumps(batch)),
        plant.batch(n, dtype="float32"),
    ]
    others[2].restore(kept)
    for other in others:
        assert "float32" in repr(other)
        assert other.observe()["X"].tolist() == batch.observe()["X"].tolist()
    for u in inputs[4:]:
        for each in (batch, *others):
            each.step(u)
    assert len({each.snapshot() for each in (batch, *others)}) == 1
    mask = np.arange(n) % 3 == 0
    fresh = plant.batch(n, dtype="float32")
    fresh.reset(_starts(n))
    batch.reset(_starts(n), mask)
    for u in inputs[:3]:
        a, b = batch.step(u), fresh.step(u)
    assert a["X"][mask].tolist() == b["X"][mask].tolist()
    with pytest.raises(ParameterError, match=r"snapshot: has .* not one of a batch"):
        plant.batch(n).restore(kept)


def test_a_rollout_shows_what_steps_show() -> None:
    n = 35
    batch = VDSimPlant(friction_map=PATCHES).batch(n, dtype="float32")
    inputs = np.stack(_inputs(n), axis=1)
    batch.reset(_starts(n))
    stepped = [batch.step(inputs[:, k]) for k in range(inputs.shape[1])]
    keys = ["X", "psi", "vx", "t", "wheel.Fx"]
    for out in (None, np.empty((n, 12, 8), dtype=np.float32)):
        batch.reset(_starts(n))
        rolled = batch.rollout(inputs, keys=keys, out=out)
        for k, seen in enumerate(stepped):
            columns = [seen["X"], seen["psi"], seen["vx"], seen["t"], *seen["wheel"]["Fx"].T]
            assert rolled[:, k].tolist() == np.stack(columns, 1).astype(rolled.dtype).tolist()
    some = np.array([3, 34, 0])
    assert batch.read(["X", "t"], cars=some).tolist() == [
        [stepped[-1]["X"][car], stepped[-1]["t"][car]] for car in some
    ]
    last = batch.observation(34)
    assert (last["X"], last["t"]) == (stepped[-1]["X"][34], stepped[-1]["t"][34])


def test_it_goes_on_from_a_plant() -> None:
    plant = VDSimPlant(friction_map=PATCHES)
    plant.reset([5000.0, 1.0, 0.2, 16.7, 0.0, 0.0])
    for _ in range(20):
        there = plant.step([0.03, 500.0])
    batch = plant.batch(3, from_current=True, dtype="float32")
    begun = batch.observe()
    assert begun["X"] == pytest.approx(there["X"], abs=1e-9)
    assert begun["t"].tolist() == [there["t"]] * 3
    for _ in range(20):
        seen, there = batch.step([0.03, -4000.0]), plant.step([0.03, -4000.0])
    assert seen["X"][1] == pytest.approx(there["X"], abs=1e-5)
    assert seen["vx"][1] == pytest.approx(there["vx"], abs=1e-5)


def test_cars_may_differ_and_have_sensors_and_actuators() -> None:
    n = 34
    vary = {"base_mu": np.linspace(0.3, 1.0, n), "body.mass_kg": np.linspace(1900.0, 2600.0, n)}
    for options in ({}, {"sensors": "automotive", "actuators": "passenger_car"}):
        plant = VDSimPlant(**options)  # type: ignore[arg-type]
        wide, narrow = plant.batch(n, vary=vary), plant.batch(n, vary=vary, dtype="float32")
        for batch in (wide, narrow):
            batch.reset([0.0, 0.0, 0.0, 20.0, 0.0, 0.0])
        for u in _inputs(n):
            exact, seen = wide.step(u), narrow.step(u)
        assert seen["X"] == pytest.approx(exact["X"], abs=1e-3)
        measured, true = narrow.measured(), wide.measured()
        assert measured.vx_mps == pytest.approx(true.vx_mps, abs=1e-3)


@pytest.mark.parametrize("dtype", ["float16", "f", 3, None, "double precision"])
def test_another_dtype_is_refused(dtype: object) -> None:
    if dtype == "f":  # numpy's own short name
        assert "float32" in repr(VDSimPlant().batch(1, dtype=dtype))
        return
    with pytest.raises(ParameterError, match=r"dtype=.*: must be float64 or float32"):
        VDSimPlant().batch(1, dtype=dtype)


def test_a_substep_too_short_for_float32_is_refused() -> None:
    plant = VDSimPlant(substep_dt=5e-5)
    with pytest.raises(ParameterError, match=r"substep_dt=5e-05: must be >= 0.0001 with dtype"):
        plant.batch(1, dtype="float32")
