"""The error of a substep: the table of docs/plant.md.

    python bench/plant/bench_accuracy.py [--drives 40] [--car ioniq5_awd ...] [--tyre NAME]

Random drives of 3 s, inputs held for 0.4 s, on friction 0.4 and 0.9, with three substeps. The error
is that of the place and the heading at the end, against Richardson extrapolation from 10 us and
20 us. No time is measured and every bit is the same everywhere, so the table is too.

Ends with 1 when a target is missed: what 0.5 ms reached with the first version of the equations
(backward Euler for the spins, loads one substep late) has to be reached with 1 ms.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "src" / "vdsim_plant"))

from vdsim_plant.accuracy import HARD, MODERATE, ErrorRow, error_rows, error_table  # noqa: E402

CARS = ("ioniq5_awd", "sport_rwd")
SUBSTEPS_S = (5e-4, 1e-3, 2e-3)
DRIVES = 40
# (car, kind) -> median and 90th percentile [mm] of the first version at 0.5 ms, over 40 drives
FIRST_VERSION_MM = {
    ("ioniq5_awd", "hard"): (19.47, 59.8),
    ("ioniq5_awd", "moderate"): (1.85, 8.7),
    ("sport_rwd", "hard"): (8.78, 62.5),
    ("sport_rwd", "moderate"): (1.49, 11.9),
}
TARGET_SUBSTEP_S = 1e-3


def missed(car: str, row: ErrorRow) -> list[str]:
    """Return what a row misses of the target."""
    limits = FIRST_VERSION_MM.get((car, row.kind.name))
    if limits is None or row.substep_s > TARGET_SUBSTEP_S:
        return []
    return [
        f"{car}, {row.kind.name}, {1e3 * row.substep_s:g} ms: {name} {value:.2f} mm > {limit:g} mm"
        for name, value, limit in (
            ("median", row.position_mm(50.0), limits[0]),
            ("90th percentile", row.position_mm(90.0), limits[1]),
        )
        if value > limit
    ]


def main() -> int:
    """Print the table, compare with the targets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--drives", type=int, default=DRIVES)
    parser.add_argument("--car", nargs="+", default=CARS, help="presets or vehicle files")
    parser.add_argument("--tyre", help="preset or file; default: each car's own")
    options = parser.parse_args()
    tables = {
        car: error_rows(car, options.tyre, (HARD, MODERATE), SUBSTEPS_S, options.drives)
        for car in options.car
    }
    print("\n".join(error_table(tables)))
    if options.tyre is not None or options.drives != DRIVES:
        return 0
    found = [line for car, rows in tables.items() for row in rows for line in missed(car, row)]
    for line in found:
        print(f"missed: {line}")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
