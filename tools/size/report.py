"""The text of `./ws size`."""

from __future__ import annotations

from pathlib import Path

from size.figures import (
    EXTRAS,
    MAX_LINES,
    MAX_METHODS,
    MAX_MODULES,
    Figure,
    House,
    figures,
    large_parts,
)
from size.plan import plan_of


def report(root: Path) -> str:
    """The figures with their goals, the rooms of the interface by floor, and large parts."""
    house = House(root)
    rows = [
        (figure.name, f"{figure.value:g}", f"{figure.goal:g}", _held(figure))
        for figure in figures(house)
    ]
    lines = [_row(("figure", "now", "goal", "held")), *map(_row, rows), ""]
    plan = plan_of(house.without("vdsim_interface", EXTRAS))
    for floor in range(plan.height, 0, -1):
        rooms = sorted(room for room, on in plan.floors.items() if on == floor)
        lines.append(f"interface core, floor {floor}: {' '.join(rooms)}")
    lines += [f"arrow upward: {a} -> {b}" for a, b in sorted(plan.upward)]
    lines += ["", f"above {MAX_METHODS} methods, {MAX_MODULES} modules or {MAX_LINES} lines:"]
    lines += [f"  {part}" for part in large_parts(house)]
    return "\n".join(lines)


def _held(figure: Figure) -> str:
    return "-" if figure.held is None else f"{figure.held:g}"


def _row(cells: tuple[str, ...]) -> str:
    name, *numbers = cells
    return f"{name:<42}" + "".join(f"{number:>9}" for number in numbers)
