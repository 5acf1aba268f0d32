"""What the page and the pictures need of all rows, in eight bytes a number; pure.

Rows come one after the other and are not kept, so that a sweep of any size can be summed up.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vdsim_plant.study.sweep.cases import Row

ERROR = "error"
SHOWN_ERRORS = 20
Kind = type[bool] | type[int] | type[float] | type[str]
_NOTHING = math.nan


class Column:
    """The values of one column in the rows of one manoeuvre."""

    def __init__(self, missing_n: int) -> None:
        """`missing_n`: rows before the first one that has the column."""
        self.numbers = array("d", [_NOTHING]) * missing_n
        self.names: dict[str, int] = {}
        """Texts by their number, where the values are text."""

    def add(self, value: float | str) -> None:
        """Append a row's value."""
        if isinstance(value, str):
            value = self.names.setdefault(value, len(self.names))
        self.numbers.append(value)

    def fill(self, rows_n: int) -> None:
        """Append what rows without this column have."""
        self.numbers.extend([_NOTHING] * (rows_n - len(self.numbers)))

    @property
    def is_text(self) -> bool:
        """Whether its values are text."""
        return bool(self.names)

    @property
    def known(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return the numbers that are there."""
        numbers = np.asarray(self.numbers, dtype=np.float64)
        return numbers[~np.isnan(numbers)]

    @property
    def changes(self) -> bool:
        """Whether two rows differ."""
        numbers = np.asarray(self.numbers, dtype=np.float64)
        known = numbers[~np.isnan(numbers)]
        return 0 < known.size < numbers.size or (known.size > 0 and known.min() != known.max())


@dataclass
class Group:
    """The rows of one manoeuvre."""

    manoeuvre: str
    rows_n: int = 0
    done_n: int = 0
    columns: dict[str, Column] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Take a row."""
        for name, value in row.items():
            if name not in (ERROR, "manoeuvre"):
                if name not in self.columns:
                    self.columns[name] = Column(self.rows_n)
                self.columns[name].fill(self.rows_n)
                self.columns[name].add(value)
        self.rows_n += 1
        self.done_n += ERROR not in row

    @property
    def metrics(self) -> list[str]:
        """Return the results that are numbers, in the order of the manoeuvre."""
        return [
            name
            for name, column in self.columns.items()
            if name.startswith(f"{self.manoeuvre}.") and not column.is_text
        ]


@dataclass
class Table:
    """All rows by manoeuvre, the kinds of all columns, the first errors."""

    rows_n: int = 0
    failed_n: int = 0
    kinds: dict[str, Kind] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    errors: list[Row] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Take a row."""
        for name, value in row.items():
            self.kinds[name] = _wider(self.kinds.get(name, type(value)), type(value))
        manoeuvre = row["manoeuvre"]
        self.groups.setdefault(manoeuvre, Group(manoeuvre)).add(row)
        self.rows_n += 1
        if ERROR in row:
            self.failed_n += 1
            if len(self.errors) < SHOWN_ERRORS:
                self.errors.append(row)

    @property
    def columns(self) -> list[str]:
        """Return the names of all columns: what a case is, its results, its error."""
        return [*(name for name in self.kinds if name != ERROR), ERROR]


def table_of(rows: Iterable[Row]) -> Table:
    """Return the table of rows, which may come from a generator."""
    table = Table()
    for row in rows:
        table.add(row)
    for group in table.groups.values():
        for column in group.columns.values():
            column.fill(group.rows_n)
    return table


def _wider(known: Kind, new: Kind) -> Kind:
    """Return the kind that holds both."""
    return float if {known, new} == {int, float} else known
