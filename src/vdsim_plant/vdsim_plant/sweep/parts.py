"""Runs the parts of a sweep on processes; each finished part is a file.

A part's file appears by a rename, whole or not at all, so that a sweep that was killed goes on
where it was. A part's content depends on its cases alone, not on who ran it or when.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from threading import Thread

from vdsim_plant.manoeuvres.catalogue import MANOEUVRES, metrics
from vdsim_plant.parameters import ParameterError
from vdsim_plant.sweep.files import Row, part_rows, write_part
from vdsim_plant.sweep.plan import Case, Plan, car_of_case, row_of

Work = Callable[[Sequence[Case]], list[Row]]
MOST_ATTEMPTS = 3
"""Losses of a worker in a row, without a finished part between, that end a sweep."""


def run_part(cases: Sequence[Case]) -> list[Row]:
    """Drive the cases of a part; a manoeuvre that a car cannot do leaves its error in the row."""
    return [{**row_of(case), **_outcome(case)} for case in cases]


def _outcome(case: Case) -> Row:
    try:
        vehicle, tyre = car_of_case(case)
        result = MANOEUVRES[case.manoeuvre].run(vehicle, tyre=tyre, mu=case.mu, **case.options)
    except ParameterError as error:
        return {"error": str(error)}
    except ArithmeticError as error:  # of a metric: the car did not do what it measures
        return {"error": f"{case.manoeuvre}: no result: {error}"}
    return {f"{case.manoeuvre}.{name}": value for name, value in metrics(result).items()}


def run_parts(
    folder: Path, plan: Plan, workers: int, work: Work = run_part
) -> Iterator[tuple[int, int]]:
    """Run what is not done; yield (parts done, all parts) at the start and after each one."""
    parts = plan.parts
    left = [number for number in range(len(parts)) if part_rows(folder, plan, number) is None]
    yield len(parts) - len(left), len(parts)
    attempts = 0
    while left:
        before = len(left)
        try:
            for number, rows in _finished(parts, left, workers, work):
                write_part(folder, number, rows)
                left = [other for other in left if other != number]
                yield len(parts) - len(left), len(parts)
        except BrokenProcessPool:
            attempts = attempts + 1 if len(left) == before else 1
            if attempts == MOST_ATTEMPTS:
                raise ParameterError(
                    "workers", f"={workers}: one ended {attempts} times without a result"
                ) from None


def _finished(
    parts: Sequence[Sequence[Case]], left: Sequence[int], workers: int, work: Work
) -> Iterator[tuple[int, list[Row]]]:
    if workers == 1:
        for number in left:
            yield number, work(parts[number])
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(
        min(workers, len(left)), mp_context=context, initializer=_end_with_parent
    )
    try:
        futures = {pool.submit(work, parts[number]): number for number in left}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _end_with_parent() -> None:
    """End this worker when the sweep itself was killed; its pipes alone do not show that."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    Thread(target=wait, daemon=True).start()
