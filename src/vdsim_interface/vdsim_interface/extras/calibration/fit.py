"""Samples -> pedal map; every other pedal is held back and measures the map's error."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vdsim_interface.extras.calibration.samples import Samples
from vdsim_interface.platforms.pedal_map import PedalMap, PedalMapError

LEAST_RISE_MPS2 = 1e-3
"""Smallest step of acceleration from one pedal to the next: keeps the map invertible."""

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

LIMITER_MPS = 3.0
"""A rev limiter takes the drive away within this much speed."""
FLAT_MPS2 = 0.02
"""Loss of acceleration from one pedal to the next that still counts as flat (a speed limiter)."""


class Fit(NamedTuple):
    """A map and its error on the held-back samples.

    `straightened_mps2`: the largest correction that made the map rise with the pedal. The map's
    pedals end where the wheels lock or spin, so that more pedal gives less acceleration.
    """

    pedal_map: PedalMap
    rms_error_mps2: float
    max_error_mps2: float
    held_back_count: int
    straightened_mps2: float


def fit_pedal_map(samples: Samples, speeds_mps: tuple[float, ...]) -> Fit:
    """Fit the grid at the given speeds; the pedals of the grid are every other measured pedal."""
    measured = np.unique(samples.pedal)
    if len(measured) < 9 or 0.0 not in measured or measured[0] < -1.0 or measured[-1] > 1.0:
        raise PedalMapError("samples: must have nine or more pedals within -1 to 1, 0 among them")
    full = np.column_stack([_column(samples, float(pedal), speeds_mps) for pedal in measured])
    first, last = _useful(full, speeds_mps, int(np.flatnonzero(measured == 0.0)[0]))
    measured, full = measured[first : last + 1], full[:, first : last + 1]
    zero = int(np.flatnonzero(measured == 0.0)[0])
    grid_part = sorted({*range(zero % 2, len(measured), 2), 0, len(measured) - 1})
    used, grid = measured[grid_part], full[:, grid_part]
    corrections = 0.0
    for index in range(len(speeds_mps)):
        rising_row = rising(grid[index])
        corrections = max(corrections, float(np.max(np.abs(rising_row - grid[index]))))
        grid[index] = rising_row
    pedal_map = PedalMap(
        speeds_mps, tuple(map(float, used)), tuple(tuple(map(float, row)) for row in grid)
    )
    held_back: Mask = np.asarray(
        np.isin(samples.pedal, measured) & ~np.isin(samples.pedal, used), dtype=np.bool_
    )
    errors = _errors(pedal_map, samples, held_back)
    return Fit(
        pedal_map=pedal_map,
        rms_error_mps2=float(np.sqrt(np.mean(errors**2))),
        max_error_mps2=float(np.max(np.abs(errors))),
        held_back_count=len(errors),
        straightened_mps2=corrections,
    )


def _errors(pedal_map: PedalMap, samples: Samples, held_back: Mask) -> Array:
    """Return map - sample [m/s2] of the held-back samples within the speeds of the map."""
    speeds = pedal_map.speeds_mps
    chosen = held_back & (samples.speed_mps >= speeds[0]) & (samples.speed_mps <= speeds[-1])
    errors = [
        pedal_map.accel(pedal, speed) - accel
        for speed, pedal, accel in zip(*(part[chosen] for part in samples), strict=True)
    ]
    if not errors:
        raise PedalMapError("samples: none is held back to measure the error, measure more pedals")
    return np.array(errors)


def _useful(full: Array, speeds_mps: tuple[float, ...], zero: int) -> tuple[int, int]:
    """Return the first and last pedal of the range in which acceleration rises with the pedal.

    A fall over a few m/s is where a rev limiter cuts in; wheels lock and spin over more, or from
    standstill on.
    """
    falls = np.diff(full, axis=1) <= -FLAT_MPS2
    rises = [not _is_lasting(step, speeds_mps) for step in falls.T]
    first, last = zero, zero
    while first > 0 and rises[first - 1]:
        first -= 1
    while last < len(rises) and rises[last]:
        last += 1
    if first > zero - 3 or last < zero + 3:
        raise PedalMapError(
            "samples: acceleration must rise with the pedal over three pedals on each side of 0"
        )
    return first, last


def _is_lasting(falls: Mask, speeds_mps: tuple[float, ...]) -> bool:
    """Whether the falls at neighbouring speeds are more than those at a limiter."""
    begin: int | None = None
    for index, is_falling in enumerate(falls):
        if not is_falling:
            begin = None
            continue
        begin = index if begin is None else begin
        if begin == 0 or speeds_mps[index] - speeds_mps[begin] > LIMITER_MPS:
            return True
    return False


def _column(samples: Samples, pedal: float, speeds_mps: tuple[float, ...]) -> Array:
    """Return acceleration over speed for one pedal: mean near each speed, else linear."""
    chosen = samples.pedal == pedal
    speed, accel = samples.speed_mps[chosen], samples.accel_mps2[chosen]
    order = np.argsort(speed, kind="stable")
    speed, accel = speed[order], accel[order]
    if speed[0] > speeds_mps[0] + 1.0 or speed[-1] < speeds_mps[-1] - 1.0:
        raise PedalMapError(
            f"samples at pedal {pedal:g}: cover {speed[0]:.1f} to {speed[-1]:.1f} m/s, "
            f"must cover {speeds_mps[0]:g} to {speeds_mps[-1]:g} m/s"
        )
    column: Array = np.interp(speeds_mps, speed, accel)
    for index, center in enumerate(speeds_mps):
        near = np.abs(speed - center) <= 0.1
        if near.any():
            column[index] = accel[near].mean()
    return column


def rising(row: Array) -> Array:
    """Return the nearest row (least squares) that rises by the least step: pool adjacent values."""
    slope = LEAST_RISE_MPS2 * np.arange(len(row))
    blocks: list[tuple[float, int]] = []
    for value in row - slope:
        mean, count = float(value), 1
        while blocks and blocks[-1][0] > mean:
            before, n = blocks.pop()
            mean, count = (before * n + mean * count) / (n + count), n + count
        blocks.append((mean, count))
    pooled = np.concatenate([np.full(count, mean) for mean, count in blocks])
    nearest: Array = pooled + slope
    return nearest
