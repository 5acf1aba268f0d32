"""`python -m vdsim_plant.cli.torque_map VEHICLE`: the torque map of a car, for `vdsim_torque_map`.

CSV on stdout, one row a point: torque_Nm at the wheels together, speed_kph, throttle in %. A torque
that the motor does not have at that speed is 100 %.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from vdsim_plant.cli.console import finish
from vdsim_plant.parameters import load_vehicle
from vdsim_plant.torque_map import torque_map_lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 after one line about what is wrong."""
    parser = argparse.ArgumentParser(prog="vdsim_torque_map", description=__doc__)
    parser.add_argument("vehicle", help="preset name or path of a vehicle file")
    options = parser.parse_args(arguments)
    return finish(
        "vdsim_torque_map",
        lambda: print("\n".join(torque_map_lines(load_vehicle(options.vehicle)))),
    )


if __name__ == "__main__":
    sys.exit(main())
