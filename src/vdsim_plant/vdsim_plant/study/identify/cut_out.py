"""What no piece of a fit may hold: spins and slopes, found in the measured channels alone; pure.

The model's car stands on a level road and its fit needs grip: a spin is decided by its first
instants, and a slope accelerates without a force. Both are cut out before the fit, and named.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, minimum_filter1d, uniform_filter1d

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.study.identify.drive_log import DriveLog

Array = NDArray[np.float64]
Rows = NDArray[np.bool_]
GRAVITY_MPS2 = 9.81
SLOWEST_MPS = 3.0
LARGEST_SIDESLIP = 0.35  # tangent
LARGEST_TURN_MPS2 = 13.0  # of yaw rate times speed: no road tyre holds more
LARGEST_DRIFT_MPS2 = 4.0  # of ay less yaw rate times speed: sideslip that grows by 1 rad in 5 s
DRIFT_MEAN_S = 0.3
SPIN_MARGIN_S = 1.0
LEAST_SLOPE = 0.03
SLOPE_MEAN_S = 2.0
SHORTEST_SLOPE_S = 1.0
STRAIGHT_MPS2 = 1.0
SLOPE_HARDEST_MPS2 = 2.0  # of braking: a car that pitches shows a slope to its sensor


@dataclass(frozen=True)
class Cut:
    """Rows [first, last) of the log that are left out, and why."""

    first: int
    last: int
    why: str


def cuts_of(log: DriveLog) -> list[Cut]:
    """Return what is cut out of a log, in the order of its rows."""
    cuts = [Cut(first, last, "spin") for first, last in _runs(_spinning(log))]
    slope = _slopes(log)
    shortest = round(SHORTEST_SLOPE_S / log.period_s)
    for first, last in _runs(np.abs(slope) > LEAST_SLOPE):
        if last - first < shortest:
            continue
        steepest = slope[first:last][np.argmax(np.abs(slope[first:last]))]
        cuts.append(Cut(first, last, f"slope of {100.0 * steepest:+.0f} %"))
    return sorted(cuts, key=lambda cut: cut.first)


def without(log: DriveLog, cuts: list[Cut]) -> DriveLog:
    """Return the log in the stretches that are left."""
    if not cuts:
        return log
    allowed = np.zeros(log.rows, dtype=bool)
    stretches = []
    for first, last in log.stretches:
        allowed[:] = False
        allowed[first:last] = True
        for cut in cuts:
            allowed[cut.first : cut.last] = False
        stretches += [(a, b) for a, b in _runs(allowed) if b - a > 1]
    if not stretches:
        raise ParameterError("log", f"is cut out altogether: {', '.join({c.why for c in cuts})}")
    return replace(log, stretches=tuple(stretches))


def _spinning(log: DriveLog) -> Rows:
    """Return the rows in which the car slides out of a driver's hand, and those about them."""
    speed = log.columns["vx_mps"]
    found = np.zeros(log.rows, dtype=bool)
    rolls = np.abs(speed) > SLOWEST_MPS
    if log.has("vy_mps"):
        across = _smooth(log, log.columns["vy_mps"], DRIFT_MEAN_S)
        found |= rolls & (np.abs(across) > LARGEST_SIDESLIP * np.abs(speed))
    if log.has("yaw_rate_radps"):
        turning = _smooth(log, speed * log.columns["yaw_rate_radps"], DRIFT_MEAN_S)
        found |= np.abs(turning) > LARGEST_TURN_MPS2
        if log.has("ay_mps2"):
            ay = _smooth(log, log.columns["ay_mps2"], DRIFT_MEAN_S)
            drift = ay - turning
            found |= np.abs(drift - np.median(drift)) > LARGEST_DRIFT_MPS2
    margin = 2 * round(SPIN_MARGIN_S / log.period_s) + 1
    return np.asarray(maximum_filter1d(found, margin, mode="nearest"), dtype=bool)


def _slopes(log: DriveLog) -> Array:
    """Return the slope of the road [rise over way] where the log shows one, else 0.

    An accelerometer shows gravity that the speed does not: straight on and without hard braking,
    the difference is the slope, but for the sensor's offset.
    """
    slope = np.zeros(log.rows)
    if not log.has("ax_mps2"):
        return slope
    speed = log.columns["vx_mps"]
    smooth = _smooth(log, speed, SLOPE_MEAN_S)
    rate = np.empty(log.rows)
    for first, last in log.stretches:
        half = min(round(0.5 * SLOPE_MEAN_S / log.period_s), (last - first - 1) // 2)
        inside = np.arange(first, last)
        after, before = np.minimum(inside + half, last - 1), np.maximum(inside - half, first)
        rate[first:last] = (smooth[after] - smooth[before]) / (
            np.maximum(after - before, 1) * log.period_s
        )
    more = _smooth(log, log.columns["ax_mps2"], SLOPE_MEAN_S) - rate
    straight = (np.abs(rate) < SLOPE_HARDEST_MPS2) & (np.abs(speed) > SLOWEST_MPS)
    if log.has("yaw_rate_radps"):
        turning = speed * log.columns["yaw_rate_radps"]
        straight &= np.abs(_smooth(log, turning, SLOPE_MEAN_S)) < STRAIGHT_MPS2
    width = max(1, round(SLOPE_MEAN_S / log.period_s))
    for first, last in log.stretches:
        straight[first:last] = minimum_filter1d(straight[first:last], width, mode="nearest")
    if not straight.any():
        return slope
    slope[straight] = (more[straight] - np.median(more[straight])) / GRAVITY_MPS2
    return slope


def _smooth(log: DriveLog, values: Array, mean_s: float) -> Array:
    width = max(1, round(mean_s / log.period_s))
    found = np.empty(len(values))
    for first, last in log.stretches:
        found[first:last] = uniform_filter1d(values[first:last], width, mode="nearest")
    return found


def _runs(rows: Rows) -> list[tuple[int, int]]:
    """Return (first, last + 1) of the runs of rows that are set."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], rows, [False])).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
