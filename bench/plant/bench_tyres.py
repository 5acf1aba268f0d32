"""Cars with tyres from property files (`.tir`) beside the same car with MF96.

    python bench/plant/bench_tyres.py [--rounds 200] [--cars 512]

A step of `VDSimPlant` is 50 ms of a bend, 100 substeps of 0.5 ms, observation included; a batch
takes the same step, in float64 and in float32. Ratios are medians over rounds in which all ran
directly one after the other.
Ends with 1 when a ratio misses its target. Libm and a wheel at a time, with the slope as a
difference of two evaluations, took 8 to 9 times as long as MF96.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "src" / "vdsim_plant")]

import figures  # noqa: E402
import numpy as np  # noqa: E402

from vdsim_plant import VDSimPlant  # noqa: E402

MF96 = "mf96"
NARROW = ", float32"
TYRES = (MF96, "road_235_55r19", "road_195_65r15")
CONTROL_S = 0.05
START = [0.0, 0.0, 0.0, 20.0, 0.0, 0.0]
INPUT = [0.03, -1500.0]
MOST_ALONE, MOST_IN_A_BATCH = 2.5, 6.0  # times MF96
LEAST_IN_FLOAT32 = 1.4  # times float64's speed, observations included


def measured(runs: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Return the CPU seconds of each run in each round."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            begun = time.thread_time()
            run()
            times[name].append(time.thread_time() - begun)
    return times


def ratio(times: Mapping[str, list[float]], name: str) -> float:
    """Return how many times MF96's time a tyre takes."""
    return statistics.median(a / b for a, b in zip(times[name], times[MF96], strict=True))


def started_batch(tyre: str, cars: int, dtype: str) -> Callable[[], object]:
    """Return a step of cars at different speeds in different bends."""
    rng = np.random.default_rng(0)
    batch = VDSimPlant(tyre=tyre).batch(cars, dtype=dtype)
    states = np.zeros((cars, 6))
    states[:, 3] = rng.uniform(5.0, 30.0, cars)
    batch.reset(states)
    inputs = np.column_stack([rng.uniform(-0.05, 0.05, cars), rng.uniform(-4000, 2000, cars)])
    return lambda: batch.step(inputs)


def started_plant(tyre: str) -> Callable[[], object]:
    """Return a step of one car."""
    plant = VDSimPlant(tyre=tyre)
    plant.reset(START)
    return lambda: plant.step(INPUT)


def main() -> int:
    """Print both tables, compare with the targets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--cars", type=int, default=512)
    options = parser.parse_args()
    alone = measured({tyre: started_plant(tyre) for tyre in TYRES}, options.rounds)
    rounds = max(options.rounds // 20, 5)
    batches = {tyre: started_batch(tyre, options.cars, "float64") for tyre in TYRES}
    narrow = {tyre + NARROW: started_batch(tyre, options.cars, "float32") for tyre in TYRES}
    many = measured(batches | narrow, rounds)
    head = f"{'tyre':<16}{'us a step':>10}{'vs mf96':>9}{'cars live':>11}{'vs mf96':>9}"
    print(f"{head}{'float32':>9} times as fast")
    missed = []
    for tyre in TYRES[1:]:
        for what, times, cars in (("a step", alone, 1), ("a car of a batch", many, options.cars)):
            mine, theirs = ([1e6 * t / cars for t in times[name]] for name in (tyre, MF96))
            figures.figure(f"{what} with {tyre}", "us", mine, MF96, theirs)
    for tyre in TYRES:
        step_us = 1e6 * statistics.median(alone[tyre])
        live = options.cars * CONTROL_S / statistics.median(many[tyre])
        ratios = ratio(alone, tyre), ratio(many, tyre)
        pairs = zip(many[tyre], many[tyre + NARROW], strict=True)
        faster = statistics.median(a / b for a, b in pairs)
        row = f"{tyre:<16}{step_us:10.1f}{ratios[0]:9.2f}{live:11.0f}{ratios[1]:9.2f}"
        print(f"{row}{faster:9.2f}")
        if faster < LEAST_IN_FLOAT32:
            missed.append(f"{tyre} in float32: {faster:.2f} times as fast < {LEAST_IN_FLOAT32}")
        for what, value, most in zip(
            ("a step", "a batch"), ratios, (MOST_ALONE, MOST_IN_A_BATCH), strict=True
        ):
            if value > most:
                missed.append(f"{what} with {tyre}: {value:.2f} times mf96's > {most}")
    print(f"targets: at most {MOST_ALONE} alone, {MOST_IN_A_BATCH} in a batch on one core")
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
