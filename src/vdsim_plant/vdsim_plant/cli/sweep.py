"""`vdsim_sweep`: manoeuvres over parameters and seeds, on all cores or a cluster.

    vdsim_sweep sweep.yaml --out results
    vdsim_sweep sweep.yaml --out results --scheduler tls://cluster.example:8786

A sweep that was stopped or killed goes on when the same command runs again. The results are the
same bits whatever runs them.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from vdsim_plant.cli.console import finish
from vdsim_plant.parameters import ParameterError
from vdsim_plant.study.manoeuvres.panels import save_figure
from vdsim_plant.study.sweep import cluster, pool
from vdsim_plant.study.sweep.files import all_rows, missing_parts, prepare, write_whole
from vdsim_plant.study.sweep.parts import Runner, run_parts
from vdsim_plant.study.sweep.plan import Plan, read_plan
from vdsim_plant.study.sweep.results import has_pyarrow, write_results
from vdsim_plant.study.sweep.summary import SUMMARY_FILE, figure_of, picture_of, summary
from vdsim_plant.study.sweep.table import Table, table_of

PROGRAM = "vdsim_sweep"
MOST_WORKERS = 1024
NO_CLUSTER = "none"
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
    add("--workers", type=int, help="processes of this machine (one a core)")
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="Dask scheduler to run on, tcp://HOST:PORT or tls://HOST:PORT; none: never Dask "
        "(a cluster of this machine's own where Dask is installed, else a pool of processes)",
    )
    add("--csv", action="store_true", help="results as CSV even where pyarrow is installed")
    return parser


def _run(options: argparse.Namespace) -> None:
    workers = _workers(options)
    plan = read_plan(options.sweep)
    prepare(options.out, plan)
    left = missing_parts(options.out, plan)
    before = plan.parts_n - len(left)
    with _runner(options.scheduler, min(workers, len(left))) as runner:
        print(f"{PROGRAM}: {len(plan.cases)} cases, run by {runner.about}", flush=True)
        _progress(before, plan.parts_n)
        for done in run_parts(options.out, plan, left, runner):
            _progress(before + done, plan.parts_n)
    table = table_of(all_rows(options.out, plan))
    parquet = has_pyarrow() and not options.csv
    results = write_results(options.out, all_rows(options.out, plan), table, parquet=parquet)
    pictures = _pictures(options.out, table, plan)
    write_whole(options.out / SUMMARY_FILE, summary(table, plan, pictures))
    print(f"{PROGRAM}: {table.rows_n} cases, {table.failed_n} without a result: {results}")


def _workers(options: argparse.Namespace) -> int:
    """Return how many processes of this machine may run parts."""
    workers: int = (os.cpu_count() or 1) if options.workers is None else options.workers
    if not 1 <= workers <= MOST_WORKERS:
        raise ParameterError("--workers", f"={workers}: must be 1 to {MOST_WORKERS}")
    if options.workers is not None and options.scheduler not in (None, NO_CLUSTER):
        raise ParameterError("--workers", f"={workers}: must be left out with --scheduler")
    return workers


def _runner(scheduler: str | None, workers: int) -> AbstractContextManager[Runner]:
    """Return what runs the parts that are left; `workers`: 0 where none is."""
    if workers and scheduler is not None and scheduler != NO_CLUSTER:
        return cluster.cluster_at(scheduler)
    if workers <= 1:
        return nullcontext(pool.in_this_process())
    if scheduler is None and cluster.is_installed():
        return cluster.own_cluster(workers)
    return nullcontext(pool.on_processes(workers))


def _progress(done: int, parts: int) -> None:
    """Show one line that changes; where output is no terminal, a line for each tenth."""
    text = f"{PROGRAM}: {done} of {parts} parts"
    if sys.stdout.isatty():
        print(f"\r{text}", end="\n" if done == parts else "", flush=True)
    elif done == parts or done * 10 // parts > (done - 1) * 10 // parts:
        print(text, flush=True)


def _pictures(out: Path, table: Table, plan: Plan) -> list[str]:
    """Draw one picture a manoeuvre; none without matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        return []
    pictures = []
    for manoeuvre, group in table.groups.items():
        figure = figure_of(group, plan)
        if figure is not None:
            try:
                save_figure(figure, out / picture_of(manoeuvre))
            except OSError as error:
                raise ParameterError("--out", f"cannot be written: {error.strerror}") from None
            pictures.append(picture_of(manoeuvre))
    return pictures


if __name__ == "__main__":
    raise SystemExit(main())
