"""The time of `plant.linearize`, beside plain steps and differences.

    python bench/plant/bench_linearize.py [--rounds 200]

All are measured in turn in one run; the figures are medians of ratios within a round. Differences
are central ones: 16 steps of the plant from where it is, or one step of a batch of 16 after a
reset, which starts the wheels again and so is the quicker and less exact one.

Ends with 1 when a target is missed: at most 5 plain steps, at most half of either differences, and
within 1e-6 of differences in the median of random drives. Last, how far the product of A over 2 s
is off the difference of two drives of 2 s, for both tyres.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "src" / "vdsim_plant")]

import figures  # noqa: E402
from vdsim_plant.mpc.linearization import by_differences  # noqa: E402

from vdsim_plant import ALL_STATES, OBSERVED_STATES, VDSimPlant  # noqa: E402

Array = NDArray[np.float64]
U = [0.04, -2500.0]
STATE = np.array([0.0, 0.0, 0.1, 17.0, 0.2, 0.1])
REPEATS = 10
PLAIN_STEPS, SHARE_OF_DIFFERENCES, ERROR = 5.0, 0.5, 1e-6
PERIODS, PERIOD_S = 100, 0.02  # of a product
OF_FORCE = np.array([1.0, 1000.0])  # columns of the inputs: Fx per 1000 N


def main() -> int:
    """Measure, print, compare with the targets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    plant = VDSimPlant()
    plant.reset(STATE)
    for _ in range(10):
        plant.step(U)
    here, row = plant.snapshot(), np.array(U)
    many = plant.batch(16)
    states = np.tile(STATE, (16, 1))

    def differences() -> None:
        by_differences(plant.vehicle, lambda: plant.restore(here), plant.step, row, 6)
        plant.restore(here)

    def differences_of_batch() -> None:
        many.reset(states)
        many.step(U)

    tried: dict[str, Callable[[], object]] = {
        "plain step": lambda: plant.step(U),
        "linearize": lambda: plant.linearize(U),
        "linearize, all states": lambda: plant.linearize(U, states="all"),
        "differences, 16 steps": differences,
        "differences, batch of 16": differences_of_batch,
    }
    times: dict[str, list[float]] = {name: [] for name in tried}
    for _ in range(rounds):
        plant.restore(here)
        for name, run in tried.items():
            start = time.perf_counter()
            for _ in range(REPEATS):
                run()
            times[name].append((time.perf_counter() - start) / REPEATS)
    plant.restore(here)
    for tyre in ("mf96", "road_235_55r19"):
        off = product_errors(tyre)
        print(
            f"product of A over {PERIODS * PERIOD_S:g} s, {tyre}: off by {np.median(off):.1e} in "
            f"the median of {len(off)} drives, nine in ten within {np.quantile(off, 0.9):.1e}, "
            f"largest {off.max():.1e}"
        )
    return report({name: np.array(values) for name, values in times.items()}, errors())


def errors(drives: int = 40) -> np.ndarray:
    """Return of random drives how far A and B are from differences, over their largest entry."""
    found = []
    for seed in range(drives):
        random = np.random.default_rng(seed)
        plant = VDSimPlant(base_mu=(0.4, 0.9)[seed % 2])
        plant.reset([0, 0, 0, random.uniform(5, 30), 0, 0])
        for _ in range(10):
            plant.step([random.uniform(-0.1, 0.1), random.uniform(-9000, 5000)])
        here, u = plant.snapshot(), [random.uniform(-0.1, 0.1), random.uniform(-9000, 5000)]
        exact = plant.linearize(u)
        wanted = by_differences(
            plant.vehicle, partial(plant.restore, here), plant.step, np.array(u), 6
        )
        mine, theirs = (np.hstack([one.A, one.B * OF_FORCE]) for one in (exact, wanted))
        found.append(float(np.abs(mine - theirs).max() / np.abs(theirs).max()))
    return np.array(found)


def product_errors(tyre: str, drives: int = 40) -> np.ndarray:
    """Return of random drives of 2 s how far the product of A is off, over its largest entry.

    Compared is the change of [X, Y, psi, vx, vy, r] at the end with each of these at the start, and
    with a change of both inputs that lasts.
    """
    found = []
    for seed in range(drives):
        random = np.random.default_rng(seed)
        plant = VDSimPlant(tyre=tyre, base_mu=(0.4, 0.9)[seed % 2], control_dt=PERIOD_S)
        plant.reset([0, 0, 0, random.uniform(10, 30), 0, 0])
        time_s = PERIOD_S * np.arange(PERIODS)
        angle = random.uniform(0.01, 0.06) * np.sin(2 * np.pi * random.uniform(0.2, 1.0) * time_s)
        force = random.uniform(-4000, 3000) * np.cos(2 * np.pi * random.uniform(0.1, 0.5) * time_s)
        inputs = np.stack((angle, force), axis=1)
        for _ in range(10):
            plant.step(inputs[0])
        here = plant.snapshot()
        product, lasting = np.eye(len(ALL_STATES)), np.zeros((len(ALL_STATES), 2))
        for one in plant.linearize_along(inputs, states="all"):
            product, lasting = one.A @ product, one.A @ lasting + one.B

        def drive(change: list[float], inputs: Array = inputs, plant: VDSimPlant = plant) -> None:
            for row in inputs:
                plant.step(row + change)

        wanted = by_differences(
            plant.vehicle, partial(plant.restore, here), drive, np.zeros(2), len(OBSERVED_STATES)
        )
        n = len(OBSERVED_STATES)
        mine = np.hstack([product[:n, :n], lasting[:n] * OF_FORCE])
        theirs = np.hstack([wanted.A, wanted.B * OF_FORCE])
        found.append(float(np.abs(mine - theirs).max() / np.abs(theirs).max()))
    return np.array(found)


def report(times: dict[str, np.ndarray], off: np.ndarray) -> int:
    """Print the table; return 1 when a target is missed."""
    plain, ours = times["plain step"], times["linearize"]
    print(f"{'':26} {'us':>7} {'plain steps':>12}")
    for name, values in times.items():
        print(f"{name:26} {1e6 * values.min():7.1f} {np.median(values / plain):12.2f}")
    for name in ("plain step", "differences, 16 steps", "differences, batch of 16"):
        mine, theirs = ([1e6 * t for t in values] for values in (ours, times[name]))
        figures.figure(f"linearize, beside {name}", "us", mine, name, theirs)
    in_steps = float(np.median(ours / plain))
    shares = {
        name: float(np.median(ours / values))
        for name, values in times.items()
        if name.startswith("differences")
    }
    for name, share in shares.items():
        print(f"linearize over {name}: {share:.2f} (target {SHARE_OF_DIFFERENCES})")
    print(f"linearize in plain steps: {in_steps:.2f} (target {PLAIN_STEPS:g})")
    print(
        f"off differences in {len(off)} random drives: median {np.median(off):.1e} "
        f"(target {ERROR:g}), within it {np.count_nonzero(off <= ERROR)}; "
        f"the others have a kink within the difference, largest {off.max():.1e}"
    )
    good = in_steps <= PLAIN_STEPS and np.median(off) <= ERROR
    return 0 if good and max(shares.values()) <= SHARE_OF_DIFFERENCES else 1


if __name__ == "__main__":
    raise SystemExit(main())
