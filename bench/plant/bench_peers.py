"""CommonRoad's models beside this plant in one run: what a drive costs, and what holds the tyres.

    pip install commonroad-vehicle-models omegaconf; python bench/plant/bench_peers.py [--store]

One car after the other brakes at 7 m/s2 from 25 m/s while it turns its wheels by 0.06 rad, in Euler
steps of 0.5 ms (ours: 0.5 ms too). The acceleration is that of the car's velocity in the world,
over 50 ms; a road of friction mu cannot give more than mu g. `--store` writes bench/peers.json,
from which docs/side-by-side.md is made. The lane `commonroad` runs this.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from datetime import datetime, timezone
from itertools import pairwise
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src" / "vdsim_plant")]

import peers  # noqa: E402

from vdsim_plant import VDSimPlant  # noqa: E402

STORED = HERE.parent / "peers.json"
SPEED_MPS, STEER_RAD, DECEL_MPS2, GRAVITY = 25.0, 0.06, 7.0, 9.81
SAMPLE_S, SECONDS, STEP_S = 0.05, 1.5, 5e-4
OURS = "this plant, l2 in steps of 50 ms"
Drive = Callable[[], list[tuple[float, float]]]
"""Returns the velocity in the world [m/s], east and north, each SAMPLE_S."""


def our_drive(mu: float) -> Drive:
    """Return the drive of this plant's preset, on a road of that friction."""
    plant = VDSimPlant("ioniq5_awd", base_mu=mu, control_dt=SAMPLE_S, substep_dt=STEP_S)
    mass_kg = plant.vehicle.parameters.body.mass_kg

    def drive() -> list[tuple[float, float]]:
        plant.reset([0.0, 0.0, 0.0, SPEED_MPS, 0.0, 0.0])
        found = []
        for _ in range(round(SECONDS / SAMPLE_S)):
            obs = plant.step([STEER_RAD, -DECEL_MPS2 * mass_kg])
            c, s = math.cos(obs["psi"]), math.sin(obs["psi"])
            found.append((obs["vx"] * c - obs["vy"] * s, obs["vx"] * s + obs["vy"] * c))
        return found

    return drive


def friction_use(velocities: list[tuple[float, float]], mu: float) -> float:
    """Return the largest acceleration over what the road can give; more than 1 is impossible."""
    pairs = pairwise(velocities)
    most = max(math.hypot(b[0] - a[0], b[1] - a[1]) / SAMPLE_S for a, b in pairs)
    return most / (mu * GRAVITY)


def measured(rounds: int = 5) -> list[dict[str, Any]]:
    """Return a row for each car: its time for 5 s of driving, and how much friction it uses."""
    models, mu = peers.braking_in_a_bend(SPEED_MPS, STEER_RAD, DECEL_MPS2, SECONDS, SAMPLE_S)
    drives: dict[str, Drive] = {**models, OURS: our_drive(mu)}
    rows = []
    for name, drive in drives.items():
        drive()  # compiles
        taken = []
        for _ in range(rounds):
            began = time.process_time()
            velocities = drive()
            taken.append(time.process_time() - began)
        rows.append(
            {
                "name": name,
                "ms_of_5_s": 1e3 * statistics.median(taken) * 5.0 / SECONDS,
                "friction_use": friction_use(velocities, mu),
            }
        )
    return rows


def main() -> int:
    """Print the rows, and store them when asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", action="store_true", help=f"write {STORED.name}")
    options = parser.parse_args()
    rows = measured()
    for row in rows:
        print(
            f"{row['name']:<40}{row['ms_of_5_s']:9.1f} ms for 5 s, {row['friction_use']:.2f} mu g"
        )
    if options.store:
        content = {"date": datetime.now(timezone.utc).date().isoformat(), "rows": rows}
        STORED.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
