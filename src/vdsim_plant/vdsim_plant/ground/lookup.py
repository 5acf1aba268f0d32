"""mu_at: the friction at a point. The core compiles it and calls it for every wheel and substep."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground.compilation import (
    BASE_MU,
    GRID_AT,
    GRID_CELL,
    GRID_COLUMNS,
    GRID_ROWS,
    GRID_SMOOTH,
    GRID_X0,
    GRID_Y0,
    HEADER_SIZE,
    INVERSE_WIDTH,
    KNOT_COUNT,
    KNOT_STRIDE,
    POLYGON_AT,
    POLYGON_COUNT,
    POLYGON_STRIDE,
    SPLIT,
    SPLIT_LEFT,
    SPLIT_RIGHT,
    SPLIT_Y,
)


def mu_at(x: float, y: float, arrays: NDArray[np.float64]) -> float:
    """Return the friction at the world point (x, y) [m] of a ground from `compile_ground`."""
    mu = arrays[BASE_MU]
    if arrays[SPLIT] > 0.0:
        weight = _edge_weight(y - arrays[SPLIT_Y], arrays[INVERSE_WIDTH])
        mu = arrays[SPLIT_RIGHT] * (1.0 - weight) + arrays[SPLIT_LEFT] * weight
    if arrays[GRID_AT] > 0.0:
        mu = _grid_mu(x, y, mu, arrays)
    cover = 0.0
    paint = 0.0
    for k in range(int(arrays[KNOT_COUNT])):
        at = HEADER_SIZE + KNOT_STRIDE * k
        beyond = x - arrays[at]
        if beyond >= 0.0:
            cover = arrays[at + 1] + arrays[at + 2] * beyond
            paint = arrays[at + 3] + arrays[at + 4] * beyond
    mu = mu * (1.0 - cover) + paint
    for k in range(int(arrays[POLYGON_COUNT])):
        weight = _polygon_weight(x, y, int(arrays[POLYGON_AT]) + POLYGON_STRIDE * k, arrays)
        mu = mu * (1.0 - weight) + arrays[int(arrays[POLYGON_AT]) + POLYGON_STRIDE * k] * weight
    return mu  # type: ignore[no-any-return]


def _edge_weight(inside_m: float, inverse_width: float) -> float:
    """Return 0 outside, 1 inside; a ramp across the edge where the transition has a width."""
    if inverse_width == 0.0:
        return 1.0 if inside_m >= 0.0 else 0.0
    return min(max(inside_m * inverse_width + 0.5, 0.0), 1.0)


def _grid_mu(x: float, y: float, below: float, arrays: NDArray[np.float64]) -> float:
    """Return the friction of the grid at (x, y); `below` outside of it and in unknown cells."""
    columns = (x - arrays[GRID_X0]) / arrays[GRID_CELL]
    rows = (y - arrays[GRID_Y0]) / arrays[GRID_CELL]
    inside = 0.0 <= columns < arrays[GRID_COLUMNS] and 0.0 <= rows < arrays[GRID_ROWS]
    if not inside:
        return below
    if arrays[GRID_SMOOTH] == 0.0:
        return _cell(int(rows), int(columns), below, arrays)
    left = math.floor(columns - 0.5)
    lower = math.floor(rows - 0.5)
    u: float = columns - 0.5 - left
    v: float = rows - 0.5 - lower
    south = _between(lower, left, u, below, arrays)
    north = _between(lower + 1, left, u, below, arrays)
    return south * (1.0 - v) + north * v


def _between(row: int, left: int, u: float, below: float, arrays: NDArray[np.float64]) -> float:
    """Interpolate between the cells `left` and `left + 1` of a row."""
    return _cell(row, left, below, arrays) * (1.0 - u) + _cell(row, left + 1, below, arrays) * u


def _cell(row: int, column: int, below: float, arrays: NDArray[np.float64]) -> float:
    """Return one cell; beyond the rim the nearest one counts."""
    columns = int(arrays[GRID_COLUMNS])
    row = min(max(row, 0), int(arrays[GRID_ROWS]) - 1)
    column = min(max(column, 0), columns - 1)
    value = arrays[int(arrays[GRID_AT]) + row * columns + column]
    return below if math.isnan(value) else value


def _polygon_weight(x: float, y: float, head: int, arrays: NDArray[np.float64]) -> float:
    """Return how far inside the polygon (0 to 1) the point lies."""
    in_box = arrays[head + 1] <= x <= arrays[head + 2] and arrays[head + 3] <= y <= arrays[head + 4]
    if not in_box:
        return 0.0
    first = int(arrays[head + 5])
    count = int(arrays[head + 6])
    inverse_width = arrays[INVERSE_WIDTH]
    inside = False
    nearest = math.inf
    ax = arrays[first + 2 * count - 2]
    ay = arrays[first + 2 * count - 1]
    for k in range(count):
        bx = arrays[first + 2 * k]
        by = arrays[first + 2 * k + 1]
        # A ray towards +x crosses a side that starts on one side of y and ends on the other.
        if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
            inside = not inside
        if inverse_width > 0.0:
            nearest = min(nearest, _distance_squared(x, y, ax, ay, bx, by))
        ax = bx
        ay = by
    if inverse_width == 0.0:
        return 1.0 if inside else 0.0
    distance = math.sqrt(nearest)
    return _edge_weight(distance if inside else -distance, inverse_width)


def _distance_squared(x: float, y: float, ax: float, ay: float, bx: float, by: float) -> float:
    """Return the squared distance of (x, y) from the line piece a-b."""
    dx = bx - ax
    dy = by - ay
    length = dx * dx + dy * dy
    along = ((x - ax) * dx + (y - ay) * dy) / length if length > 0.0 else 0.0
    along = min(max(along, 0.0), 1.0)
    ex = x - ax - along * dx
    ey = y - ay - along * dy
    return ex * ex + ey * ey
