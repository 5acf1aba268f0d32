"""How much what is not explained counts: less than its square, row by row and piece by piece.

A row that is far from the simulation counts by its distance (Huber). A piece that the simulation
leaves altogether, because a wheel locks there that did not in the car, counts by a logarithm: it
must not hold back a fit that all the others lead on. Where only noise is left both change nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
HUBER = 4.0  # standard deviations
STEEPEST = 0.02  # of a channel's size, for a change of a parameter by the 0.2 % of a derivative
LARGEST_MISFIT = 2.0
"""Up to here a segment counts in full; 1 is what noise alone leaves."""


def row_costs(e: Array) -> Array:
    """Return the cost of differences, in standard deviations."""
    away = np.abs(e)
    costs: Array = np.where(away <= HUBER, 0.5 * away**2, HUBER * (away - 0.5 * HUBER))
    return costs


def row_weight(e: Array) -> Array:
    """Return the weight of squares with which differences pull as `row_costs` does."""
    weights: Array = np.minimum(1.0, HUBER / np.maximum(np.abs(e), 1e-12))
    return weights


def smooth_weight(steepest: Array, size: float, noise: float) -> Array:
    """Return the weight of rows that the smallest change of a parameter changes by `steepest`.

    `size` and `noise`: of the channel. At an edge, such as that of a wheel that locks, a derivative
    says nothing of what a longer step does; such rows would hold every step back.
    """
    allowed = max(STEEPEST * size, noise)
    weights: Array = (allowed / np.maximum(steepest, allowed)) ** 2
    return weights


def segment_cost(misfit: Array) -> Array:
    """Return what a segment of this misfit counts; both in costs that noise alone leaves."""
    beyond = np.maximum(misfit / LARGEST_MISFIT, 1.0)
    return np.asarray(np.minimum(misfit, LARGEST_MISFIT) + LARGEST_MISFIT * np.log(beyond))


def segment_weight(misfit: Array) -> Array:
    """Return the slope of `segment_cost`."""
    return np.asarray(1.0 / np.maximum(misfit / LARGEST_MISFIT, 1.0))
