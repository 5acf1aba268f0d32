"""Turns a Ground into the one flat array of float64 that the numeric core reads.

Layout (lookup.py reads it, nothing else does):

    [0:16]      header, see the constants
    knots       KNOT_STRIDE values each, x rising: x, cover, cover per metre, paint, paint per metre
    grid        rows x columns cells, row by row (only where the header's GRID_AT > 0)
    polygons    POLYGON_STRIDE values each, then the vertices x, y of all

The x patches become two piecewise linear functions of x: `cover` (0: untouched, 1: fully painted)
and `paint` (friction times cover). mu = below * (1 - cover) + paint. Between the edges both are
constant, so that inside a patch its friction comes out exactly, to the bit.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground.description import Ground
from vdsim_plant.ground.shapes import PolygonPatch, XPatch

HEADER_SIZE = 16
BASE_MU, SPLIT, SPLIT_Y, SPLIT_LEFT, SPLIT_RIGHT, INVERSE_WIDTH = 0, 1, 2, 3, 4, 5
KNOT_COUNT, GRID_AT, GRID_ROWS, GRID_COLUMNS, GRID_X0, GRID_Y0 = 6, 7, 8, 9, 10, 11
GRID_CELL, GRID_SMOOTH, POLYGON_COUNT, POLYGON_AT = 12, 13, 14, 15
KNOT_STRIDE = 5
POLYGON_STRIDE = 7  # mu, x min, x max, y min, y max (grown by half a transition), first, count


def compile_ground(ground: Ground) -> NDArray[np.float64]:
    """Return the array for `mu_at`."""
    header = np.zeros(HEADER_SIZE)
    header[BASE_MU] = ground.base_mu
    header[INVERSE_WIDTH] = 1.0 / ground.transition_m if ground.transition_m > 0.0 else 0.0
    if ground.split is not None:
        header[SPLIT] = 1.0
        header[SPLIT_Y] = ground.split.y_m
        header[SPLIT_LEFT] = ground.split.mu_left
        header[SPLIT_RIGHT] = ground.split.mu_right
    knots = _knots(ground.x_patches, ground.transition_m)
    header[KNOT_COUNT] = len(knots)
    parts = [header, np.array(knots, dtype=np.float64).ravel()]
    at = HEADER_SIZE + KNOT_STRIDE * len(knots)
    if ground.grid is not None:
        grid = ground.grid
        header[GRID_AT] = at
        header[GRID_ROWS], header[GRID_COLUMNS] = grid.values.shape
        header[GRID_X0], header[GRID_Y0], header[GRID_CELL] = grid.x0_m, grid.y0_m, grid.cell_m
        header[GRID_SMOOTH] = float(grid.smooth)
        parts.append(grid.values.ravel())
        at += grid.values.size
    header[POLYGON_COUNT] = len(ground.polygons)
    header[POLYGON_AT] = at
    parts.append(_polygons(ground.polygons, ground.transition_m, at))
    return np.concatenate(parts)


def is_uniform_or_striped(ground: Ground) -> bool:
    """Return whether only `base_mu` and x patches shape this ground (the core's fast case)."""
    return ground.split is None and ground.grid is None and not ground.polygons


def _knots(patches: tuple[XPatch, ...], width_m: float) -> list[tuple[float, ...]]:
    """Return the rows of the piecewise linear cover and paint functions."""
    if not patches:
        return []
    edges = sorted({edge for patch in patches for edge in (patch.x0_m, patch.x1_m)})
    painted = [_painted_at(patches, (a + b) / 2.0) for a, b in pairwise(edges)]
    levels = [(0.0, 0.0), *painted, (0.0, 0.0)]
    if width_m == 0.0:
        return [
            (x, cover, 0.0, paint, 0.0) for x, (cover, paint) in zip(edges, levels[1:], strict=True)
        ]
    steps = [
        (x, after[0] - before[0], after[1] - before[1])
        for x, before, after in zip(edges, levels, levels[1:], strict=False)
    ]
    knots = sorted({x + side * width_m / 2.0 for x in edges for side in (-1.0, 1.0)})
    rows: list[tuple[float, ...]] = []
    for left, right in zip(knots, [*knots[1:], math.inf], strict=True):
        middle = (left + right) / 2.0
        ramps = [s for s in steps if abs(middle - s[0]) < width_m / 2.0]
        if ramps:
            cover = _filtered(steps, left, width_m, 1)
            paint = _filtered(steps, left, width_m, 2)
            slopes = sum(s[1] for s in ramps) / width_m, sum(s[2] for s in ramps) / width_m
            rows.append((left, cover, slopes[0], paint, slopes[1]))
        else:
            cover, paint = levels[sum(edge < middle for edge in edges)]
            rows.append((left, cover, 0.0, paint, 0.0))
    return rows


def _painted_at(patches: tuple[XPatch, ...], x: float) -> tuple[float, float]:
    """Return (cover, paint) at x without transition: the last patch there wins."""
    for patch in reversed(patches):
        if patch.x0_m <= x < patch.x1_m:
            return 1.0, patch.mu
    return 0.0, 0.0


def _filtered(
    steps: list[tuple[float, float, float]], x: float, width_m: float, column: int
) -> float:
    """Return the sum of all steps at x, each spread over the transition width."""
    return sum(s[column] * min(max((x - s[0]) / width_m + 0.5, 0.0), 1.0) for s in steps)


def _polygons(polygons: tuple[PolygonPatch, ...], width_m: float, at: int) -> NDArray[np.float64]:
    heads: list[tuple[float, ...]] = []
    vertices: list[tuple[float, float]] = []
    first = at + POLYGON_STRIDE * len(polygons)
    for polygon in polygons:
        xs, ys = zip(*polygon.points_m, strict=True)
        grown = width_m / 2.0
        box = (min(xs) - grown, max(xs) + grown, min(ys) - grown, max(ys) + grown)
        heads.append((polygon.mu, *box, float(first), float(len(xs))))
        vertices.extend(polygon.points_m)
        first += 2 * len(xs)
    return np.concatenate([np.array(heads).ravel(), np.array(vertices).ravel()])
