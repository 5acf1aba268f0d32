"""The table of the five acceptance points in docs/plant.md: what the drives give.

The bits are the same on every machine and so are the figures; the time of a drive is not, so the
page states its bound and `vdsim_acceptance` prints it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from vdsim_plant.study.accuracy.acceptance import results, table


@cache
def acceptance_table() -> str:
    """The table, or a RuntimeError when a point is missed."""
    found = results()
    missed = [result.point for result in found if not result.passed]
    if missed:
        raise RuntimeError(f"missed: {', '.join(missed)}")
    return table(found)


PARTS: Mapping[str, Callable[[], str]] = {"acceptance": acceptance_table}
