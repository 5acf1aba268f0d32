"""Control steps a second of the learning environments, on one core.

    python bench/plant/bench_learning.py [--cars 4096] [--rounds 40]

Each task at a control period of 20 ms, with substeps of 0.5 ms and 2 ms, in float64 and in float32,
beside the batch alone: observations, rewards, ends and the start of the next episodes are included.
Times are CPU time, the median of rounds in which all ran one after the other. Ends with 1 when lane
keeping takes too long beside the batch alone; steps a second depend on the machine, so their
targets are printed below what was measured. With Gymnasium its vector environments are measured,
without it the same cars beneath them.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

BENCH = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCH), str(BENCH.parent / "src" / "vdsim_plant")]

import figures  # noqa: E402
import numpy as np  # noqa: E402
from vdsim_plant.study.tasks import TASKS, TaskCars  # noqa: E402

from vdsim_plant import VDSimPlant  # noqa: E402

try:
    from vdsim_plant.study.rl import VehicleVectorEnv
except ImportError:
    VehicleVectorEnv = None  # type: ignore[assignment, misc]

TARGETS = {5e-4: 500_000, 2e-3: 1_500_000}  # control steps a second
# Of the time of the batch alone, which is less in float32.
LARGEST_RATIOS = {
    ("float64", 5e-4): 1.3,
    ("float64", 2e-3): 1.5,
    ("float32", 5e-4): 1.5,
    ("float32", 2e-3): 2.0,
}
STEPS = 4  # of each contender in a round


def environment_steps(name: str, cars: int, substep_dt: float, dtype: str) -> Callable[[], None]:
    """Return what steps an environment with random actions, in the middle of its episodes."""
    random = np.random.default_rng(0)
    actions = random.uniform(-0.2, 0.2, (16, cars, 2)).astype(np.float32)
    done = 0
    if VehicleVectorEnv is None:
        driven = TaskCars(TASKS[name](), cars, substep_dt=substep_dt, randomise=True, dtype=dtype)
        driven.start(random)
        step: Callable[[Any], object] = partial(_step_and_start, driven, random)
    else:
        environment = VehicleVectorEnv(
            name, cars, substep_dt=substep_dt, randomise=True, dtype=dtype
        )
        environment.reset(seed=0)
        driven, step = environment.cars, environment.step
    driven.steps[:] = np.arange(cars) % 400  # episodes of one length would all end at once

    def run() -> None:
        nonlocal done
        for _ in range(STEPS):
            step(actions[done % len(actions)])
            done += 1

    return run


def _step_and_start(cars: TaskCars, random: np.random.Generator, actions: Any) -> None:
    """Do what an environment does: step, and start those again that have reached an end."""
    done = cars.step(actions)
    over = np.flatnonzero(done.terminated | done.truncated)
    cars.start(random, done.terminated | done.truncated)
    if len(over):
        done.seen[over] = cars.seen(over)


def batch_steps(cars: int, substep_dt: float, dtype: str) -> Callable[[], None]:
    """Return what steps a bare batch."""
    task = TASKS["LaneKeeping"]()
    batch = VDSimPlant(control_dt=0.02).batch(
        cars, substep_dt=substep_dt, allow_coarse_substep=True, dtype=dtype
    )
    batch.reset(task.starts(np.random.default_rng(0), cars))
    u = np.zeros((cars, 2))

    def run() -> None:
        for _ in range(STEPS):
            batch.advance(u)

    return run


def main() -> int:
    """Measure, print, compare with the targets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cars", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)  # 2 ms is meant
    kind = "TaskCars" if VehicleVectorEnv is None else "VectorEnv"
    missed = []
    for substep_dt, target in TARGETS.items():
        for dtype in ("float64", "float32"):
            head = f"{kind}, 20 ms, substeps {substep_dt * 1e3:g} ms, {dtype}, one core"
            print(f"{options.cars} cars of {head}")
            ratio = report(options.cars, options.rounds, substep_dt, dtype)
            if ratio > LARGEST_RATIOS[dtype, substep_dt]:
                missed.append(f"{head}: LaneKeeping takes {ratio:.2f} times the batch's time")
        print(f"  target of LaneKeeping on a quiet machine: {target / 1e3:.0f} thousand steps/s")
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


def report(cars: int, rounds: int, substep_dt: float, dtype: str) -> float:
    """Print a table; return how many times the batch's time LaneKeeping takes."""
    bare = f"a batch alone, {substep_dt * 1e3:g} ms"
    runs = {bare: batch_steps(cars, substep_dt, dtype)}
    for name in TASKS:
        runs[name] = environment_steps(name, cars, substep_dt, dtype)
    times: dict[str, list[float]] = {name: [] for name in runs}
    for k in range(rounds + 2):
        for name, run in runs.items():
            begun = time.thread_time()
            run()
            if k >= 2:
                times[name].append((time.thread_time() - begun) / STEPS / cars)
    for name, values in times.items():
        ratio = statistics.median(a / b for a, b in zip(values, times[bare], strict=True))
        steps, best = 1e-3 / statistics.median(values), 1e-3 / min(values)
        print(
            f"  {name:<28}{steps:8.0f} thousand steps/s (best {best:.0f}),"
            f" {ratio:5.2f} times the batch's time"
        )
    mine, theirs = ([1e6 * t for t in times[name]] for name in ("LaneKeeping", bare))
    figures.figure(f"a control step of LaneKeeping, {substep_dt * 1e3:g} ms, {dtype}", "us a car",
                   mine, "the batch alone", theirs)  # fmt: skip
    pairs = zip(times["LaneKeeping"], times[bare], strict=True)
    return statistics.median(a / b for a, b in pairs)


if __name__ == "__main__":
    raise SystemExit(main())
