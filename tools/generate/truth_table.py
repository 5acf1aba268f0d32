"""The table of docs/truth.md: figures of the plant against laws and second implementations.

Rounding differs by nothing between machines, so the figures are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vdsim_plant.study.accuracy.claim import table
from vdsim_plant.study.accuracy.dossier import claims


def truth_table() -> str:
    """The table, or a RuntimeError when a figure is out of its bound."""
    found = claims()
    missed = [claim.what for claim in found if not claim.passed]
    if missed:
        raise RuntimeError(f"out of bound: {', '.join(missed)}")
    return table(found)


PARTS: Mapping[str, Callable[[], str]] = {"truth": truth_table}
