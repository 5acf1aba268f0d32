"""Cells: a fault in a composition, with the values that a seed draws. No I/O."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from vdsim_campaign.faults import FAULTS, Fault


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One trial to make. The same seed and name give the same values, whatever else runs."""

    fault: Fault
    composition: str
    process: str
    """The process that the fault hits; empty: none alone."""
    seed: int

    @property
    def place(self) -> str:
        """Where it runs: the composition, or COMPOSITION.PROCESS."""
        return f"{self.composition}.{self.process}" if self.process else self.composition

    @property
    def name(self) -> str:
        """FAULT.COMPOSITION, or FAULT.COMPOSITION.PROCESS."""
        return f"{self.fault.name}.{self.place}"

    @property
    def command(self) -> str:
        """The command that repeats it."""
        return f"./ws campaign --seed {self.seed} --cell {self.name}"

    def draws(self, what: str) -> random.Random:
        """A random stream of its own for one purpose."""
        return random.Random(f"{self.seed}/{self.name}/{what}")

    @property
    def values(self) -> Mapping[str, float | str]:
        """The fixed and the drawn values of the injector."""
        drawn = {
            name: self.draws(name).uniform(*bounds) for name, bounds in self.fault.draws.items()
        }
        return MappingProxyType({**self.fault.given, **drawn})

    @property
    def lasts_s(self) -> float:
        """How long the fault lasts."""
        return self.draws("lasts_s").uniform(*self.fault.lasts_s)

    @property
    def waits_s(self) -> float:
        """How long the car cruises before: the fault meets any phase of the period."""
        return self.draws("waits_s").uniform(0.2, 0.5)


@dataclass
class OfCell:
    """What an injector asks of the cell that runs, with real processes and on virtual time."""

    cell: Cell

    def value(self, name: str) -> float:
        """A value of the injector."""
        return float(self.cell.values[name])

    def word(self, name: str) -> str:
        """A word of the injector."""
        return str(self.cell.values[name])

    @property
    def random(self) -> random.Random:
        """The injector's random stream."""
        return self.cell.draws("inject")


def every_cell(seed: int) -> list[Cell]:
    """Every fault in every composition and process for which it is made."""
    return [
        Cell(fault=fault, composition=composition, process=process, seed=seed)
        for fault in FAULTS
        for composition in fault.compositions
        for process in fault.processes.get(composition, () if fault.processes else ("",))
    ]


def quick_cells(seed: int) -> list[Cell]:
    """Those that run in `./ws test`."""
    return [cell for cell in every_cell(seed) if cell.place in cell.fault.quick]


def cells_named(words: Sequence[str], seed: int) -> list[Cell]:
    """The cells of names or of the beginnings of names (`FAULT`, `FAULT.COMPOSITION`).

    Raises ValueError for a word that names none.
    """
    found: list[Cell] = []
    cells = every_cell(seed)
    for word in words:
        matching = [c for c in cells if c.name == word or c.name.startswith(f"{word}.")]
        if not matching:
            raise ValueError(f"cell={word}: no such cell; ./ws campaign list shows all")
        found += [cell for cell in matching if cell not in found]
    return found


def groups(cells: Sequence[Cell], seed: int) -> list[list[Cell]]:
    """Cells that share one launch: by composition; the seed gives their order.

    The roads come last, each with the cells that need it, as a plant of its own is started for it.
    """
    made: list[list[Cell]] = []
    for composition in dict.fromkeys(cell.composition for cell in cells):
        group = [cell for cell in cells if cell.composition == composition]
        random.Random(f"{seed}/{composition}").shuffle(group)
        roads = list(dict.fromkeys(cell.fault.road for cell in group))
        roads.sort(key=lambda road: road != "flat")
        made.append([cell for road in roads for cell in group if cell.fault.road == road])
    return made
