"""A pedal map from a log whose speed comes in steps, some time late: a likelihood of the steps.

A car's bus gives its speed in whole km/h. Its derivative is spikes and zeros, and no filter brings
back what the steps took. But each step says in which interval the speed was, so the log is compared
as it is: the speed of a drive is the integral of the map's acceleration along speed and pedal, and
the likelihood of a sample is the probability that this speed, with a little noise, is read as the
value that the log has (speed +- half a step). Along the speeds that are known so far the integral
is linear in the map's cells, so that the likelihood is log-concave in them: Newton's method finds
its maximum, and the speeds are then those of the better map.

    log ─▶ first speeds (between steps) ─▶ integrals of the cells ─▶ Newton ─▶ map
                      ▲                                                         │
                      └──────────────── speeds of the map, in their steps ◀─────┘

The drive is cut into windows with a first speed of their own each. Standing still is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vdsim_interface.platforms.pedal_map import PedalMapError

Array = NDArray[np.float64]
KPH = 1.0 / 3.6
WINDOW_S = 4.0
"""The rates are integrated for so long from one first value."""
NOISE_STEPS = 0.11
"""Noise of the quantity before it is rounded, in steps."""
NEWTON_N, ROUNDS_N = 8, 4
SMOOTH = 3.0
"""Weight against bends between neighbouring cells, in samples: it fills cells without data."""
COUNTED_N = 20
"""A cell with fewer samples is filled in rather than measured."""
_FEWEST_N = 200


Coordinates = Callable[[Array], tuple[Array, Array]]
"""From the quantity, over the log, to the row and the column of the map that act."""


class Log(NamedTuple):
    """A drive on level ground: time [s], speed as it was read [m/s], pedal -1 to 1."""

    time_s: Array
    speed_mps: Array
    pedal: Array


class SteerLog(NamedTuple):
    """Time [s], wheel angle as it was read and as it was asked for [rad], speed [m/s]."""

    time_s: Array
    angle_rad: Array
    asked_rad: Array
    speed_mps: Array


class QuantisedFit(NamedTuple):
    """`cells`: the rate of each row and column; `counts`: samples nearest to each.

    `log_likelihood`: of the log; higher is better, for a choice between delays.
    """

    rows: Array
    columns: Array
    cells: Array
    counts: NDArray[np.int64]
    log_likelihood: float


class Read(NamedTuple):
    """A quantity as it was read: in steps, `delay_s` late. Windows below `least` are left out."""

    time_s: Array
    values: Array
    step: float
    delay_s: float
    least: float = -math.inf


class _Window(NamedTuple):
    """Integrals of the cells up to each sample, and the interval that the sample was read in."""

    integrals: Array
    low: Array
    high: Array


def fit_pedals(
    log: Log, speeds_mps: Array, pedals: Array, *, step_mps: float = KPH, delay_s: float = 0.05
) -> QuantisedFit:
    """Fit acceleration [m/s2] over speed and pedal. `delay_s`: how late the speed is read."""
    return fit_quantised(
        Read(log.time_s, log.speed_mps, step_mps, delay_s, 2.0 * step_mps),
        lambda speed: (speed, log.pedal),
        speeds_mps,
        pedals,
    )


def fit_steering(
    log: SteerLog, speeds_mps: Array, errors_rad: Array, *, step_rad: float, delay_s: float = 0.05
) -> QuantisedFit:
    """Fit the rate of the wheel angle [rad/s] over speed and what is asked less the angle."""
    return fit_quantised(
        Read(log.time_s, log.angle_rad, step_rad, delay_s),
        lambda angle: (log.speed_mps, log.asked_rad - angle),
        speeds_mps,
        errors_rad,
    )


def fit_quantised(
    read: Read, coordinates: Coordinates, rows: Array, columns: Array
) -> QuantisedFit:
    """Fit a map of rates of a quantity that is read in steps."""
    if len(read.time_s) < _FEWEST_N:
        raise PedalMapError(f"log: has {len(read.time_s)} samples, must have {_FEWEST_N} or more")
    values, shape = _between_steps(read), (len(rows), len(columns))
    cells, noise, total = np.zeros(shape[0] * shape[1]), NOISE_STEPS * read.step, -np.inf
    for round_n in range(ROUNDS_N):
        weights = _cell_weights(*coordinates(values), rows, columns)
        windows, slices = _windows(read, weights, len(cells))
        if not windows:
            raise PedalMapError(f"log: no {WINDOW_S:g} s of driving in it")
        firsts = np.array([0.5 * (w.low[0] + w.high[0]) for w in windows])
        if round_n == 0:
            cells, firsts = _newton(windows, cells, firsts, shape, None)
        for _ in range(NEWTON_N):
            cells, firsts = _newton(windows, cells, firsts, shape, noise)
        total = 0.0
        for window, first, part in zip(windows, firsts, slices, strict=True):
            ours = first + window.integrals @ cells
            values[part] = np.clip(ours, window.low, window.high)
            total += float(_likelihood(ours, window, noise)[0].sum())
        # What was read belongs to an earlier time.
        values = np.interp(read.time_s + read.delay_s, read.time_s, values)
    counts = _counts(*coordinates(values), rows, columns)
    return QuantisedFit(rows, columns, cells.reshape(shape), counts, total)


def naive_cells(log: Log, speeds_mps: Array, pedals: Array, span_s: float = 0.5) -> Array:
    """What is usually done: the mean difference of the speed over `span_s`, cell by cell."""
    step = max(1, round(span_s / float(np.median(np.diff(log.time_s)))))
    accel = (log.speed_mps[step:] - log.speed_mps[:-step]) / (
        log.time_s[step:] - log.time_s[:-step]
    )
    near_speed = _nearest(log.speed_mps[:-step], speeds_mps)
    near_pedal = _nearest(log.pedal[:-step], pedals)
    table = np.full((len(speeds_mps), len(pedals)), np.nan)
    for index in np.ndindex(table.shape):
        chosen = (near_speed == index[0]) & (near_pedal == index[1])
        if chosen.any():
            table[index] = accel[chosen].mean()
    return table


# ---- first values --------------------------------------------------------------------------------


def _between_steps(read: Read) -> Array:
    """First values: straight from one change of what is read to the next, `delay_s` earlier."""
    time_s, values = read.time_s, read.values
    changed = np.flatnonzero(np.diff(values) != 0.0)
    if len(changed) < 2:
        raise PedalMapError("log: what is read never changes")
    at = 0.5 * (time_s[changed] + time_s[changed + 1]) - read.delay_s
    edge = 0.5 * (values[changed] + values[changed + 1])
    later = np.interp(time_s + read.delay_s, time_s, values)
    first: Array = np.clip(np.interp(time_s, at, edge), later - read.step, later + read.step)
    return first


# ---- the linear model ----------------------------------------------------------------------------


def _cell_weights(
    row: Array, column: Array, rows: Array, columns: Array
) -> tuple[NDArray[np.int64], Array]:
    """The four cells of each sample and their shares (bilinear)."""
    i, u = _place(row, rows)
    j, w = _place(column, columns)
    n = len(columns)
    index = np.stack([i * n + j, i * n + j + 1, (i + 1) * n + j, (i + 1) * n + j + 1], axis=1)
    share = np.stack([(1 - u) * (1 - w), (1 - u) * w, u * (1 - w), u * w], axis=1)
    return index.astype(np.int64), share


def _place(values: Array, grid: Array) -> tuple[NDArray[np.int64], Array]:
    inside = np.clip(values, grid[0], grid[-1])
    index = np.clip(np.searchsorted(grid, inside, side="right") - 1, 0, len(grid) - 2)
    return index, (inside - grid[index]) / (grid[index + 1] - grid[index])


def _nearest(values: Array, grid: Array) -> NDArray[np.int64]:
    found: NDArray[np.int64] = np.abs(values[:, None] - grid[None, :]).argmin(axis=1)
    return found


def _counts(row: Array, column: Array, rows: Array, columns: Array) -> NDArray[np.int64]:
    counts = np.zeros((len(rows), len(columns)), dtype=np.int64)
    np.add.at(counts, (_nearest(row, rows), _nearest(column, columns)), 1)
    return counts


def _windows(
    read: Read, weights: tuple[NDArray[np.int64], Array], n: int
) -> tuple[list[_Window], list[slice]]:
    """Integrals of the cells over each window, up to what each sample was read of."""
    index, share = weights
    period_s = float(np.median(np.diff(read.time_s)))
    size, late = max(8, round(WINDOW_S / period_s)), read.delay_s / period_s
    whole = int(np.floor(late))
    windows, slices = [], []
    for begin in range(0, len(read.time_s) - size, size):
        part = slice(begin, begin + size)
        values, gaps = read.values[part], np.diff(read.time_s[part])
        if values.min() < read.least or gaps.max() > 5.0 * period_s:
            continue
        # What was read in this window happened `delay_s` earlier: begin before it by that much.
        first = max(begin - whole - 1, 0)
        rows = np.zeros((begin + size - first, n))
        chosen = slice(first, begin + size)
        np.put_along_axis(rows, index[chosen], share[chosen], axis=1)
        half = 0.5 * np.diff(read.time_s[chosen])[:, None]
        sums = np.concatenate([np.zeros((1, n)), np.cumsum(half * (rows[1:] + rows[:-1]), axis=0)])
        at = np.maximum(np.arange(size) + (begin - first) - late, 0.0)
        low = at.astype(np.int64)
        rest = (at - low)[:, None]
        upper = np.minimum(low + 1, len(sums) - 1)
        integrals = (1.0 - rest) * sums[low] + rest * sums[upper]
        half_step = 0.5 * read.step
        windows.append(_Window(integrals, values - half_step, values + half_step))
        slices.append(part)
    return windows, slices


# ---- the likelihood ------------------------------------------------------------------------------


def _likelihood(value: Array, window: _Window, noise: float) -> tuple[Array, Array, Array]:
    """Log-likelihood of each sample, its slope, and its curvature turned positive."""
    from scipy.special import ndtr

    alpha = np.clip((window.low - value) / noise, -1e6, 1e6)
    beta = np.clip((window.high - value) / noise, -1e6, 1e6)
    inside = ndtr(beta) - ndtr(alpha)
    bell_a = np.exp(-0.5 * alpha**2) / np.sqrt(2.0 * np.pi)
    bell_b = np.exp(-0.5 * beta**2) / np.sqrt(2.0 * np.pi)
    safe = np.maximum(inside, 1e-9)
    slope = (bell_a - bell_b) / (noise * safe)
    curve = slope**2 - (alpha * bell_a - beta * bell_b) / (noise**2 * safe)
    # Far outside its interval a sample pulls like a spring.
    outside = np.where(alpha > 0.0, alpha, np.where(beta < 0.0, beta, 0.0))
    far = inside < 1e-9
    found = np.where(far, -0.5 * outside**2 - 2.0, np.log(safe))
    slope = np.where(far, outside / noise, slope)
    curve = np.where(far, 1.0 / noise**2, np.maximum(curve, 1e-6 / noise**2))
    return found, slope, curve


def _newton(
    windows: list[_Window], cells: Array, firsts: Array, shape: tuple[int, int], noise: float | None
) -> tuple[Array, Array]:
    """One step towards the maximum; `noise` None: to the middles of the intervals, as a start."""
    n = len(cells)
    bends = _bends(shape)
    matrix = SMOOTH * bends.T @ bends
    vector = -matrix @ cells
    parts = []
    for window, first in zip(windows, firsts, strict=True):
        value = first + window.integrals @ cells
        if noise is None:
            middle = 0.5 * (window.low + window.high)
            width = window.high - window.low
            curve = 12.0 / width**2
            slope = curve * (middle - value)
        else:
            _, slope, curve = _likelihood(value, window, noise)
        weighted = window.integrals * curve[:, None]
        of_first, total = weighted.sum(axis=0), float(curve.sum())
        pull = float(slope.sum())
        matrix += window.integrals.T @ weighted - np.outer(of_first, of_first) / total
        vector += window.integrals.T @ slope - of_first * pull / total
        parts.append((of_first, total, pull))
    step = np.linalg.solve(matrix + 1e-6 * np.eye(n), vector)
    moves = [(pull - of_first @ step) / total for of_first, total, pull in parts]
    return cells + step, firsts + np.array(moves)


def _bends(shape: tuple[int, int]) -> Array:
    """Second differences along both axes of the grid."""
    rows, columns = shape
    grid = np.arange(rows * columns).reshape(shape)
    lines = [
        *(grid[i : i + 3, j] for i in range(rows - 2) for j in range(columns)),
        *(grid[i, j : j + 3] for i in range(rows) for j in range(columns - 2)),
    ]
    matrix = np.zeros((len(lines), rows * columns))
    for row, line in zip(matrix, lines, strict=True):
        row[line] = 1.0, -2.0, 1.0
    return matrix
