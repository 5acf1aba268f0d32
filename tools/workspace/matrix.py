"""Where vdsim was tried: the cells of docs/where-it-runs.md, from where_it_runs.json; no process.

A cell is a distribution of ROS 2 (or none), where that comes from, a Python and a machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).with_name("where_it_runs.json")
RESULTS = {
    "passes": "all tests of that row pass",
    "drives": "set-up, launch and a drive work; the tests were not run, or not all pass",
    "fails": "does not work; what was seen is below the table",
}
NOT_TRIED = "not tried"
IMPOSSIBLE = "–"
WITHOUT_ROS = "none"


@dataclass(frozen=True)
class Cell:
    """One combination."""

    ros: str  # "jazzy"; "none": the parts that need no ROS 2
    origin: str  # "wheels" or "installed"; a sourced ROS 2 is an installed one
    python: str  # "3.11"
    machine: str  # "x86_64"

    @property
    def title(self) -> str:
        """For people."""
        machine = matrix().machines.get(self.machine, self.machine)
        where = "from wheels" if self.origin == "wheels" else "installed"
        ros = "without ROS 2" if self.ros == WITHOUT_ROS else f"{self.ros} {where}"
        return f"{ros}, Python {self.python}, {machine}"


@dataclass(frozen=True)
class Tried:
    """What was seen in one cell."""

    cell: Cell
    result: str
    seen: str


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """The whole table."""

    pythons: tuple[str, ...]
    machines: Mapping[str, str]
    distros: Mapping[str, tuple[str, bool]]  # name -> Python of its packages, wheels exist
    wheel_machines: tuple[str, ...]
    tried: tuple[Tried, ...]

    def find(self, cell: Cell) -> Tried | None:
        """What was seen there; None when nobody tried."""
        return next((entry for entry in self.tried if entry.cell == cell), None)

    def exists(self, cell: Cell) -> bool:
        """Whether there is such a ROS 2 for that Python and machine."""
        if cell.python not in self.pythons or cell.machine not in self.machines:
            return False
        if cell.ros == WITHOUT_ROS:
            return True
        if cell.ros not in self.distros:
            return False
        python, wheels = self.distros[cell.ros]
        if cell.origin == "wheels":
            return wheels and cell.machine in self.wheel_machines
        return cell.python == python

    def word(self, cell: Cell) -> str:
        """The text of the cell in the table."""
        entry = self.find(cell)
        if entry is not None:
            return entry.result
        return NOT_TRIED if self.exists(cell) else IMPOSSIBLE


@cache
def matrix() -> Matrix:
    """Read where_it_runs.json."""
    return parse(json.loads(DATA.read_text(encoding="utf-8")))


def parse(content: Mapping[str, Any]) -> Matrix:
    """The table from its file's content; ValueError names an entry that does not fit."""
    made = Matrix(
        pythons=tuple(content["pythons"]),
        machines=dict(content["machines"]),
        distros={d["name"]: (d["installed_python"], d["wheels"]) for d in content["distros"]},
        wheel_machines=tuple(content["wheel_machines"]),
        tried=tuple(
            Tried(Cell(e["ros"], e["origin"], e["python"], e["machine"]), e["result"], e["seen"])
            for e in content["tried"]
        ),
    )
    for entry in made.tried:
        if not made.exists(entry.cell) or entry.result not in RESULTS:
            raise ValueError(f"where_it_runs.json: tried: {entry.cell}, {entry.result}: no cell")
    if len({entry.cell for entry in made.tried}) != len(made.tried):
        raise ValueError("where_it_runs.json: tried: a cell is there twice")
    return made


def doctor_line(cell: Cell) -> str:
    """The line of `./ws doctor`: which cell this is, and whether it was tried."""
    entry = matrix().find(cell)
    if entry is None:
        return f"{cell.title}: {NOT_TRIED}, see docs/where-it-runs.md"
    return f"{cell.title}: {entry.result} ({RESULTS[entry.result]})"
