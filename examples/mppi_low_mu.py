"""MPPI with the plant as its model, over a slippery patch: python examples/mppi_low_mu.py

The drive of mpc_low_mu.py by sampling instead of derivatives: each control period thousands of
disturbed plans are rolled out from where the plant is, wheel slip included (`PlantBatch.fork` and
`rollout`), and the next plan is their mean, weighted by exp(-cost / temperature) (G. Williams et
al., Information theoretic MPC, ICRA 2017). The horizon is 2 s. Nothing is linearised, so the cost
may be anything: here the obstacle is a wall. World frame: X along the road, Y to the left; SI.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass

import numpy as np
from mpc_low_mu import (
    CLEAR_M,
    FORCE_MAX_N,
    FORCE_MIN_N,
    LANE_M,
    OBSTACLE_M,
    OUT_M,
    PATCH,
    START_MPS,
    STEER_MAX_RAD,
    UNIT,
    speed_mps,
)

from vdsim_plant import PlantBatch, VDSimPlant

PERIOD_S, HORIZON_N, END_M = 0.1, 20, 120.0
SUBSTEP_S = 2e-3  # of the rollouts; the plant itself takes 0.5 ms
KNOTS_N = 5  # disturbances are straight lines between so many points of the horizon
SPREAD = np.array([0.03, 2500.0])
TEMPERATURE = 0.05  # in shares of the costs' spread
KEYS = ("X", "Y", "psi", "vx", "vy")


def costs_of(states: np.ndarray, plans: np.ndarray) -> np.ndarray:
    """Return the cost of each rollout: n x T x KEYS and n x T x 2."""
    x, y, psi, vx, vy = np.moveaxis(states, -1, 0)
    share = np.clip((x - OUT_M[0]) / (OUT_M[1] - OUT_M[0]), 0.0, 1.0)
    lane = LANE_M * (0.5 - 0.5 * np.cos(math.pi * share))
    grid = np.linspace(0.0, 200.0, 401)
    speed = np.interp(x, grid, [speed_mps(place) for place in grid])
    running = 2.0 * (y - lane) ** 2 + 10.0 * psi**2 + 0.3 * (vx - speed) ** 2 + 2.0 * vy**2
    running += 1e3 * (np.hypot(x - OBSTACLE_M, y) < CLEAR_M)
    effort = np.sum((np.diff(plans, axis=1) / UNIT) ** 2, axis=2)
    total: np.ndarray = running.sum(axis=1) + 0.5 * effort.sum(axis=1)
    return total


class Mppi:
    """A plan of inputs, made better by rollouts from where the plant is."""

    def __init__(self, plant: VDSimPlant, rollouts: int, threads: int) -> None:
        self._batch: PlantBatch = plant.batch(
            rollouts, threads=threads, substep_dt=SUBSTEP_S, allow_coarse_substep=True
        )
        self._random = np.random.default_rng(0)
        self._out = np.empty((rollouts, HORIZON_N, len(KEYS)))
        self.plan = np.zeros((HORIZON_N, 2))

    def solve(self, plant: VDSimPlant) -> list[float]:
        """Return [delta, Fx] for the next period."""
        plans = self._disturbed()
        self._batch.fork(plant)
        self._batch.rollout(plans, keys=KEYS, out=self._out)
        costs = costs_of(self._out, plans)
        width = TEMPERATURE * (np.median(costs) - costs.min() + 1e-9)
        weights = np.exp(-(costs - costs.min()) / width)
        self.plan = np.tensordot(weights / weights.sum(), plans, axes=1)
        first = self.plan[0].tolist()
        self.plan = np.vstack([self.plan[1:], self.plan[-1:]])
        return [first[0], first[1]]

    def _disturbed(self) -> np.ndarray:
        """Return plans near the last one; the first is that itself."""
        knots = self._random.normal(0.0, SPREAD, (self._batch.n, KNOTS_N, 2))
        place = np.linspace(0.0, KNOTS_N - 1.0, HORIZON_N)
        below = np.minimum(place.astype(int), KNOTS_N - 2)
        share = (place - below)[:, np.newaxis]
        noise = knots[:, below] * (1.0 - share) + knots[:, below + 1] * share
        noise[0] = 0.0
        limits = ([-STEER_MAX_RAD, FORCE_MIN_N], [STEER_MAX_RAD, FORCE_MAX_N])
        plans: np.ndarray = np.clip(self.plan + noise, *limits)
        return plans


@dataclass(frozen=True)
class Drive:
    """What became of it."""

    x_m: np.ndarray
    y_m: np.ndarray
    vx_mps: np.ndarray
    sideslip_rad: np.ndarray
    solve_ms: np.ndarray

    @property
    def clear_m(self) -> float:
        """Distance between the car's centre and the obstacle's when it passes."""
        return float(np.hypot(self.x_m - OBSTACLE_M, self.y_m).min())


def drive(rollouts: int = 16_000, threads: int = 1) -> Drive:
    """Drive over the patch with the controller in the loop."""
    plant = VDSimPlant("ioniq5_awd", friction_map=[PATCH], control_dt=PERIOD_S)
    obs = plant.reset([0.0, 0.0, 0.0, START_MPS, 0.0, 0.0])
    mppi, rows = Mppi(plant, rollouts, threads), []
    while obs["X"] < END_M and len(rows) < 200:
        start = time.perf_counter()
        u = mppi.solve(plant)
        solve_ms = 1e3 * (time.perf_counter() - start)
        obs = plant.step(u)
        rows.append((obs["X"], obs["Y"], obs["vx"], obs["beta"], solve_ms))
    return Drive(*np.array(rows).T)


def main() -> None:
    """Drive and print how it went."""
    parser = argparse.ArgumentParser(description="MPPI over a slippery patch.")
    parser.add_argument("--rollouts", type=int, default=16_000)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    done = drive(given.rollouts, given.threads)
    print(f"passes the obstacle at {done.clear_m:.2f} m (needs {CLEAR_M} m)")
    print(f"speed there {np.interp(OBSTACLE_M, done.x_m, done.vx_mps):.1f} m/s")
    print(f"largest sideslip {math.degrees(np.abs(done.sideslip_rad).max()):.1f} deg")
    print(
        f"time per solve: median {np.median(done.solve_ms):.0f} ms for {given.rollouts} rollouts "
        f"of {HORIZON_N * PERIOD_S:.0f} s; the period is {1e3 * PERIOD_S:.0f} ms"
    )


if __name__ == "__main__":
    main()
