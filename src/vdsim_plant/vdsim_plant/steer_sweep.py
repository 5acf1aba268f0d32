"""Drives a car in steady bends and samples its yaw rate: the data of an understeer gradient.

Each speed is held while the wheel angle grows in steps up to a lateral acceleration, on level
ground.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from vdsim_plant.motion import InitialState
from vdsim_plant.vehicle import Vehicle

LATERAL_MPS2 = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5)
SETTLE_S = 3.0
STEP_S = 0.01
SPEEDS_N = 6
SLOWEST_MPS = 5.0
KP_N_PER_MPS_KG = 2.0
"""Force per mass and speed error [N s/(m kg)] that holds the speed."""

SteerSample = tuple[float, float, float]


def steer_sweep(vehicle: Vehicle, top_speed_mps: float) -> Iterator[SteerSample]:
    """Give samples (speed [m/s], road wheel angle [rad], yaw rate [rad/s])."""
    length_m = vehicle.parameters.body.wheelbase_m
    mass_kg = vehicle.parameters.body.mass_kg
    for number in range(SPEEDS_N):
        share = number / (SPEEDS_N - 1)
        speed = SLOWEST_MPS + share * max(top_speed_mps - SLOWEST_MPS, 0.0)
        for lateral in LATERAL_MPS2:
            angle = math.atan(length_m * lateral / (speed * speed))
            if angle > vehicle.parameters.steering.max_angle_rad:
                continue
            vehicle.reset(InitialState(vx_mps=speed))
            integral = 0.0
            for _ in range(round(SETTLE_S / STEP_S)):
                error = speed - vehicle.motion().vx_mps
                integral += error * STEP_S
                force = mass_kg * KP_N_PER_MPS_KG * (error + 0.5 * integral)
                vehicle.step_force(angle, force, STEP_S)
            motion = vehicle.motion()
            yield motion.vx_mps, angle, motion.yaw_rate_radps
