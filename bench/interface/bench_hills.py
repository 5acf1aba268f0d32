"""Starts, speeds and stops on hills: the interface and the plant in lockstep, over packets.

On the wire that reports the pedals in effect (VDS1 from version 5) and on the one that does not.
A cell: stand on a grade, drive at a speed until it is steady, stop, stand. Goals and terms are in
docs/hills.md. Cells that need more than 0.8 of what tyres, splits, motor and brakes can do are not
judged; they print what they need. Ends with 1 when a cell misses a goal.

    ./ws bench interface/hills [--car NAME] [--actuator passenger_car] [--mu 0.9 0.3] [--wire 5]
                               [--quick] [--page docs/hills.md]
"""

import argparse
import sys
from collections import Counter
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test"))

from vdsim_kit.hill_cell import (  # noqa: E402
    Cell,
    Result,
    drive_cell,
    jerk_goal_mps3,
    judged,
    needs,
    stop_goal_m,
    tolerance_mps,
)

GRADES = (-0.3, -0.2, -0.1, -0.05, 0.0, 0.05, 0.1, 0.2, 0.3)
SPEEDS = (0.05, 0.2, 1.0, 5.0, 20.0)
TOP_SPEED_MPS = {"scale_car": 10.0}
CARS = ("ioniq5_awd", "compact_fwd", "sport_rwd", "scale_car")
BEGIN, END = "<!-- measured: hills -->\n", "<!-- end of measured -->"
VERSIONS = (3, 5)
HEAD = (
    "| car, actuators, friction, wire | cells | met | rollback | speed error | overshoot "
    "| stop / goal | jerk / goal | drift | not possible |\n" + 10 * "|---" + "|"
)


def main() -> int:
    """Drive the cells; print a line each and the table; 1 when a goal is missed."""
    options = parsed()
    rows, missed = [], []
    rigs = product(options.car, options.actuator, options.mu, options.wire)
    for car, actuator, mu, version in rigs:
        cells, refused = [], Counter[str]()
        for grade, speed in product(options.grades, options.speeds):
            if speed > TOP_SPEED_MPS.get(car, speed):
                continue
            cell = Cell(car, grade, speed, mu, actuator, version)
            lacks = needs(cell)
            if lacks:
                refused[f"{grade:+.0%}: needs {lacks}"] += 1
                print(f"{described(cell)}: not possible: needs {lacks}")
                continue
            result = drive_cell(cell)
            names = judged(cell, result)
            print(f"{described(cell)}: {figures(cell, result)} {' '.join(names)}", flush=True)
            cells.append((cell, result))
            missed += [(cell, names)] if names else []
        rows.append(row(f"{car}, {actuator}, {mu:g}, {version}", cells, refused))
    table = "\n".join((HEAD, *rows))
    print(f"\n{table}\n")
    for cell, names in missed:
        print(f"missed: {described(cell)}: {', '.join(names)}")
    if options.page:
        page = Path(options.page)
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        page.write_text(f"{before}{BEGIN}{table}\n{END}{after}", encoding="utf-8")
    return 1 if missed else 0


def described(cell: Cell) -> str:
    """Name a cell."""
    what = f"{cell.car} {cell.actuator} mu {cell.mu:g} wire {cell.version}"
    return f"{what} {cell.grade:+.0%} {cell.speed_mps:g} m/s"


def figures(cell: Cell, result: Result) -> str:
    """The figures of a cell, with its goals."""
    goal_m = stop_goal_m(cell, max(result.stopped_from_mps, 0.0))
    return (
        f"rollback {result.rollback_m:.3f} m, error {result.steady_error_mps:.3f} m/s, "
        f"overshoot {result.overshoot_mps:.3f} m/s, stop {result.stop_m:.2f} of {goal_m:.2f} m, "
        f"drift {result.drift_m:.4f} m, jerk {result.jerk_mps3:.1f} m/s3"
    )


def row(name: str, cells: list[tuple[Cell, Result]], refused: Counter[str]) -> str:
    """One row of the table: the worst of its cells."""
    if not cells:
        return f"| {name} | 0 | 0 | | | | | | | {lacking(refused)} |"
    met = sum(not judged(cell, result) for cell, result in cells)
    results = [result for _, result in cells]
    error = max(result.steady_error_mps / tolerance_mps(cell) for cell, result in cells)
    stop = max(
        result.stop_m / (stop_goal_m(cell, max(result.stopped_from_mps, 0.0)) + 0.02)
        for cell, result in cells
    )
    jerk = max(result.jerk_mps3 / jerk_goal_mps3(cell) for cell, result in cells)
    return (
        f"| {name} | {len(cells)} | {met} | {max(r.rollback_m for r in results):.3f} m "
        f"| {error:.0%} of its goal | {max(r.overshoot_mps for r in results):.2f} m/s "
        f"| {stop:.0%} | {jerk:.0%} | {max(r.drift_m for r in results):.3f} m "
        f"| {lacking(refused)} |"
    )


def lacking(refused: Counter[str]) -> str:
    """What the cells need that are not possible, by grade."""
    grades = Counter(text.partition(":")[0] for text in refused.elements())
    return ", ".join(f"{grade} ({count})" for grade, count in grades.items()) or "none"


def parsed() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(prog="./ws bench interface/hills")
    parser.add_argument("--car", nargs="+", default=list(CARS))
    parser.add_argument("--actuator", nargs="+", default=["ideal", "passenger_car"])
    parser.add_argument("--mu", nargs="+", type=float, default=[1.0, 0.6, 0.3])
    parser.add_argument("--wire", nargs="+", type=int, default=list(VERSIONS))
    parser.add_argument("--grades", nargs="+", type=float, default=list(GRADES))
    parser.add_argument("--speeds", nargs="+", type=float, default=list(SPEEDS))
    parser.add_argument("--quick", action="store_true", help="few cells, in a minute")
    parser.add_argument("--page", help="write the table into this page")
    options = parser.parse_args()
    if options.quick:
        options.car, options.actuator, options.mu = ["ioniq5_awd"], ["ideal"], [0.9]
        options.grades, options.speeds = [-0.2, 0.0, 0.2], [0.2, 4.0]
    return options


if __name__ == "__main__":
    sys.exit(main())
