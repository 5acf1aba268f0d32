"""`python -m vdsim_plant.cli.steer_sweep`: drives a car of the library in steady bends.

The output is CSV on stdout, one row a sample: speed_mps, front_wheel_angle_rad, yaw_rate_radps.
`vdsim_calibrate` fits the understeer gradient to it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from vdsim_plant.cli.console import finish
from vdsim_plant.steer_sweep import steer_sweep
from vdsim_plant.vehicle import Vehicle


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 after one line about what is wrong."""
    parser = argparse.ArgumentParser(prog="vdsim_steer_sweep", description=__doc__)
    parser.add_argument("vehicle", help="preset name or path of a vehicle file")
    parser.add_argument("--top-speed", type=float, default=25.0, help="[m/s], default 25")
    options = parser.parse_args(arguments)
    return finish("vdsim_steer_sweep", lambda: _print_sweep(options.vehicle, options.top_speed))


def _print_sweep(vehicle: str, top_speed_mps: float) -> None:
    car = Vehicle(vehicle)
    print(f"# wheelbase_m: {car.parameters.body.wheelbase_m:g}")
    print("speed_mps,front_wheel_angle_rad,yaw_rate_radps")
    for speed, angle, rate in steer_sweep(car, top_speed_mps):
        print(f"{speed:.4f},{angle:.6f},{rate:.6f}")


if __name__ == "__main__":
    sys.exit(main())
