"""What a car can do on a hill: from its tyres, its splits, its motor and its brakes alone.

Nothing here knows the interface. Each axle's force is at most friction times its load, and the load
moves with the force: front load = m g cos b/L - h F/L. The first axle that reaches its limit ends
what is possible without lock or spin (open differentials, fixed splits).
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

from vdsim_plant.parameters import GRAVITY_MPS2, VehicleParameters, load_tyre, load_vehicle

USABLE = 0.8
"""Share of what is possible that a cell may need; what needs more is not judged."""


class HillLimits(NamedTuple):
    """Forces over mass at the wheels [m/s2], all positive. `weight`: gravity along the road."""

    drive: float
    brake: float
    weight: float
    resistance: float


def hill_limits(car: str, grade: float, mu: float, speed_mps: float) -> HillLimits:
    """What drive and brakes can do on a grade at a speed, and what works on the car."""
    known = load_vehicle(car)
    mass, normal = known.body.mass_kg, GRAVITY_MPS2 / math.hypot(1.0, grade)
    aero = known.aero
    pressure = 0.5 * aero.air_density_kgpm3 * aero.frontal_area_m2 * speed_mps * speed_mps
    rolling = load_tyre(known.axles.tyre).rolling_resistance
    return HillLimits(
        drive=min(
            _grip(known, normal, mu, known.drivetrain.drive_split_front, 1.0),
            motor_force_n(known, speed_mps) / mass,
        ),
        brake=min(
            _grip(known, normal, mu, known.brakes.front_share, -1.0),
            known.brakes.max_torque_nm / known.wheels.radius_m / mass,
        ),
        weight=normal * abs(grade),
        resistance=rolling * normal + pressure * aero.drag_coefficient / mass,
    )


def motor_force_n(known: VehicleParameters, speed_mps: float) -> float:
    """The force at the wheels with full throttle [N]."""
    train, radius = known.drivetrain, known.wheels.radius_m
    turning = speed_mps / radius * train.gear_ratio
    curve = list(train.motor_torque_curve)
    torque = 0.0
    for (low, torque_low), (high, torque_high) in pairwise(curve):
        if low <= turning <= high:
            torque = torque_low + (torque_high - torque_low) * (turning - low) / (high - low)
    return torque * train.gear_ratio * train.efficiency / radius


def _grip(
    known: VehicleParameters, normal: float, mu: float, front_share: float, sense: float
) -> float:
    """Largest force over mass [m/s2] before an axle slips; `sense` +1 drive, -1 brake."""
    body = known.body
    arm = sense * mu * body.cg_height_m / body.wheelbase_m
    front = mu * normal * body.cg_to_rear_axle_m / body.wheelbase_m
    rear = mu * normal * body.cg_to_front_axle_m / body.wheelbase_m
    limits = []
    if front_share > 0.0 and front_share + arm > 0.0:
        limits.append(front / (front_share + arm))
    if front_share < 1.0 and 1.0 - front_share - arm > 0.0:
        limits.append(rear / (1.0 - front_share - arm))
    return min(limits)
