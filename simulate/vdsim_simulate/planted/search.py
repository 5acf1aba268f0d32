"""Defects that are planted in memory, to see that seeds find them: `./ws simulate --planted all`.

Each row (rows.py) replaces functions of the product for as long as its seeds run. What is
found is any oracle that breaks; the time is that of one core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from vdsim_simulate.draw import scene_of
from vdsim_simulate.oracles import Violation
from vdsim_simulate.planted.patches import Patch, Planted
from vdsim_simulate.runs import outcome_of
from vdsim_simulate.steering import steered

Clock = Callable[[], float]


class Found(NamedTuple):
    """What found a planted defect. `took_s`: processor time."""

    seeds_n: int
    seed: int
    took_s: float
    violation: Violation | None


@contextmanager
def planted(row: Planted) -> Iterator[None]:
    """Replace, and put back."""
    with ExitStack() as stack:
        for patch in row.patches:
            stack.enter_context(_replaced(patch))
        yield


@contextmanager
def _replaced(patch: Patch) -> Iterator[None]:
    before = patch.owner.__dict__[patch.name]
    setattr(patch.owner, patch.name, patch.make(before))
    try:
        yield
    finally:
        setattr(patch.owner, patch.name, before)


def find(row: Planted, most_s: float, clock: Clock, first_seed: int = 0) -> Found:
    """Run seeds until an oracle breaks or the time of `clock` is over."""
    began_s = clock()
    seeds = steered(range(first_seed, 1_000_000_000), row.composition, row.platform)
    for seeds_n, seed in enumerate(seeds, start=1):
        scene = scene_of(seed, row.composition, row.platform)
        with planted(row):
            violations = outcome_of(scene).violations
        if violations:  # what breaks without it, too, is not what was planted
            anyway = {violation.oracle for violation in outcome_of(scene).violations}
            violations = tuple(v for v in violations if v.oracle not in anyway)
        took_s = clock() - began_s
        if violations or took_s > most_s:
            return Found(seeds_n, seed, took_s, violations[0] if violations else None)
    raise AssertionError("there are always more seeds")
