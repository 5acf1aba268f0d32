"""What the tests of the plant share: drives, a reference bicycle, energy, a fresh process."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from vdsim_plant.vehicle import Vehicle

from vdsim_plant import Observation, VDSimPlant

PACKAGE_ROOT = Path(__file__).resolve().parents[1]
FRICTIONS = (0.05, 0.1, 0.3, 0.5, 0.9, 1.2)
CRUISE = (0.0, 0.0, 0.0, 16.7, 0.0, 0.0)


def drive(
    plant: VDSimPlant, inputs: Iterable[tuple[float, float]], state0: Iterable[float] = CRUISE
) -> list[Observation]:
    """Reset, hold each input for a period, return all observations."""
    seen = [plant.reset(list(state0))]
    seen += [plant.step(list(u)) for u in inputs]
    return seen


def lane_change(amplitude_rad: float = 0.03, periods: int = 60) -> list[tuple[float, float]]:
    """One sine of steering in 2 s, then straight on."""
    return [
        (amplitude_rad * math.sin(math.pi * 0.05 * k) if k < 40 else 0.0, 0.0)
        for k in range(periods)
    ]


def column(seen: list[Observation], key: str) -> NDArray[np.float64]:
    """Return one quantity of the car over time."""
    return np.array([dict(obs)[key] for obs in seen], dtype=np.float64)


def wheels(seen: list[Observation], key: str) -> NDArray[np.float64]:
    """Return one quantity of the wheels over time, n x 4."""
    return np.array([[dict(wheel)[key] for wheel in obs["wheel"]] for obs in seen])


def circle_use(seen: list[Observation]) -> NDArray[np.float64]:
    """Return |F| - mu Fz [N] of each wheel over time: 0 at the limit, never above."""
    force = np.hypot(wheels(seen, "Fx"), wheels(seen, "Fy"))
    return force - wheels(seen, "mu") * wheels(seen, "Fz")


def kinetic_energy_j(vehicle: Vehicle) -> float:
    """Return the energy of body and wheels."""
    m = vehicle.motion()
    body = vehicle.parameters.body
    wheel = vehicle.parameters.wheels
    inertias = (wheel.inertia_front_kgm2,) * 2 + (wheel.inertia_rear_kgm2,) * 2
    return 0.5 * (
        body.mass_kg * (m.vx_mps**2 + m.vy_mps**2)
        + body.yaw_inertia_kgm2 * m.yaw_rate_radps**2
        + sum(j * w**2 for j, w in zip(inertias, m.wheel_spin_radps, strict=True))
    )


def bicycle(
    inputs: Iterable[tuple[float, float]], *, mu: float = 0.9, dt: float = 0.05
) -> NDArray[np.float64]:
    """Run the client's single-track model (axle values, saturating tyre) with RK4; rows of state.

    States X, Y, psi, vx, vy, r, as a controller's own plant would have them.
    """
    mass, inertia, front, rear = 2359.0, 3400.0, 1.17, 1.80
    stiffness = {front: 2.2e5, rear: 1.6e5}

    def side(alpha: float, arm: float, load: float) -> float:
        peak = mu * load
        shape = 1.3
        return -peak * math.sin(shape * math.atan(stiffness[arm] / (shape * peak) * alpha))

    def slope(s: NDArray[np.float64], u: tuple[float, float]) -> NDArray[np.float64]:
        _, _, psi, vx, vy, r = s
        weight = mass * 9.80665
        fy_f = side(math.atan2(vy + front * r, vx) - u[0], front, weight * rear / (front + rear))
        fy_r = side(math.atan2(vy - rear * r, vx), rear, weight * front / (front + rear))
        c, sn = math.cos(psi), math.sin(psi)
        return np.array(
            [
                vx * c - vy * sn,
                vx * sn + vy * c,
                r,
                (u[1] - fy_f * math.sin(u[0])) / mass + vy * r,
                (fy_f * math.cos(u[0]) + fy_r) / mass - vx * r,
                (front * fy_f * math.cos(u[0]) - rear * fy_r) / inertia,
            ]
        )

    state = np.array(CRUISE)
    rows = [state]
    step = dt / 10.0
    for u in inputs:
        for _ in range(10):
            k1 = slope(state, u)
            k2 = slope(state + 0.5 * step * k1, u)
            k3 = slope(state + 0.5 * step * k2, u)
            k4 = slope(state + step * k3, u)
            state = state + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        rows.append(state)
    return np.array(rows)


def in_fresh_process(code: str, **environment: str) -> str:
    """Run Python code in a process of its own and return what it printed."""
    changed: Mapping[str, str] = {**os.environ, "PYTHONPATH": str(PACKAGE_ROOT), **environment}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=dict(changed), check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
