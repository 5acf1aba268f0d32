"""The table of docs/side-by-side.md: figures of this plant beside those that were read from VDSim.

The time of a drive is not the same on every machine, so the page states its bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vdsim_plant.study.accuracy.side_by_side import rows, table


def side_by_side_table() -> str:
    """The table, or a RuntimeError when a figure is not as the page claims."""
    found = rows()
    missed = [row.what for row in found if not row.passed]
    if missed:
        raise RuntimeError(f"not as claimed: {', '.join(missed)}")
    return table(found)


PARTS: Mapping[str, Callable[[], str]] = {"side by side": side_by_side_table}
