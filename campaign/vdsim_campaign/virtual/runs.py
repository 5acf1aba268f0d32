"""`./ws campaign --virtual`: cells on virtual time, each in a world of its own."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby, starmap

from vdsim_campaign import results
from vdsim_campaign.boundaries import is_virtual
from vdsim_campaign.cells import Cell, cells_named, every_cell, quick_cells
from vdsim_campaign.report import line
from vdsim_campaign.result import Result
from vdsim_campaign.virtual.session import run


def chosen(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of a command line; a ValueError names what there is not."""
    for seed in range(options.seed, options.seed + options.seeds):
        if options.cell:
            cells = cells_named(options.cell, seed)
        else:
            cells = quick_cells(seed) if options.cells == "quick" else every_cell(seed)
        yield from filter(is_virtual, cells)


def judged(cells: Iterable[tuple[Cell, str]], jobs_n: int) -> Iterator[Result]:
    """Run cells into what the car does, in their order."""
    with ExitStack() as stack:
        if jobs_n == 1:
            yield from starmap(run, cells)
            return
        pool = stack.enter_context(multiprocessing.get_context("fork").Pool(jobs_n))
        yield from pool.imap(_run, cells)


def _run(cell: tuple[Cell, str]) -> Result:
    return run(*cell)


def run_cells(options: argparse.Namespace) -> int:
    """Run what a command line asks for; 0 when everything held."""
    phases = results.INTO if options.into == "all" else (options.into,)
    try:
        cells = [(cell, into) for into in phases for cell in chosen(options)]
    except ValueError as error:
        print(f"campaign: {error}", file=sys.stderr)
        return 2
    if options.list:
        print("\n".join(f"{cell.name:<56}{into:<8} {cell.fault.text}" for cell, into in cells))
        return 0
    broken_n = 0
    for into, of_phase in groupby(cells, lambda each: each[1]):
        runs = []
        for result in judged(of_phase, options.jobs):
            print(line(result, verbose=options.verbose, into=into), flush=True)
            runs.append(results.run_of(result))
            broken_n += bool(result.broken)
        if options.store:
            known = results.load(results.VIRTUAL)
            made = results.merged(known.get(into, {}), runs)
            results.store(results.VIRTUAL, {**known, into: made})
    print(f"{len(cells)} cells judged on virtual time, {broken_n} broken")
    return 1 if broken_n else 0
