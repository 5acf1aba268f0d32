"""What a car of a batch costs with springs, heights of the road, assistance and a motor's limit.

    python bench/plant/bench_batch.py [--cars 1024] [--rounds 15]

A step is 20 ms of a bend, 40 substeps of 0.5 ms. Ratios are medians over rounds in which all ran
directly one after the other, to cars of level l2 without any of it. Ends with 1 when one takes more
than twice as long.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "src" / "vdsim_plant")]

import figures  # noqa: E402
import numpy as np  # noqa: E402
from vdsim_plant.ground import Ground, HeightGrid  # noqa: E402

from vdsim_plant import VDSimPlant  # noqa: E402

BARE = "l2"
MOST = 2.0


def contenders() -> dict[str, dict[str, Any]]:
    """Return the arguments of each plant."""
    waves = 0.03 * np.sin(np.arange(0.0, 200.0, 0.1))
    road = Ground(base_mu=0.8, heights=HeightGrid(np.stack([waves] * 20), 0.1, -20.0, -1.0))
    return {
        BARE: {},
        "l3": {"level": "l3"},
        "l3, heights": {"level": "l3", "ground": road},
        "l2, ABS": {"assist": "abs"},
        "l2, ABS, traction control, ESC": {"assist": "passenger_car"},
        "l2, limit of the motor": {"limit_to_motor": True},
    }


def started(cars: int, arguments: dict[str, Any]) -> Callable[[], float]:
    """Return what steps a batch and returns the CPU time [s]."""
    batch = VDSimPlant(control_dt=0.02, **arguments).batch(cars)
    batch.reset([0.0, 0.0, 0.0, 15.0, 0.0, 0.0])
    inputs = np.tile([0.02, 0.0], (cars, 1))

    def step() -> float:
        begun = time.thread_time()
        batch.advance(inputs)
        return time.thread_time() - begun

    return step


def main() -> int:
    """Measure, print, compare with the target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cars", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    steps = {name: started(options.cars, given) for name, given in contenders().items()}
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(options.rounds):
        for name, step in steps.items():
            times[name].append(step())
    missed = []
    print(f"{options.cars} cars, a step of 20 ms on one core")
    for name, of in times.items():
        ratio = statistics.median(a / b for a, b in zip(of, times[BARE], strict=True))
        each = 1e6 * statistics.median(of) / options.cars
        print(f"  {name:<32}{each:6.2f} us a car, {ratio:.2f} times l2's (target {MOST:g})")
        if name != BARE:
            mine, theirs = ([1e6 * t / options.cars for t in times[n]] for n in (name, BARE))
            figures.figure(f"a car of a batch at {name}", "us", mine, BARE, theirs)
        if ratio > MOST:
            missed.append(f"missed: {name} takes {ratio:.2f} times l2's time")
    print("\n".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
