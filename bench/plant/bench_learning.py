"""Control steps a second of the learning environments, on one core.

    python bench/plant/bench_learning.py [--cars 4096] [--rounds 40]

Each task at a control period of 20 ms, with substeps of 0.5 ms and 2 ms, beside the batch alone:
observations (float32), rewards, ends and the start of the next episodes are included. Times are CPU
time, the median of rounds in which all ran one after the other. Ends with 1 when lane keeping takes
too long beside the batch alone; steps a second depend on the machine, so their targets are printed
next to what was measured. With Gymnasium its vector environments are measured, without it the same
cars beneath them.
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

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "src" / "vdsim_plant")]

import numpy as np  # noqa: E402
from vdsim_plant.tasks import TASKS, TaskCars  # noqa: E402

from vdsim_plant import VDSimPlant  # noqa: E402

try:
    from vdsim_plant.rl import VehicleVectorEnv
except ImportError:
    VehicleVectorEnv = None  # type: ignore[assignment, misc]

TARGETS = {5e-4: 500_000, 2e-3: 1_500_000}  # control steps a second
LARGEST_RATIOS = {5e-4: 1.3, 2e-3: 1.5}  # of the time of the batch alone
STEPS = 4  # of each contender in a round


def environment_steps(name: str, cars: int, substep_dt: float) -> Callable[[], None]:
    """Return what steps an environment with random actions, in the middle of its episodes."""
    random = np.random.default_rng(0)
    actions = random.uniform(-0.2, 0.2, (16, cars, 2)).astype(np.float32)
    done = 0
    if VehicleVectorEnv is None:
        driven = TaskCars(TASKS[name](), cars, substep_dt=substep_dt, randomise=True)
        driven.start(random)
        step: Callable[[Any], object] = partial(_step_and_start, driven, random)
    else:
        environment = VehicleVectorEnv(name, cars, substep_dt=substep_dt, randomise=True)
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


def batch_steps(cars: int, substep_dt: float) -> Callable[[], None]:
    """Return what steps a bare batch."""
    task = TASKS["LaneKeeping"]()
    batch = VDSimPlant(control_dt=0.02).batch(
        cars, substep_dt=substep_dt, allow_coarse_substep=True
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
        bare = f"a batch alone, {substep_dt * 1e3:g} ms"
        runs = {bare: batch_steps(options.cars, substep_dt)}
        for name in TASKS:
            runs[name] = environment_steps(name, options.cars, substep_dt)
        times: dict[str, list[float]] = {name: [] for name in runs}
        for k in range(options.rounds + 2):
            for name, run in runs.items():
                begun = time.thread_time()
                run()
                if k >= 2:
                    times[name].append((time.thread_time() - begun) / STEPS / options.cars)
        print(f"{options.cars} cars of {kind}, 20 ms, substeps {substep_dt * 1e3:g} ms, one core")
        for name, values in times.items():
            ratio = statistics.median(a / b for a, b in zip(values, times[bare], strict=True))
            steps = 1.0 / statistics.median(values)
            best = 1.0 / min(values)
            print(
                f"  {name:<28}{steps / 1e3:8.0f} thousand steps/s (best {best / 1e3:.0f}),"
                f" {ratio:5.2f} times the batch's time"
            )
        print(f"  target of LaneKeeping on a quiet machine: {target / 1e3:.0f} thousand steps/s")
        pairs = zip(times["LaneKeeping"], times[bare], strict=True)
        ratio = statistics.median(a / b for a, b in pairs)
        if ratio > LARGEST_RATIOS[substep_dt]:
            missed.append(f"LaneKeeping takes {ratio:.2f} times the batch's time")
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
