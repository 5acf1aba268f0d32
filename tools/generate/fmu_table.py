"""The table of an FMU's variables in docs/fmu.md."""

from __future__ import annotations

from vdsim_plant.fmu.variables import LARGEST, WHEELS, Variable, variables_of
from vdsim_plant.vehicle import Vehicle

from generate.tables import table


def variables_table() -> str:
    """Inputs, parameters and outputs; one row for the four wheels, none for the constants."""
    head = ("variable", "causality", "unit", "allowed", "meaning")
    return table(head, map(_row, filter(_is_shown, variables_of(Vehicle()))))


def _is_shown(item: Variable) -> bool:
    return item.variability != "constant" and not item.name.endswith(
        tuple(f"_{wheel}" for wheel in WHEELS[1:])
    )


def _row(item: Variable) -> tuple[str, ...]:
    first = f"_{WHEELS[0]}"
    name = f"`{item.name}`"
    doc = item.doc
    if item.name.endswith(first):
        name = f"`{item.name}`, `_fr`, `_rl`, `_rr`"
        doc = doc.removeprefix("FL: ").replace(" the wheel FL", " a wheel")
    return name, item.causality, item.unit or "-", _allowed(item), doc


def _allowed(item: Variable) -> str:
    if item.settable == 0:
        return "-"
    if item.most < LARGEST:
        return f"{item.least:g} to {item.most:g}"
    return f">= {item.least:g}" if item.least > -LARGEST else "finite"


PARTS = {"fmu variables": variables_table}
