#!/usr/bin/env python3
"""A controller in a closed loop with a plant of its own: python examples/closed_loop_sim.py

A small MPC changes lanes at 60 km/h. Its plant is a single track, as such simulations have it.
VDSimPlant takes its place with one line, below `main`; the controller does not change:

    plant = VDSimPlant("ioniq5_awd", base_mu=MU, control_dt=PERIOD_S)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from vdsim_plant import VDSimPlant  # noqa: F401

PERIOD_S, END_S, MU = 0.05, 7.0, 0.9
SPEED_MPS, LANE_M, CHANGE_M = 16.7, 3.5, (30.0, 75.0)
HORIZON_N = 30
Y_WEIGHT, HEADING_WEIGHT, STEERING_WEIGHT, CHANGE_WEIGHT = 1.0, 2.0, 1.0, 40.0
MASS_KG, YAW_INERTIA_KGM2, TO_FRONT_M, TO_REAR_M = 2359.0, 3400.0, 1.17, 1.80
FRONT_N_PER_RAD, REAR_N_PER_RAD = 2.2e5, 1.6e5  # of an axle


class SingleTrackPlant:
    """The simulation's own plant: saturating axles, fourth-order Runge-Kutta."""

    def __init__(self, mu: float, control_dt: float) -> None:
        self.mu, self.control_dt = mu, control_dt
        self.state = np.zeros(6)

    def reset(self, state0: list[float]) -> dict[str, float]:
        """Start at [X, Y, psi, vx, vy, r]."""
        self.state = np.array(state0, dtype=float)
        return self.observe()

    def step(self, u: list[float]) -> dict[str, float]:
        """Hold [delta, Fx] for a control period."""
        dt = self.control_dt / 10
        for _ in range(10):
            k1 = self.derivative(self.state, u)
            k2 = self.derivative(self.state + 0.5 * dt * k1, u)
            k3 = self.derivative(self.state + 0.5 * dt * k2, u)
            k4 = self.derivative(self.state + dt * k3, u)
            self.state = self.state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return self.observe()

    def observe(self) -> dict[str, float]:
        """Return the state by name."""
        return dict(zip(("X", "Y", "psi", "vx", "vy", "r"), self.state.tolist(), strict=True))

    def derivative(self, state: np.ndarray, u: list[float]) -> np.ndarray:
        """Rate of change of the state."""
        _, _, psi, vx, vy, r = state
        wheelbase = TO_FRONT_M + TO_REAR_M
        weight = MASS_KG * 9.81 / wheelbase
        front = self.side(
            math.atan2(vy + TO_FRONT_M * r, vx) - u[0], FRONT_N_PER_RAD, weight * TO_REAR_M
        )
        rear = self.side(math.atan2(vy - TO_REAR_M * r, vx), REAR_N_PER_RAD, weight * TO_FRONT_M)
        return np.array(
            [
                vx * math.cos(psi) - vy * math.sin(psi),
                vx * math.sin(psi) + vy * math.cos(psi),
                r,
                (u[1] - front * math.sin(u[0])) / MASS_KG + vy * r,
                (front * math.cos(u[0]) + rear) / MASS_KG - vx * r,
                (TO_FRONT_M * front * math.cos(u[0]) - TO_REAR_M * rear) / YAW_INERTIA_KGM2,
            ]
        )

    def side(self, alpha: float, stiffness: float, load: float) -> float:
        """Side force of an axle [N]."""
        peak = self.mu * load
        return -peak * math.sin(1.3 * math.atan(stiffness / (1.3 * peak) * alpha))


