"""`vdsim_sweep`: manoeuvres over parameters and seeds, on all cores.

    vdsim_sweep sweep.yaml --out results

A sweep that was stopped or killed goes on when the same command runs again. The results are the
same bits whatever the number of workers.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from vdsim_plant.cli.console import finish
from vdsim_plant.manoeuvres.panels import save_figure
from vdsim_plant.parameters import ParameterError
from vdsim_plant.sweep.files import Row, prepare, write_whole
from vdsim_plant.sweep.parts import run_parts
from vdsim_plant.sweep.plan import Plan, read_plan
from vdsim_plant.sweep.results import (
    SUMMARY_FILE,
    all_rows,
    figure_of,
    has_pyarrow,
    picture_of,
    summary,
    write_results,
)

PROGRAM = "vdsim_sweep"
MOST_WORKERS = 1024
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 after one line about what is wrong."""
    options = _parser().parse_args(arguments)
    try:
        return finish(PROGRAM, lambda: _run(options))
    except KeyboardInterrupt:
        print(f"\n{PROGRAM}: stopped; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("sweep", type=Path, metavar="SWEEP.YAML", help="what to drive")
    add("--out", type=Path, required=True, help="folder of the results; an old one goes on")
    add("--workers", type=int, default=os.cpu_count() or 1, help="processes (one a core)")
    add("--csv", action="store_true", help="results as CSV even where pyarrow is installed")
    return parser


def _run(options: argparse.Namespace) -> None:
    if not 1 <= options.workers <= MOST_WORKERS:
        raise ParameterError("--workers", f"={options.workers}: must be 1 to {MOST_WORKERS}")
    plan = read_plan(options.sweep)
    prepare(options.out, plan)
    for done, parts in run_parts(options.out, plan, options.workers):
        _progress(done, parts, len(plan.cases))
    rows = all_rows(options.out, plan)
    parquet = has_pyarrow() and not options.csv
    results = write_results(options.out, rows, parquet=parquet)
    pictures = _pictures(options.out, rows, plan)
    write_whole(options.out / SUMMARY_FILE, summary(rows, plan, pictures))
    failed = sum("error" in row for row in rows)
    print(f"{PROGRAM}: {len(rows)} cases, {failed} without a result: {results}")


def _progress(done: int, parts: int, cases: int) -> None:
    """Show one line that changes; where output is no terminal, a line for each tenth."""
    text = f"{PROGRAM}: {done} of {parts} parts ({cases} cases)"
    if sys.stdout.isatty():
        print(f"\r{text}", end="\n" if done == parts else "", flush=True)
    elif done == parts or done * 10 // parts > (done - 1) * 10 // parts:
        print(text, flush=True)


def _pictures(out: Path, rows: Sequence[Row], plan: Plan) -> list[str]:
    """Draw one picture a manoeuvre; none without matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        return []
    pictures = []
    for manoeuvre in dict.fromkeys(row["manoeuvre"] for row in rows):
        figure = figure_of([row for row in rows if row["manoeuvre"] == manoeuvre], plan)
        if figure is not None:
            try:
                save_figure(figure, out / picture_of(manoeuvre))
            except OSError as error:
                raise ParameterError("--out", f"cannot be written: {error.strerror}") from None
            pictures.append(picture_of(manoeuvre))
    return pictures


if __name__ == "__main__":
    raise SystemExit(main())
