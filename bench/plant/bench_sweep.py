"""What a sweep costs besides its manoeuvres, and how that grows: 10 to 10 000 cheap runs.

Each size runs in a process of its own, by the command itself, with files, table, page and pictures.
Printed for each, in processor time: a run in a plain loop over the same manoeuvre, a run of the
sweep, the same command once more for a sweep that is finished; and the peak memory. Targets: from
the last size but one to the last a further run costs at most 1.3 times what it costs from the one
before, and at most 3 kB.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from vdsim_plant.cli import sweep
from vdsim_plant.study.sweep.parts import run_part
from vdsim_plant.study.sweep.plan import read_plan

SPEED_MPS = 2.0
MOST_PLAIN_PARTS = 50
MOST_GROWTH = 1.3
MOST_BYTES = 3000.0
TEXT = """
manoeuvres: {{straight_brake: {{speed_mps: {speed}}}}}
parameters:
  body.mass_kg: {{low: 1800, high: 2400}}
  tyre.rolling_resistance: {{low: 0.01, high: 0.02}}
seeds: {runs}
"""


def main() -> int:
    """Print the table; return 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 100, 1000, 10_000])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--scheduler", help="as that of vdsim_sweep")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    given = [] if options.scheduler is None else ["--scheduler", options.scheduler]
    given += ["--workers", str(options.workers)]
    if options.one is not None:
        print(json.dumps(_measured(options.one, given)))
        return 0
    return _table(options.sizes, given)


def _table(sizes: list[int], given: list[str]) -> int:
    print(f"{'runs':>7} {'plain':>9} {'sweep':>9} {'besides':>9} {'resume':>9} {'peak':>8}")
    print(f"{'':>7} {'ms/run':>9} {'ms/run':>9} {'ms/run':>9} {'ms/run':>9} {'MB':>8}")
    rows = []
    for runs in sizes:
        command = [sys.executable, __file__, "--one", str(runs), *given]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found = json.loads(done.stdout)
        rows.append(found)
        plain, each, resume = found["plain_ms"], found["sweep_ms"], found["resume_ms"]
        print(
            f"{runs:>7} {plain:>9.3f} {each:>9.3f} {each - plain:>9.3f} {resume:>9.3f} "
            f"{found['peak_mb']:>8.1f}",
            flush=True,
        )
    if len(rows) < 3:
        return 0
    small, middle, large = rows[-3:]
    growth = _further_ms(middle, large) / _further_ms(small, middle)
    more = (large["peak_mb"] - middle["peak_mb"]) * 1e6 / (large["runs"] - middle["runs"])
    for one, other in ((small, middle), (middle, large)):
        plain = 0.5 * (one["plain_ms"] + other["plain_ms"])
        each = _further_ms(one, other)
        print(f"a further run up to {other['runs']}: {each:.2f} ms, {each / plain:.2f} plain runs")
    print(f"growth {growth:.2f} (target {MOST_GROWTH})")
    print(f"memory of a further run: {more:.0f} bytes (target {MOST_BYTES:.0f})")
    return int(growth > MOST_GROWTH or more > MOST_BYTES)


def _further_ms(small: dict[str, float], large: dict[str, float]) -> float:
    """What each of the runs costs that a larger sweep has more."""
    took_ms = large["sweep_ms"] * large["runs"] - small["sweep_ms"] * small["runs"]
    return took_ms / (large["runs"] - small["runs"])


def _used_s() -> float:
    """Processor time of this process and its workers that have ended."""
    found = os.times()
    return found.user + found.system + found.children_user + found.children_system


def _measured(runs: int, given: list[str]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sweep.yaml"
        file.write_text(TEXT.format(speed=SPEED_MPS, runs=runs), encoding="utf-8")
        plan = read_plan(file)
        parts_n = min(plan.parts_n, MOST_PLAIN_PARTS)
        run_part(plan.part(0))  # compiles
        began = _used_s()
        plain_runs = sum(len(run_part(plan.part(number))) for number in range(parts_n))
        plain_s = _used_s() - began
        command = [str(file), "--out", str(Path(folder) / "out"), *given]
        taken = []
        for _ in range(2):
            began = _used_s()
            with contextlib.redirect_stdout(io.StringIO()):
                assert sweep.main(command) == 0
            taken.append(_used_s() - began)
    return {
        "runs": runs,
        "plain_ms": 1e3 * plain_s / plain_runs,
        "sweep_ms": 1e3 * taken[0] / runs,
        "resume_ms": 1e3 * taken[1] / runs,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }


if __name__ == "__main__":
    raise SystemExit(main())
