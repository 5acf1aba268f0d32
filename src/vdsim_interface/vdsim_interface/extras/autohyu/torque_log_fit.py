"""Logs of a car at held throttle levels -> APS over torque and speed.

Such logs are level curves: for each of some throttle positions many points of torque over speed,
dense along the curve and with wide steps between curves, transients where the throttle has just
changed, and now and then a plain outlier. Interpolating between the points themselves would
follow the transients; here each level is read as one curve.

    points --left out: lone outliers--> levels --median by speed bin--> curves of torque over speed
    curves --monotone over the levels--> APS: linear between the two curves next to a torque

Beyond the speeds at which a level was driven its curve keeps its place between the curves next to
it. Torque [N m] at the wheels, speed [km/h], throttle and APS [%].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_interface.extras.autohyu.torque_map import TorqueMap
from vdsim_interface.extras.autohyu.torque_points import Array, Measured, TorqueMapError

LEVEL_WIDTH_PERCENT = 0.5
"""Throttle values closer than this are one level."""
SPEED_BIN_KPH = 1.0
NEIGHBOURS_N = 8
"""Points of the same level, next in speed, whose median a point is compared with."""
LARGEST_OUTLIER_SHARE = 0.01
LARGEST_GRID_N = 1_000_000
FEWEST_LEVELS, FEWEST_POINTS_PER_LEVEL = 3, 10
ERROR_SPEED_KPH = (20.0, 160.0)
"""Speeds within which the error is stated: slower, a log is mostly the start of a drive."""

Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class FitSettings:
    """What a log must be like. `outlier_share`: of the whole range of torque."""

    outlier_share: float = 0.1
    gap_speed_kph: float = 10.0
    torque_step_nm: float = 10.0
    speed_step_kph: float = 1.0


@dataclass(frozen=True)
class Curves:
    """Torque of each level (row) over speed (column), rising over the levels.

    `straightened_nm`: the largest correction that made them rise, at `straightened_kph`.
    """

    levels_percent: Array
    speed_kph: Array
    torque_nm: Array
    straightened_nm: float
    straightened_kph: float

    def aps(self, torque_nm: Array, speed_kph: Array) -> Array:
        """Return APS [%] for pairs of torque and speed."""
        place = np.clip(
            (speed_kph - self.speed_kph[0]) / (self.speed_kph[1] - self.speed_kph[0]),
            0.0,
            len(self.speed_kph) - 1.0,
        )
        left = np.minimum(place.astype(np.intp), len(self.speed_kph) - 2)
        part = place - left
        at_speed = self.torque_nm[:, left] * (1.0 - part) + self.torque_nm[:, left + 1] * part
        return _between_levels(torque_nm, at_speed, self.levels_percent)


@dataclass(frozen=True)
class Errors:
    """Errors of APS [%] on held-out points."""

    mean: float
    p95: float
    largest: float


@dataclass(frozen=True)
class LogFit:
    """The result of a fit. `left_out`: indices of the points that were left out."""

    curves: Curves
    torque_map: TorqueMap
    left_out: Indices
    held_out_n: int
    errors: dict[str, Errors]


def fit_logs(points: Measured, settings: FitSettings) -> LogFit:
    """Fit all points; the errors are those of a fit to every other km/h on the ones between."""
    level = _levels(points.aps_percent)
    outliers = _outliers(points, level, settings)
    left_out = np.flatnonzero(outliers)
    share = len(left_out) / len(level)
    if share > LARGEST_OUTLIER_SHARE:
        raise TorqueMapError(
            f"{len(left_out)} of {len(level)} points ({share:.0%}) lie outside of the curve of "
            f"their throttle level: must be at most {LARGEST_OUTLIER_SHARE:.0%}; one level must "
            "be one curve over speed"
        )
    _check_gaps(points, level, ~outliers, settings)
    curves = _fit(points, level, ~outliers)
    if not (curves.torque_nm[-1] > curves.torque_nm[0]).any():
        raise TorqueMapError("torque_Nm does not rise with the throttle at any speed")
    # Whole bins: a neighbour within the same km/h has nearly the same torque.
    held_out = (np.round(points.speed_kph / SPEED_BIN_KPH) % 2.0 == 1.0) & ~outliers
    trained = _fit(points, level, ~outliers & ~held_out)
    slow, fast = ERROR_SPEED_KPH
    checked = held_out & (points.speed_kph >= slow) & (points.speed_kph <= fast)
    if not checked.any():
        raise TorqueMapError(f"has no points from {slow:g} to {fast:g} km/h")
    return LogFit(
        curves=curves,
        torque_map=grid_of(curves, settings),
        left_out=left_out,
        held_out_n=int(checked.sum()),
        errors=_errors(trained, points, checked, settings),
    )


def grid_of(curves: Curves, settings: FitSettings) -> TorqueMap:
    """Sample the curves on a grid from the least to the largest torque; beyond, its ends hold."""
    step = settings.torque_step_nm
    size_nm = curves.torque_nm.max() - curves.torque_nm.min()
    size_kph = curves.speed_kph[-1] - curves.speed_kph[0]
    points_n = (size_nm / step + 1.0) * (size_kph / settings.speed_step_kph + 1.0)
    if points_n > LARGEST_GRID_N:
        raise TorqueMapError(
            f"torque-step={step:g} and speed-step={settings.speed_step_kph:g}: must be so long "
            f"that the map has at most {LARGEST_GRID_N} points, not {points_n:.2g}"
        )
    first = np.floor(curves.torque_nm.min() / step)
    last = np.ceil(curves.torque_nm.max() / step)
    torque = np.asarray(step * np.arange(first, last + 1.0), dtype=np.float64)
    speed = _axis(curves.speed_kph[0], curves.speed_kph[-1], settings.speed_step_kph)
    rows, columns = np.meshgrid(torque, speed, indexing="ij")
    table = curves.aps(rows.ravel(), columns.ravel()).reshape(rows.shape)
    return TorqueMap(torque, speed, table)


# ---- points -> levels ----------------------------------------------------------------------------


def _levels(aps_percent: Array) -> Array:
    """Return the level of each point: the mean of its group of throttle values."""
    values, inverse = np.unique(aps_percent, return_inverse=True)
    group = np.concatenate(([0], np.cumsum(np.diff(values) > LEVEL_WIDTH_PERCENT)))
    which = group[inverse.reshape(-1)]
    count = np.bincount(which)
    if len(count) < FEWEST_LEVELS:
        raise TorqueMapError(
            f"{len(values)} different throttle values form {len(count)} level(s): the throttle "
            f"must be held at {FEWEST_LEVELS} or more levels, more than {LEVEL_WIDTH_PERCENT:g} % "
            "apart"
        )
    mean = np.bincount(which, aps_percent) / count
    thin = int(count.argmin())
    if count[thin] < FEWEST_POINTS_PER_LEVEL:
        raise TorqueMapError(
            f"throttle level {mean[thin]:g} % has {count[thin]} points: must have "
            f"{FEWEST_POINTS_PER_LEVEL} or more"
        )
    level: Array = mean[which]
    return level


def _outliers(points: Measured, level: Array, settings: FitSettings) -> Mask:
    """Find points far from the median of the others that are next in speed on their level."""
    limit_nm = settings.outlier_share * float(np.ptp(points.torque_nm))
    result = np.zeros(len(level), dtype=np.bool_)
    half = NEIGHBOURS_N // 2
    for one in np.unique(level):
        at = np.flatnonzero(level == one)
        at = at[np.argsort(points.speed_kph[at], kind="stable")]
        # Near an end the neighbours are those of the nearest whole window.
        centre = np.clip(np.arange(len(at)), half, len(at) - 1 - half)
        window = centre[:, None] + np.arange(-half, half + 1)
        torque = points.torque_nm[at][window]
        torque[window == np.arange(len(at))[:, None]] = np.nan
        away = np.abs(points.torque_nm[at] - np.nanmedian(torque, axis=1))
        result[at] = away > limit_nm
    return result


def _check_gaps(points: Measured, level: Array, used: Mask, settings: FitSettings) -> None:
    """Refuse a level that was not driven over some speeds in its middle."""
    for one in np.unique(level):
        speed = np.sort(points.speed_kph[used & (level == one)])
        gaps = np.diff(speed)
        if len(gaps) and gaps.max() > settings.gap_speed_kph:
            at = int(gaps.argmax())
            raise TorqueMapError(
                f"throttle level {one:g} % has no point between {speed[at]:.1f} and "
                f"{speed[at + 1]:.1f} km/h: neighbours must be at most "
                f"gap_speed={settings.gap_speed_kph:g} apart"
            )


# ---- levels -> curves ----------------------------------------------------------------------------


def _fit(points: Measured, level: Array, used: Mask) -> Curves:
    levels = np.unique(level[used])
    speed = _speed_axis(points.speed_kph[used])
    rows = np.full((len(levels), len(speed)), np.nan)
    weight = np.zeros(len(levels))
    for row, one in enumerate(levels):
        at = used & (level == one)
        weight[row] = at.sum()
        rows[row] = _curve(points.torque_nm[at], points.speed_kph[at], speed)
    filled = _extended(rows)
    risen = _rising(filled, weight)
    corrections = np.abs(risen - filled).max(axis=0)
    return Curves(
        levels_percent=levels,
        speed_kph=speed,
        torque_nm=risen,
        straightened_nm=float(corrections.max()),
        straightened_kph=float(speed[corrections.argmax()]),
    )


def _speed_axis(speed_kph: Array) -> Array:
    first = np.ceil(speed_kph.min() / SPEED_BIN_KPH) * SPEED_BIN_KPH
    last = np.floor(speed_kph.max() / SPEED_BIN_KPH) * SPEED_BIN_KPH
    return _axis(first, max(last, first + SPEED_BIN_KPH), SPEED_BIN_KPH)


def _curve(torque_nm: Array, speed_kph: Array, axis: Array) -> Array:
    """Return the median torque over the axis, NaN beyond the speeds of the level."""
    bins = np.round(speed_kph / SPEED_BIN_KPH).astype(np.intp)
    order = np.argsort(bins, kind="stable")
    starts = np.flatnonzero(np.diff(bins[order], prepend=bins[order[0]] - 1))
    groups = np.split(order, starts[1:])
    torque = np.array([np.median(torque_nm[group]) for group in groups])
    speed = np.array([np.median(speed_kph[group]) for group in groups])
    inside = (axis >= speed[0] - SPEED_BIN_KPH) & (axis <= speed[-1] + SPEED_BIN_KPH)
    return np.where(inside, np.interp(axis, speed, torque), np.nan)


def _extended(rows: Array) -> Array:
    """Fill the ends of each curve: it keeps its place between the curves next to it.

    Where no curve is known above or below it keeps its distance from the one that is.
    """
    filled: Array = rows.copy()
    for row, own in enumerate(rows):
        known = np.flatnonzero(~np.isnan(own))
        for column in np.flatnonzero(np.isnan(own)):
            end = known[0] if column < known[0] else known[-1]
            both = ~np.isnan(rows[:, column]) & ~np.isnan(rows[:, end])
            below, above = np.flatnonzero(both[:row]), np.flatnonzero(both[row + 1 :]) + row + 1
            if len(below) and len(above):
                low, high = below[-1], above[0]
                span = rows[high, end] - rows[low, end]
                part = (own[end] - rows[low, end]) / span if span else 0.5
                step = rows[high, column] - rows[low, column]
                filled[row, column] = rows[low, column] + part * step
            elif len(below) or len(above):
                next_to = below[-1] if len(below) else above[0]
                filled[row, column] = own[end] + rows[next_to, column] - rows[next_to, end]
            else:
                filled[row, column] = own[end]
    return filled


def _rising(rows: Array, weight: Array) -> Array:
    """Return the curves nearest to these that never fall over the levels (pool adjacent)."""
    result: Array = rows.copy()
    for column in np.flatnonzero((np.diff(rows, axis=0) < 0.0).any(axis=0)):
        blocks: list[list[float]] = []  # mean, weight, number of levels
        for value, mass in zip(rows[:, column], weight, strict=True):
            blocks.append([float(value), float(mass), 1.0])
            while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
                top, under = blocks.pop(), blocks[-1]
                total = top[1] + under[1]
                under[:] = [
                    (top[0] * top[1] + under[0] * under[1]) / total,
                    total,
                    top[2] + under[2],
                ]
        result[:, column] = np.repeat([b[0] for b in blocks], [int(b[2]) for b in blocks])
    return result


def _between_levels(torque_nm: Array, at_speed: Array, levels: Array) -> Array:
    """Interpolate each torque between the levels' torques in its column of `at_speed`."""
    above = np.clip((at_speed <= torque_nm).sum(axis=0), 1, len(levels) - 1)
    column = np.arange(len(torque_nm))
    low, high = at_speed[above - 1, column], at_speed[above, column]
    step = np.where(high > low, high - low, 1.0)
    part = np.clip((torque_nm - low) / step, 0.0, 1.0)
    aps: Array = levels[above - 1] + part * (levels[above] - levels[above - 1])
    return aps


def _axis(first: float, last: float, step: float) -> Array:
    count = int((last - first) / step + 1e-9) + 1
    return np.asarray(first + step * np.arange(count), dtype=np.float64)


# ---- error ---------------------------------------------------------------------------------------


def _errors(
    trained: Curves, points: Measured, checked: Mask, settings: FitSettings
) -> dict[str, Errors]:
    """Return the errors of the curves, and of the table with both look-ups."""
    torque, speed = points.torque_nm[checked], points.speed_kph[checked]
    table = grid_of(trained, settings)
    given = {
        "fit": trained.aps(torque, speed),
        "table, nearest": table.nearest(torque, speed),
        "table, bilinear": table.bilinear(torque, speed),
    }
    true = points.aps_percent[checked]
    return {name: _error(np.abs(aps - true)) for name, aps in given.items()}


def _error(error: Array) -> Errors:
    return Errors(float(error.mean()), float(np.percentile(error, 95)), float(error.max()))
