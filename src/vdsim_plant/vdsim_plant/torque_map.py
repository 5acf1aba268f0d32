"""The torque of a car's motor at its wheels, and a map from wanted torque to throttle."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from vdsim_plant.parameters import VehicleParameters

TORQUE_STEP_NM = 250
SPEED_STEP_KPH = 5
TOP_SPEED_KPH = 200
KPH_TO_MPS = 1.0 / 3.6


def torque_map_lines(vehicle: VehicleParameters) -> Iterator[str]:
    """Give the lines of the CSV file."""
    largest = int(wheel_torque_nm(vehicle, 0.0) / TORQUE_STEP_NM + 1) * TORQUE_STEP_NM
    yield f"# Torque map of the motor of {vehicle.name}, made by vdsim_torque_map."
    yield "torque_Nm,speed_kph,throttle"
    for speed_kph in range(0, TOP_SPEED_KPH + 1, SPEED_STEP_KPH):
        available = wheel_torque_nm(vehicle, speed_kph * KPH_TO_MPS)
        for torque in range(0, largest + 1, TORQUE_STEP_NM):
            percent = 100.0 if torque >= available else 100.0 * torque / available
            yield f"{torque},{speed_kph},{percent:.3f}"


def wheel_torque_nm(vehicle: VehicleParameters, speed_mps: float) -> float:
    """Full-throttle torque of all wheels [N m] while they roll without slip."""
    drivetrain = vehicle.drivetrain
    motor_radps = speed_mps / vehicle.wheels.radius_m * drivetrain.gear_ratio
    return _between(drivetrain.motor_torque_curve, motor_radps) * (
        drivetrain.gear_ratio * drivetrain.efficiency
    )


def _between(curve: tuple[tuple[float, float], ...], at: float) -> float:
    """Linear between the curve's points; nothing beyond the last one."""
    if at <= curve[0][0]:
        return curve[0][1]
    for (x0, y0), (x1, y1) in pairwise(curve):
        if at <= x1:
            return y0 + (y1 - y0) * (at - x0) / (x1 - x0)
    return 0.0
