"""An MPC brakes and steers over a slippery patch: python examples/mpc_low_mu.py

The road is slippery from 40 m to 110 m, and a car stands in the lane at 80 m. The controller slows
down and passes on the left. Its model is the plant: each control period it takes the plan of the
period before, has the plant linearise the drive along it (`linearize_along`), and solves one
bounded least-squares problem for a better plan, which is sequential quadratic programming with one
step a period. Tyres that slip are in the derivatives, so the plan asks for no more than the road
gives. `--believe-dry` has the controller predict with a dry road instead. World frame: X along the
road, Y to the left; SI units throughout.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass

import numpy as np

from vdsim_plant import Linearization, VDSimPlant

PERIOD_S, HORIZON_N, END_M = 0.05, 30, 120.0
PATCH = (40.0, 110.0, 0.26)
START_MPS, SLOW_MPS, SLOW_FROM_M = 16.7, 10.0, 10.0
LANE_M, OUT_M = 3.0, (50.0, 78.0)  # to the left, within this way
OBSTACLE_M, CLEAR_M = 80.0, 2.2  # a car stands there at Y = 0; centres pass at this distance
STEER_MAX_RAD, FORCE_MIN_N, FORCE_MAX_N = 0.35, -16000.0, 6000.0
TRUST = np.array([0.03, 3000.0])  # how far one period's solution may go from the plan
UNIT = np.array([0.1, 5000.0])  # of delta and Fx in the cost
# Weights of Y [m], psi [rad] and vx [m/s] off the reference, of the inputs and of their changes.
Y_WEIGHT, YAW_WEIGHT, SPEED_WEIGHT, INPUT_WEIGHT, CHANGE_WEIGHT = 1.5, 4.0, 0.5, 0.05, 1.0


def lane_m(x: float) -> float:
    """Return the Y to be at: half a cosine to the left."""
    share = min(max((x - OUT_M[0]) / (OUT_M[1] - OUT_M[0]), 0.0), 1.0)
    return LANE_M * (0.5 - 0.5 * math.cos(math.pi * share))


def speed_mps(x: float) -> float:
    """Return the speed to have: slower before the obstacle, evenly in v squared."""
    share = min(max((x - SLOW_FROM_M) / (OBSTACLE_M - SLOW_FROM_M), 0.0), 1.0)
    return math.sqrt(START_MPS**2 + share * (SLOW_MPS**2 - START_MPS**2))


class LowMuMpc:
    """A plan of inputs, made better once a control period."""

    def __init__(self) -> None:
        self.plan = np.zeros((HORIZON_N, 2))
        self.last = np.zeros(2)

    def solve(self, along: list[Linearization]) -> list[float]:
        """Return [delta, Fx] from the linearisations along the plan, and keep the new plan."""
        rows, targets = self._cost(along)
        low = np.array([-STEER_MAX_RAD, FORCE_MIN_N])
        high = np.array([STEER_MAX_RAD, FORCE_MAX_N])
        better = bounded_least_squares(
            rows,
            targets,
            (np.maximum(-TRUST, low - self.plan) / UNIT).ravel(),
            (np.minimum(TRUST, high - self.plan) / UNIT).ravel(),
        )
        self.plan = self.plan + better.reshape(-1, 2) * UNIT
        self.last = self.plan[0].copy()
        self.plan = np.vstack([self.plan[1:], self.plan[-1:]])
        return [float(self.last[0]), float(self.last[1])]

    def _cost(self, along: list[Linearization]) -> tuple[np.ndarray, np.ndarray]:
        """Return the least-squares problem in the changes of the plan, in units of UNIT."""
        n = 2 * HORIZON_N
        rows, targets = [], []
        effect = np.zeros((6, n))  # of the plan's changes on the state
        for k, period in enumerate(along):
            effect = period.A @ effect
            effect[:, 2 * k : 2 * k + 2] += period.B * UNIT
            x, y, psi, vx = period.x_next[:4]
            wanted_y, wanted_v = lane_m(x), speed_mps(x)
            y_slope = lane_m(x + 0.5) - lane_m(x - 0.5)
            v_slope = speed_mps(x + 0.5) - speed_mps(x - 0.5)
            rows += [
                Y_WEIGHT * (effect[1] - y_slope * effect[0]),
                YAW_WEIGHT * effect[2],
                SPEED_WEIGHT * (effect[3] - v_slope * effect[0]),
            ]
            targets += [
                Y_WEIGHT * (wanted_y - y),
                YAW_WEIGHT * (y_slope - psi),
                SPEED_WEIGHT * (wanted_v - vx),
            ]
        plan = (self.plan / UNIT).ravel()
        before = np.concatenate([self.last / UNIT, plan[:-2]])
        change = np.eye(n) - np.eye(n, k=-2)
        return (
            np.vstack([*rows, INPUT_WEIGHT * np.eye(n), CHANGE_WEIGHT * change]),
            np.concatenate([targets, -INPUT_WEIGHT * plan, CHANGE_WEIGHT * (before - plan)]),
        )


def bounded_least_squares(
    rows: np.ndarray, targets: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Minimise |rows x - targets| within bounds: Newton steps over what is not held at a bound."""
    curvature, pull = rows.T @ rows, rows.T @ targets
    x = np.clip(np.zeros(len(pull)), low, high)
    for _ in range(15):
        slope = curvature @ x - pull
        held = ((x <= low) & (slope > 0.0)) | ((x >= high) & (slope < 0.0))
        free = np.flatnonzero(~held)
        step = np.zeros(len(x))
        step[free] = -np.linalg.solve(curvature[np.ix_(free, free)], slope[free])
        moved = np.clip(x + step, low, high)
        if np.abs(moved - x).max() < 1e-6:
            break
        x = moved
    return x


