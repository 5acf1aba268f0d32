"""The tables of docs/simulate.md: faults, oracles, known defects."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vdsim_simulate.fault_table import FAULTS, Range
from vdsim_simulate.known import known_defects
from vdsim_simulate.oracles import ORACLES
from vdsim_simulate.scene import PLATFORMS

from generate.tables import table


def faults() -> str:
    """Each fault and the values that a seed draws."""
    rows = []
    for row in FAULTS.values():
        drawn = (f"{name} {_among(among)}" for name, among in row.ranges.items())
        only = "" if row.platforms == PLATFORMS else ", ".join(row.platforms)
        rows.append((f"`{row.name}`", row.text, ", ".join(drawn), only))
    return table(("fault", "what happens", "drawn", "only on"), rows)


def _among(among: Range) -> str:
    words = [value if isinstance(value, str) else f"{value:g}" for value in among]
    return (" or " if isinstance(among[0], str) else " to ").join(words)


def oracles() -> str:
    """Each oracle by the first line of its docstring."""
    rows = (
        (f"`{name}`", (check.__doc__ or "").partition("\n")[0]) for name, check in ORACLES.items()
    )
    return table(("oracle", "what must hold"), rows)


def defects() -> str:
    """Each known defect: what breaks it, and its state."""
    rows = (
        (
            f"`{row.name}`",
            row.what,
            f"`{row.oracle}`",
            f"{row.composition} {row.seed}",
            "mended" if row.mended else "open",
        )
        for row in known_defects()
    )
    return table(("defect", "what happens", "breaks", "seed", ""), rows)


PARTS: Mapping[str, Callable[[], str]] = {
    "simulator faults": faults,
    "simulator oracles": oracles,
    "simulator defects": defects,
}
