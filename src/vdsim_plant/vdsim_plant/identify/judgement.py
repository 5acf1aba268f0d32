"""What a fit is worth: an interval for each value, and which values the log does not tell.

The interval is the widest of three: that of white noise, that of noise as slow as what is left
over, and one that takes each segment's pull on the values as it is (a sandwich). The last two are
wider for a log that the model does not explain to the end. A fit that did not converge tells
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.identify.fitting import HUBER, Fit
from vdsim_plant.identify.unknowns import Unknown

Array = NDArray[np.float64]
NINETY_FIVE = 1.96
BLOCKS_S = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A parameter after the fit."""

    key: str
    unit: str
    value: float
    start: float
    half_width: float
    """Of the 95 % interval, in the parameter's unit."""
    identified: bool
    note: str
    """What the car must do for it, or why the log cannot tell."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        return self.value - self.half_width, self.value + self.half_width


def covariance(matrix: Array, by_segment: Array) -> Array:
    """Return the variances of the unknowns: of white noise or of the sandwich, the larger."""
    white = np.linalg.inv(matrix)
    meat = by_segment.T @ by_segment
    sandwich = white @ meat @ white
    larger: Array = np.maximum(np.diag(white), np.diag(sandwich))
    return larger


def slow_spread(residuals: Array, spread: Array, period_s: float) -> Array:
    """Return the standard deviation of the white noise that has each channel's slow parts.

    `residuals`: channel x tick x segment. The mean of a block of n rows of white noise has 1/n of
    its variance; what the model does not explain has more. Each channel's worst length counts.
    """
    clipped = np.clip(residuals, *(side * HUBER * spread[:, None, None] for side in (-1.0, 1.0)))
    found: Array = np.asarray(spread, dtype=np.float64).copy()
    ticks = residuals.shape[1]
    for block_s in BLOCKS_S:
        rows = round(block_s / period_s)
        count = ticks // rows if rows > 0 else 0
        if rows < 2 or count == 0:
            continue
        blocks = clipped[:, : count * rows].reshape(len(found), count, rows, -1)
        means = blocks.mean(axis=2)
        np.maximum(found, np.sqrt(rows * np.mean(means**2, axis=(1, 2))), out=found)
    return found


def half_widths(
    unknowns: Sequence[Unknown], values: Sequence[float], variances: Array
) -> list[float]:
    """Return the half widths of the 95 % intervals in the parameters' units."""
    return [
        NINETY_FIVE * float(np.sqrt(variance)) * abs(unknown.slope(value))
        for unknown, value, variance in zip(unknowns, values, variances, strict=False)
    ]


def shortfall(unknown: Unknown, value: float, half_width: float) -> float:
    """Return how much wider than enough an interval is; up to 1 the value is known."""
    size = 1.0 if unknown.scale else abs(value)
    return half_width / (unknown.enough * size)


def estimates_of(fit: Fit) -> dict[str, Estimate]:
    """Return the fitted values with their intervals."""
    problem = fit.problem
    variances = covariance(fit.equations.matrix, fit.equations.by_segment)
    residuals = fit.residuals[:, problem.skipped :]
    slow = slow_spread(residuals, fit.spread, problem.log.period_s)
    slow_matrix = problem.equations(fit.place, slow).matrix
    variances = np.maximum(variances, np.diag(np.linalg.inv(slow_matrix)))
    unknowns = list(problem.unknowns.values())
    values = [fit.values[key] for key in problem.keys]
    widths = half_widths(unknowns, values, variances)
    return {
        unknown.key: Estimate(
            key=unknown.key,
            unit=unknown.unit,
            value=value,
            start=problem.start_values[unknown.key],
            half_width=width,
            identified=fit.converged and shortfall(unknown, value, width) <= 1.0,
            note=unknown.shown_by,
        )
        for unknown, value, width in zip(unknowns, values, widths, strict=True)
    }
