"""`vdsim_pedal_sweep`: drives a car of the library through its pedals and prints what it did.

Each pedal is held from standstill upwards and from the top speed downwards, on level ground. The
output is CSV on stdout, one row a sample: speed_mps, pedal (-1 full brake, 0 coasting, 1 full
throttle), accel_mps2. `vdsim_calibrate` makes a pedal map of it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from vdsim_plant.cli.console import finish
from vdsim_plant.pedal_sweep import sweep
from vdsim_plant.vehicle import Vehicle


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 after one line about what is wrong."""
    parser = argparse.ArgumentParser(prog="vdsim_pedal_sweep", description=__doc__)
    parser.add_argument("vehicle", help="preset name or path of a vehicle file")
    parser.add_argument("--top-speed", type=float, default=40.0, help="[m/s], default 40")
    options = parser.parse_args(arguments)
    return finish("vdsim_pedal_sweep", lambda: _print_sweep(options.vehicle, options.top_speed))


def _print_sweep(vehicle: str, top_speed_mps: float) -> None:
    samples = list(sweep(Vehicle(vehicle), top_speed_mps))
    print("speed_mps,pedal,accel_mps2")
    for speed, pedal, accel in samples:
        print(f"{speed:.4f},{pedal:g},{accel:.5f}")


if __name__ == "__main__":
    sys.exit(main())
