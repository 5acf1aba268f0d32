"""Cars of another project as foreign cars: CommonRoad's multi-body model of 29 states.

Its authors know nothing of the identification; the drive and the test of its axles are ours. Needs
commonroad-vehicle-models. Its logs are of steering and speed: the model takes an acceleration, and
no torque of a wheel.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vehiclemodels.init_mb import init_mb
from vehiclemodels.vehicle_dynamics_mb import vehicle_dynamics_mb
from vehiclemodels.vehicle_parameters import setup_vehicle_parameters

Array = NDArray[np.float64]
STEP_S = 1e-3
FOLLOWS_S = 0.02  # its steering, behind the angle asked for
NAMES = {1: "Ford Escort", 2: "BMW 320i", 3: "VW Vanagon"}


def parameters_of(number: int) -> Any:
    """Return a vehicle's parameters, as published, with a steering as fast as it is asked to be."""
    p = setup_vehicle_parameters(number)
    p.steering.v_max, p.steering.v_min = 100.0, -100.0
    return p


def driven(p: Any, steer: Array, push: Array, period_s: float, start: float) -> dict[str, Array]:
    """Drive by angles [rad] and accelerations [m/s2]; every channel without noise."""
    x = np.array(init_mb([0.0, 0.0, 0.0, start, 0.0, 0.0, 0.0], p))
    x[8] = -(x[16] - x[21]) / (p.a + p.b)  # springs unloaded: its equilibrium
    x[11] = x[16] + p.a * x[8]
    rows: list[list[float]] = []
    steps = round(period_s / STEP_S)
    for angle, pushed in zip(steer.tolist(), push.tolist(), strict=True):
        for k in range(steps):
            u = [(angle - x[2]) / FOLLOWS_S, pushed]
            rate = np.array(vehicle_dynamics_mb(x.tolist(), u, p))
            if k == 0:
                turn = x[5] * x[3]
                ay = p.m_s * (rate[10] + turn) + p.m_uf * (rate[15] + turn)
                ay = (ay + p.m_ur * (rate[20] + turn)) / p.m
                rows.append([x[2], x[3], x[10], x[5], ay])
            x = x + STEP_S * rate
    names = ("steer_rad", "vx_mps", "vy_mps", "yaw_rate_radps", "ay_mps2")
    columns = dict(zip(names, np.array(rows).T.copy(), strict=True))
    columns["time_s"] = period_s * np.arange(len(steer))
    return columns


def others_log(number: int, *, seconds: float = 120.0, noise: float = 0.02) -> dict[str, Array]:
    """Return a log of steering and speed, 50 Hz: sweeps, steps and bends, up to about 4 m/s2.

    Harder ones end the model, by a division by 0 when a wheel lifts.
    """
    p = parameters_of(number)
    rng = np.random.default_rng(70 + number)
    rows = round(seconds / 0.02)
    time_s = 0.02 * np.arange(rows)
    speed = 18.0 + 4.0 * np.sin(2.0 * math.pi * time_s / 60.0)
    push = np.gradient(speed, time_s) + 0.1
    wheelbase = p.a + p.b
    per_ay = wheelbase / speed**2 + 0.0025
    part = (time_s // 8.0).astype(int) % 3
    inside = time_s % 8.0
    sweep = np.sin(2.0 * math.pi * (0.2 * inside + 0.5 * 2.0 * inside**2 / 8.0))
    steps = np.array([0.0, 1.0, 0.0, -1.0])[(inside / 2.0).astype(int) % 4]
    bends = np.sin(2.0 * math.pi * inside / 8.0) + 0.3 * np.sin(2.0 * math.pi * 0.9 * time_s)
    size = np.repeat(rng.uniform(1.5, 3.5, 1 + int(seconds // 8.0)), 400)[:rows]
    steer = size * per_ay * np.choose(part, [sweep, steps, bends])
    columns = driven(p, steer, push, 0.02, float(speed[0]))
    columns.pop("vy_mps")
    for name, values in columns.items():
        if name != "time_s":
            values += rng.normal(0.0, noise * float(np.sqrt(np.mean(values**2))), rows)
    return columns


def others_truth(number: int) -> dict[str, float]:
    """Return what a test of the car measures: axles in a slow turn at 20 m/s and about 0.1 g."""
    p = parameters_of(number)
    steer = np.full(500, 0.1 * 9.81 * ((p.a + p.b) / 400.0 + 0.0025))
    columns = driven(p, steer, np.full(500, 0.0), 0.02, 20.0)
    vx, vy, r, angle = (
        float(columns[name][-1]) for name in ("vx_mps", "vy_mps", "yaw_rate_radps", "steer_rad")
    )
    front_slip = angle - math.atan((vy + p.a * r) / vx)
    rear_slip = -math.atan((vy - p.b * r) / vx)
    force = p.m * vx * r / (p.a + p.b)
    front, rear = force * p.b / front_slip, force * p.a / rear_slip
    return {
        "understeer_gradient": p.m / (p.a + p.b) * (p.b / front - p.a / rear),
        "body.mass_kg": p.m,
        "body.cg_to_front_axle_m": p.a,
        "wheelbase": p.a + p.b,
        "body.yaw_inertia_kgm2": p.I_z,
        "axles.cornering_stiffness_front_n_per_rad": front,
        "axles.cornering_stiffness_rear_n_per_rad": rear,
        "road.mu": p.tire.p_dy1,
        "steering.angle_scale": 1.0,
        "steering.offset_rad": 0.0,
        "actuator.steering.delay_s": 0.0,
        "actuator.steering.lag_s": 0.0,
    }
