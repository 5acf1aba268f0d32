"""HeightGrid: the height of the road above its plane, at the nodes of a grid; for level l3."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground.limits import ParameterError, checked_number
from vdsim_plant.parameters.input_file import csv_rows as rows_of

HEIGHT_MAX_M = 1000.0
SLOPE_MAX = 1.0
HEADER_SIZE = 5
ROWS, COLUMNS, X0, Y0, INVERSE_CELL = 0, 1, 2, 3, 4


@dataclass(frozen=True, eq=False)
class HeightGrid:
    """Heights above the road's plane: values[row, column] [m], column along x, row along y.

    Node [0, 0] is at (x0_m, y0_m), the next ones `cell_m` further. Between the nodes the height
    is interpolated in x and y; beyond the rim that of the nearest point of the rim goes on.
    """

    values: NDArray[np.float64]
    cell_m: float
    x0_m: float = 0.0
    y0_m: float = 0.0

    def __post_init__(self) -> None:
        for key in ("cell_m", "x0_m", "y0_m"):
            object.__setattr__(self, key, checked_number(key, getattr(self, key)))
        if not self.cell_m >= 0.001:
            raise ParameterError("cell_m", f"={self.cell_m:g}: must be >= 0.001 m")
        try:
            values = np.array(self.values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError("values", "must be rows of numbers of equal length") from None
        if values.ndim != 2 or min(values.shape) < 2:
            shape = values.shape
            raise ParameterError("values", f"has shape {shape}: must be 2 x 2 nodes or more")
        wrong = np.argwhere(~(np.abs(values) <= HEIGHT_MAX_M))
        if len(wrong):
            row, column = (int(place) for place in wrong[0])
            problem = f"={values[row, column]:g}: must be within +-{HEIGHT_MAX_M:g} m"
            raise ParameterError(f"values[{row}][{column}]", problem)
        steepest = max(float(np.abs(np.diff(values, axis=axis)).max()) for axis in (0, 1))
        if steepest > SLOPE_MAX * self.cell_m * (1.0 + 1e-9):
            problem = f"rise by {steepest:g} m within a cell of {self.cell_m:g} m: must be <= 100 %"
            raise ParameterError("values", problem)
        values.setflags(write=False)
        object.__setattr__(self, "values", values)

    def __repr__(self) -> str:
        digest = hash_of(self.values)
        return f"HeightGrid({digest}, cell_m={self.cell_m}, x0_m={self.x0_m}, y0_m={self.y0_m})"


def hash_of(values: NDArray[np.float64]) -> str:
    """Return what names the values in a fingerprint."""
    return f"{values.shape}, {hashlib.blake2b(values.tobytes(), digest_size=8).hexdigest()}"


def heights_from_csv(
    content: str, *, cell_m: float, x0_m: float = 0.0, y0_m: float = 0.0
) -> HeightGrid:
    """Read heights from CSV text, as `csv_rows` does."""
    return HeightGrid(values=csv_rows(content), cell_m=cell_m, x0_m=x0_m, y0_m=y0_m)


def csv_rows(content: str) -> NDArray[np.float64]:
    """Return rows from south to north of CSV text laid out like a map: its FIRST line is north.

    Lines starting with # are comments.
    """
    rows: list[list[float]] = []
    for number, cells in rows_of(content):
        if not cells or cells[0].lstrip().startswith("#"):
            continue
        row = [_cell(cell, number, column) for column, cell in enumerate(cells, start=1)]
        if rows and len(row) != len(rows[0]):
            problem = f"has {len(row)} cells: must have {len(rows[0])} as before"
            raise ParameterError(f"line {number}", problem)
        rows.append(row)
    if not rows:
        raise ParameterError("heights", "has no rows")
    return np.array(rows[::-1])


def _cell(cell: str, line: int, column: int) -> float:
    try:
        value: object = float(cell)
    except ValueError:
        value = cell
    return checked_number(f"line {line} column {column}", value)


def compile_heights(grid: HeightGrid | None) -> NDArray[np.float64]:
    """Return the array for `height_at`; without a grid the plane itself."""
    if grid is None:
        return np.zeros(HEADER_SIZE + 2)  # two heights: what a cell of no columns reads
    header = np.zeros(HEADER_SIZE)
    header[ROWS], header[COLUMNS] = grid.values.shape
    header[X0], header[Y0] = grid.x0_m, grid.y0_m
    header[INVERSE_CELL] = 1.0 / grid.cell_m
    return np.concatenate([header, grid.values.ravel()])


def height_at(x: float, y: float, arrays: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return height [m] and rise along x and y at a world point. The core compiles it."""
    columns = arrays[COLUMNS]
    place, u, v, scale_x, scale_y = cell_of(
        x, y, arrays[ROWS], columns, arrays[X0], arrays[Y0], arrays[INVERSE_CELL]
    )
    south = HEADER_SIZE + int(place)
    north = south + int(columns)
    return height_in(
        arrays[south], arrays[south + 1], arrays[north], arrays[north + 1], u, v, scale_x, scale_y
    )


def cell_of(
    x: float, y: float, rows: float, columns: float, x0: float, y0: float, scale: float
) -> tuple[float, float, float, float, float]:
    """Return where a point is: number of the cell's south-west corner, shares of the cell, scales.

    The scales [1/m] turn differences over the cell into rises: 0 beyond the rim. Without branches,
    for the lanes of a block.
    """
    along = (x - x0) * scale
    across = (y - y0) * scale
    u = min(max(along, 0.0), max(columns - 1.0, 0.0))
    v = min(max(across, 0.0), max(rows - 1.0, 0.0))
    column = min(float(int(u)), max(columns - 2.0, 0.0))
    row = min(float(int(v)), max(rows - 2.0, 0.0))
    inside_x = (along >= 0.0) & (along < columns - 1.0)
    inside_y = (across >= 0.0) & (across < rows - 1.0)
    scale_x = scale if inside_x else 0.0
    scale_y = scale if inside_y else 0.0
    return row * columns + column, u - column, v - row, scale_x, scale_y


def height_in(
    south_west: float,
    south_east: float,
    north_west: float,
    north_east: float,
    u: float,
    v: float,
    scale_x: float,
    scale_y: float,
) -> tuple[float, float, float]:
    """Return height and rises in a cell, from its corners."""
    south = south_west + u * (south_east - south_west)
    north = north_west + u * (north_east - north_west)
    rise_x = (1.0 - v) * (south_east - south_west) + v * (north_east - north_west)
    return south + v * (north - south), scale_x * rise_x, scale_y * (north - south)
