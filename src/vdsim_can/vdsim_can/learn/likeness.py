"""How much a signal moves like a quantity, and by which scale, offset and lag.

Both are put on one grid of time, each value held until the next one. The lag is how much later the
signal moves; it is where the correlation is greatest within the given bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
STEP_S = 0.02
FEWEST_VALUES = 20
FEWEST_STEPS = 100
_NEAR = 5
"""Steps round the lag of the greatest product in which the best correlation is looked for."""


class Series(NamedTuple):
    """Values of a quantity over time [s], in the order of time."""

    name: str
    time_s: Array
    values: Array


class Likeness(NamedTuple):
    """quantity(t) = scale * signal(t + lag) + offset, as well as the correlation says."""

    quantity: str
    signal: str
    correlation: float
    scale: float
    offset: float
    lag_s: float


def likenesses(
    quantities: Iterable[Series], signals: Iterable[Series], *, longest_lag_s: float
) -> Iterator[Likeness]:
    """Compare each signal with each quantity; those that do not move are left out."""
    moving = [signal for signal in signals if _moves(signal)]
    for quantity in quantities:
        if not _moves(quantity):
            continue
        for signal in moving:
            found = likeness(quantity, signal, longest_lag_s=longest_lag_s)
            if found is not None:
                yield found


def _moves(series: Series) -> bool:
    return len(series.values) >= FEWEST_VALUES and float(np.ptp(series.values)) > 0.0


def likeness(quantity: Series, signal: Series, *, longest_lag_s: float) -> Likeness | None:
    """Compare one signal with one quantity; None where they share too little time."""
    begin = max(quantity.time_s[0], signal.time_s[0])
    end = min(quantity.time_s[-1], signal.time_s[-1])
    steps = int((end - begin) / STEP_S)
    if steps < FEWEST_STEPS:
        return None
    grid = begin + STEP_S * np.arange(steps)
    wanted, moved = _held(quantity, grid), _held(signal, grid)
    if np.ptp(wanted) == 0.0 or np.ptp(moved) == 0.0:
        return None
    longest = min(round(longest_lag_s / STEP_S), steps // 4)
    about = _about_lag(wanted, moved, longest)
    lags = range(max(about - _NEAR, -longest), min(about + _NEAR, longest) + 1)
    lag = max(lags, key=lambda lag: abs(_correlation(*_overlap(wanted, moved, lag))))
    first, second = _overlap(wanted, moved, lag)
    correlation = _correlation(first, second)
    if correlation == 0.0:
        return None
    scale, offset = np.polyfit(second, first, 1)
    return Likeness(
        quantity=quantity.name,
        signal=signal.name,
        correlation=correlation,
        scale=float(scale),
        offset=float(offset),
        lag_s=lag * STEP_S,
    )


def _held(series: Series, grid: Array) -> Array:
    index = np.searchsorted(series.time_s, grid, side="right") - 1
    held: Array = series.values[np.clip(index, 0, None)]
    return held


def _correlation(first: Array, second: Array) -> float:
    if np.ptp(first) == 0.0 or np.ptp(second) == 0.0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def _about_lag(wanted: Array, moved: Array, longest: int) -> int:
    """The shift in steps with the greatest product; the ends of the log make it inexact."""
    size = 1 << (2 * len(wanted) - 1).bit_length()
    spectrum = np.fft.rfft(moved - moved.mean(), size)
    spectrum *= np.conj(np.fft.rfft(wanted - wanted.mean(), size))
    products = np.fft.irfft(spectrum, size)
    lags = np.arange(-longest, longest + 1)
    return int(lags[np.argmax(np.abs(products[lags]))])


def _overlap(wanted: Array, moved: Array, lag: int) -> tuple[Array, Array]:
    if lag > 0:
        return wanted[:-lag], moved[lag:]
    if lag < 0:
        return wanted[-lag:], moved[:lag]
    return wanted, moved


def best_of(
    found: Iterable[Likeness], *, at_least: float, most: int
) -> Mapping[str, list[Likeness]]:
    """Return for each quantity the signals that are most like it, the best one first."""
    best: dict[str, list[Likeness]] = {}
    for one in sorted(found, key=lambda likeness: -abs(likeness.correlation)):
        if abs(one.correlation) >= at_least:
            rows = best.setdefault(one.quantity, [])
            if len(rows) < most:
                rows.append(one)
    return best
