"""A friction map as a grid of cells, from an array or from CSV text."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground.limits import MU_MAX, MU_MIN, ParameterError, checked_mu, checked_number
from vdsim_plant.parameters.input_file import csv_rows as rows_of


@dataclass(frozen=True, eq=False)
class MuGrid:
    """Square cells of friction: values[row, column], column along x, row along y (upwards).

    (x0_m, y0_m) is the outer corner of cell [0, 0]. A cell that is NaN, and everything outside,
    has the friction of the ground below. `smooth` interpolates between the centres of cells.
    """

    values: NDArray[np.float64]
    cell_m: float
    x0_m: float = 0.0
    y0_m: float = 0.0
    smooth: bool = False

    def __post_init__(self) -> None:
        for key in ("cell_m", "x0_m", "y0_m"):
            object.__setattr__(self, key, checked_number(key, getattr(self, key)))
        if self.cell_m <= 0.0:
            raise ParameterError("cell_m", f"={self.cell_m:g}: must be > 0")
        try:
            values = np.array(self.values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError("values", "must be rows of numbers of equal length") from None
        if values.ndim != 2 or values.size == 0:
            raise ParameterError("values", f"has shape {values.shape}: must be rows and columns")
        known = ~np.isnan(values)
        wrong = np.argwhere(known & ~((values >= MU_MIN) & (values <= MU_MAX)))
        if len(wrong):
            row, column = wrong[0]
            checked_mu(f"values[{row}][{column}]", float(values[row, column]))
        values.setflags(write=False)
        object.__setattr__(self, "values", values)


def grid_from_csv(
    content: str, *, cell_m: float, x0_m: float = 0.0, y0_m: float = 0.0, smooth: bool = False
) -> MuGrid:
    """Read a grid from CSV text laid out like a map: the FIRST line is the row furthest north.

    An empty cell has the friction of the ground below. Lines starting with # are comments.
    """
    rows: list[list[float]] = []
    for number, cells in rows_of(content):
        if not cells or cells[0].lstrip().startswith("#"):
            continue
        row = [_cell(cell, number, column) for column, cell in enumerate(cells, start=1)]
        if rows and len(row) != len(rows[0]):
            raise ParameterError(
                f"line {number}", f"has {len(row)} cells: must have {len(rows[0])} as before"
            )
        rows.append(row)
    if not rows:
        raise ParameterError("grid", "has no rows")
    return MuGrid(values=np.array(rows[::-1]), cell_m=cell_m, x0_m=x0_m, y0_m=y0_m, smooth=smooth)


def _cell(cell: str, line: int, column: int) -> float:
    if not cell.strip():
        return math.nan
    try:
        value: object = float(cell)
    except ValueError:
        value = cell
    return checked_mu(f"line {line} column {column}", value)
