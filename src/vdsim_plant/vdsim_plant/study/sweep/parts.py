"""The parts of a sweep: what one worker does, and how all of them become files.

A part's file appears by a rename, whole or not at all, so that a sweep that was killed goes on
where it was. A part's content depends on its cases alone, not on who ran it or when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vdsim_plant.parameters import ParameterError
from vdsim_plant.study.manoeuvres.catalogue import MANOEUVRES, metrics
from vdsim_plant.study.sweep.cases import Car, Case, Part, Row, changed_car, row_of
from vdsim_plant.study.sweep.files import write_part
from vdsim_plant.study.sweep.plan import Plan

Work = Callable[[Part], list[Row]]
Finished = tuple[int, list[Row]]
"""Number of a part, its rows."""


@dataclass(frozen=True)
class Runner:
    """Runs parts. `run` asks for a part when there is room for one, and stores none."""

    about: str
    """For the user: what the parts run on."""
    run: Callable[[Iterator[Part], Work], Iterator[Finished]]


def run_part(part: Part) -> list[Row]:
    """Drive the cases of a part; a manoeuvre that a car cannot do leaves its error in the row."""
    return [{**row_of(case), **_outcome(case, part.cars[case.vehicle])} for case in part.cases]


def _outcome(case: Case, car: Car) -> Row:
    try:
        vehicle, tyre = changed_car(car, case.parameters)
        result = MANOEUVRES[case.manoeuvre].run(vehicle, tyre=tyre, mu=case.mu, **case.options)
    except ParameterError as error:
        return {"error": str(error)}
    except ArithmeticError as error:  # of a metric: the car did not do what it measures
        return {"error": f"{case.manoeuvre}: no result: {error}"}
    return {f"{case.manoeuvre}.{name}": value for name, value in metrics(result).items()}


def run_parts(
    folder: Path, plan: Plan, left: Sequence[int], runner: Runner, work: Work = run_part
) -> Iterator[int]:
    """Run the parts that are left; yield how many of them are done, after each one."""
    for done, (number, rows) in enumerate(runner.run(map(plan.part, left), work), start=1):
        write_part(folder, number, rows)
        yield done