@dataclass(frozen=True)
class Drive:
    """What became of it."""

    x_m: np.ndarray
    y_m: np.ndarray
    vx_mps: np.ndarray
    sideslip_rad: np.ndarray
    friction_use: np.ndarray  # largest of the four wheels, force over what the road can give
    linearize_ms: np.ndarray
    solve_ms: np.ndarray

    @property
    def error_m(self) -> np.ndarray:
        """Distance from the path, to the left of it."""
        return self.y_m - np.array([lane_m(x) for x in self.x_m])

    @property
    def clear_m(self) -> float:
        """Distance between the car's centre and the obstacle's when it passes."""
        return float(np.hypot(self.x_m - OBSTACLE_M, self.y_m).min())


def drive(*, believe_dry: bool = False) -> Drive:
    """Drive over the patch with the controller in the loop."""
    plant = VDSimPlant("ioniq5_awd", friction_map=[PATCH], control_dt=PERIOD_S)
    model = VDSimPlant("ioniq5_awd", control_dt=PERIOD_S) if believe_dry else plant
    obs = plant.reset([0.0, 0.0, 0.0, START_MPS, 0.0, 0.0])
    mpc, rows = LowMuMpc(), []
    while obs["X"] < END_M and len(rows) < 300:
        if believe_dry:
            model.reset([obs[key] for key in ("X", "Y", "psi", "vx", "vy", "r")])
        start = time.perf_counter()
        along = model.linearize_along(mpc.plan)
        linearized = time.perf_counter()
        u = mpc.solve(along)
        solved = time.perf_counter()
        obs = plant.step(u)
        use = max(math.hypot(w["Fx"], w["Fy"]) / (w["mu"] * w["Fz"]) for w in obs["wheel"])
        times = (1e3 * (linearized - start), 1e3 * (solved - start))
        rows.append((obs["X"], obs["Y"], obs["vx"], obs["beta"], use, *times))
    return Drive(*np.array(rows).T)


def main() -> None:
    """Drive and print how it went."""
    parser = argparse.ArgumentParser(description="An MPC brakes and steers over a slippery patch.")
    parser.add_argument("--believe-dry", action="store_true", help="predict with a dry road")
    done = drive(believe_dry=parser.parse_args().believe_dry)
    print(f"passes the obstacle at {done.clear_m:.2f} m (needs {CLEAR_M} m)")
    print(f"largest distance from the path {np.abs(done.error_m).max():.2f} m")
    print(f"speed there {np.interp(OBSTACLE_M, done.x_m, done.vx_mps):.1f} m/s")
    print(f"largest sideslip {math.degrees(np.abs(done.sideslip_rad).max()):.1f} deg")
    print(f"largest friction use {done.friction_use.max():.2f}")
    print(
        f"time per solve: median {np.median(done.solve_ms):.1f} ms, "
        f"largest {done.solve_ms[1:].max():.1f} ms, of it {HORIZON_N} linearisations "
        f"{np.median(done.linearize_ms):.2f} ms; the period is {1e3 * PERIOD_S:.0f} ms"
    )


if __name__ == "__main__":
    main()
