"""A single track whose axles saturate: a controller's own plant, which VDSimPlant replaces.

X, Y, psi in the world (ENU), vx, vy, r in the body (ISO 8855); slip angles in rad, stiffness in
N/rad of an axle, the side force F = D sin(C atan(alpha stiffness / (C D))) with D = mu Fz, C = 1.3.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

CRUISE = (0.0, 0.0, 0.0, 16.7, 0.0, 0.0)


def lane_change(amplitude_rad: float = 0.03, periods: int = 60) -> list[tuple[float, float]]:
    """One sine of steering in 2 s, then straight on."""
    return [
        (amplitude_rad * math.sin(math.pi * 0.05 * k) if k < 40 else 0.0, 0.0)
        for k in range(periods)
    ]


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
