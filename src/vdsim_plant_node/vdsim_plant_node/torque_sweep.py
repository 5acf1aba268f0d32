"""`vdsim_torque_map`: prints the torque map of a car of the library, for the AutoHYU bridge.

CSV on stdout, one row a point: torque_Nm at the wheels together, speed_kph, throttle in %. A torque
that the motor does not have at that speed is 100 %.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise

from vdsim_plant.parameters import ParameterError, VehicleParameters, load_vehicle

TORQUE_STEP_NM = 250
SPEED_STEP_KPH = 5
TOP_SPEED_KPH = 200
KPH_TO_MPS = 1.0 / 3.6


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 after one line about what is wrong."""
    parser = argparse.ArgumentParser(prog="vdsim_torque_map", description=__doc__)
    parser.add_argument("vehicle", help="preset name or path of a vehicle file")
    options = parser.parse_args(arguments)
    try:
        vehicle = load_vehicle(options.vehicle)
    except ParameterError as error:
        print(f"vdsim_torque_map: {error}", file=sys.stderr)
        return 2
    print("\n".join(torque_map_lines(vehicle)))
    return 0


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


if __name__ == "__main__":
    sys.exit(main())