class LaneMpc:
    """Linear MPC of the lateral motion: a least-squares problem a period; its first input acts."""

    def __init__(self) -> None:
        self.last_delta = 0.0

    def solve(self, obs: Mapping[str, Any]) -> list[float]:
        """Return [delta, Fx] for an observation; reads X, Y, psi, vx, vy and r of it."""
        n, speed = HORIZON_N, max(obs["vx"], 1.0)
        a, b = discrete(speed)
        state = np.array([obs["Y"], obs["psi"], obs["vy"], obs["r"]])
        free, forced = np.zeros((n, 4)), np.zeros((n, 4, n))
        effect = np.zeros((4, n))
        for k in range(n):
            effect = a @ effect
            effect[:, k] += b
            state = a @ state
            free[k], forced[k] = state, effect
        ahead = [obs["X"] + speed * PERIOD_S * (k + 1) for k in range(n)]
        wanted_y = np.array([path_y(x) for x in ahead])
        heading = np.array([(path_y(x + 0.5) - path_y(x - 0.5)) for x in ahead])
        change = np.eye(n) - np.eye(n, k=-1)
        last = np.zeros(n)
        last[0] = self.last_delta
        rows = np.vstack(
            [
                Y_WEIGHT * forced[:, 0],
                HEADING_WEIGHT * forced[:, 1],
                STEERING_WEIGHT * np.eye(n),
                CHANGE_WEIGHT * change,
            ]
        )
        targets = np.concatenate(
            [
                Y_WEIGHT * (wanted_y - free[:, 0]),
                HEADING_WEIGHT * (heading - free[:, 1]),
                np.zeros(n),
                CHANGE_WEIGHT * last,
            ]
        )
        deltas = np.linalg.lstsq(rows, targets, rcond=None)[0]
        self.last_delta = float(np.clip(deltas[0], -0.3, 0.3))
        return [self.last_delta, 2.0 * MASS_KG * (SPEED_MPS - obs["vx"])]


def discrete(speed: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the linear single track of [Y, psi, vy, r] over one period, exact for a held angle."""
    sum_n = FRONT_N_PER_RAD + REAR_N_PER_RAD
    moment = TO_FRONT_M * FRONT_N_PER_RAD - TO_REAR_M * REAR_N_PER_RAD
    turning = TO_FRONT_M**2 * FRONT_N_PER_RAD + TO_REAR_M**2 * REAR_N_PER_RAD
    rate = np.zeros((5, 5))
    rate[0, 1], rate[0, 2], rate[1, 3] = speed, 1.0, 1.0
    rate[2, 2:] = (
        -sum_n / (MASS_KG * speed),
        -moment / (MASS_KG * speed) - speed,
        FRONT_N_PER_RAD / MASS_KG,
    )
    rate[3, 2:] = (
        -moment / (YAW_INERTIA_KGM2 * speed),
        -turning / (YAW_INERTIA_KGM2 * speed),
        TO_FRONT_M * FRONT_N_PER_RAD / YAW_INERTIA_KGM2,
    )
    whole, term = np.eye(5), np.eye(5)
    for k in range(1, 25):  # the exponential series
        term = term @ rate * PERIOD_S / k
        whole = whole + term
    return whole[:4, :4], whole[:4, 4]


def path_y(x: float) -> float:
    """Return the middle of the lane to be in: half a cosine from one to the next [m]."""
    share = min(max((x - CHANGE_M[0]) / (CHANGE_M[1] - CHANGE_M[0]), 0.0), 1.0)
    return LANE_M * (0.5 - 0.5 * math.cos(math.pi * share))


def main() -> None:
    """Close the loop and print how well the lane was kept."""
    plant = SingleTrackPlant(mu=MU, control_dt=PERIOD_S)
    mpc = LaneMpc()
    obs = plant.reset([0.0, 0.0, 0.0, SPEED_MPS, 0.0, 0.0])
    worst = 0.0
    for _ in range(round(END_S / PERIOD_S)):
        obs = plant.step(mpc.solve(obs))
        worst = max(worst, abs(obs["Y"] - path_y(obs["X"])))
    print(
        f"{type(plant).__name__}: {worst:.2f} m off the path at most, "
        f"{abs(obs['Y'] - LANE_M):.3f} m at the end, at {obs['vx']:.1f} m/s"
    )


if __name__ == "__main__":
    main()
