"""Commands through a dead time and a first-order lag: exact, for any delay, smooth in both.

A command is held over a period T. With a delay of j periods and a share f of one the target of a
period is the command j + 1 periods ago for f T, then the one j periods ago.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

Array = NDArray[np.float64]
SHORTEST_LAG_S = 1e-4


def realized(
    command: Array,
    stretches: Sequence[tuple[int, int]],
    *,
    period_s: float,
    delay_s: float,
    lag_s: float,
) -> tuple[Array, Array]:
    """Return the actuator's position at the start of each period, and its mean over the period."""
    position, mean = np.empty_like(command), np.empty_like(command)
    for first, last in stretches:
        position[first:last], mean[first:last] = _one(
            command[first:last], period_s, delay_s, max(lag_s, SHORTEST_LAG_S)
        )
    return position, mean


def _one(command: Array, period: float, delay: float, lag: float) -> tuple[Array, Array]:
    whole = math.floor(delay / period)
    before = delay - whole * period
    after = period - before
    new, old = _shifted(command, whole), _shifted(command, whole + 1)
    kept_before, kept_after = math.exp(-before / lag), math.exp(-after / lag)
    added = kept_after * (1.0 - kept_before) * old + (1.0 - kept_after) * new
    kept = kept_before * kept_after
    # position[k + 1] = kept position[k] + added[k]; it starts settled on the first command.
    start = command[0]
    ends, _ = lfilter([1.0], [1.0, -kept], added, zi=np.array([kept * start]))
    position = np.concatenate(([start], ends[:-1]))
    middle = old + (position - old) * kept_before
    mean = (
        old * before
        + (position - old) * lag * (1.0 - kept_before)
        + new * after
        + (middle - new) * lag * (1.0 - kept_after)
    ) / period
    return position, mean


def _shifted(values: Array, by: int) -> Array:
    if by == 0:
        return values
    by = min(by, len(values))
    return np.concatenate((np.full(by, values[0]), values[: len(values) - by]))
