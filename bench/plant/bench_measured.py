"""A real car: identified on its slow lap, its fast lap predicted from steering and speed alone.

The folder, an argument or VDSIM_MEASURED, has cpg_slow_lap.mat and cpg_fast_lap.mat of
MPC-Berkeley/genesis_path_follower; without one nothing is run, and that is said. Target: less of
the fast lap's yaw rate is left than the published linear model leaves, whose scale and offset of
the steering are tuned on the slow lap, too. Beside it: tuned on the fast lap itself.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from pathlib import Path

from vdsim_plant.study.identify.prediction import prediction_figure, prediction_lines
from vdsim_plant.study.identify.report import table
from vdsim_plant.study.manoeuvres.panels import save_figure

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src" / "vdsim_plant"))
from vdsim_plant_kit.measured_laps import COMMIT, Published, compared


def main() -> int:
    """Print the figures; return 1 where the linear model is better."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", default=os.environ.get("VDSIM_MEASURED", ""))
    parser.add_argument("--picture", type=Path, help="where to draw the fast lap")
    options = parser.parse_args()
    if not options.folder:
        print("NOT RUN: no folder with the laps; VDSIM_MEASURED names it")
        return 0
    found = compared(Path(options.folder), Published())
    print(f"data: MPC-Berkeley/genesis_path_follower, commit {COMMIT}")
    print("\n".join(line for line in table(found.car) if "as given" not in line))
    for name, lap in (("fitted, slow", found.slow), ("fast lap, not fitted", found.fast)):
        print(f"{name}:")
        print("\n".join(prediction_lines(lap)))
    ours = math.degrees(found.fast["yaw_rate_radps"].rms)
    print(f"fast lap, yaw rate left: {ours:.3f} deg/s")
    for how, left in found.linear.items():
        print(f"    published linear model, steering {how}: {math.degrees(left):.3f} deg/s")
    print("fast lap, about the slow lap's mean:")
    for name, (left, linear, size) in found.beside.items():
        print(f"    {name}: {left:.3g} left of {size:.3g}, by the linear model {linear:.3g}")
    if options.picture is not None:
        yaw_rate = {"yaw_rate_radps": found.fast["yaw_rate_radps"]}
        save_figure(prediction_figure(yaw_rate), options.picture)
    return int(ours >= math.degrees(found.linear["tuned on the slow lap"]))


if __name__ == "__main__":
    raise SystemExit(main())
