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

from vdsim_plant.identify.channels import CHANNELS
from vdsim_plant.identify.fitting import Fit
from vdsim_plant.identify.robustness import HUBER, LARGEST_MISFIT
from vdsim_plant.identify.unknowns import FURTHEST, Unknown, motor_key

Array = NDArray[np.float64]
NINETY_FIVE = 1.96
MORE_THAN_NOISE = 1.2
MOST_NAMED = 5
HARDLY_SHOWN = 0.3
"""Half width, in places of the fit, from which a value is better left as the start has it."""
NOT_ENDED = "the fit did not converge"
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
    """What the car must do for it, or that the fit did not end."""
    kept: bool = False
    """Whether it was put back to the start's, because the log hardly shows it."""

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


def left_of(fit: Fit) -> dict[str, float]:
    """Return what is left of each channel: root of the mean square of the rows that count."""
    rows = fit.equations.scale.rows
    count = np.maximum(rows.sum(axis=(1, 2)), 1.0)
    left = np.sqrt((fit.residuals**2 * rows).sum(axis=(1, 2)) / count)
    return {name: float(value) for name, value in zip(fit.problem.outputs, left, strict=True)}


def unexplained_by(fit: Fit) -> list[str]:
    """Return what the car of the fit does not explain, as text; nothing where noise alone is left.

    Channels that keep more than their noise, and pieces of the log that the simulation leaves.
    """
    problem = fit.problem
    noise = dict(zip(problem.outputs, problem.noise.tolist(), strict=True))
    lines = [
        f"{name}: {left:.3g} {CHANNELS[name].unit} left, {left / noise[name]:.1f} times its noise"
        for name, left in left_of(fit).items()
        if left > MORE_THAN_NOISE * noise[name]
    ]
    misfits = problem.misfits(fit.residuals, fit.equations.scale)
    far = np.flatnonzero(misfits > LARGEST_MISFIT)
    if len(far):
        length = problem.ticks * problem.log.period_s
        rows = ", ".join(f"{row}" for row in problem.starts[far][:MOST_NAMED])
        more = ", ..." if len(far) > MOST_NAMED else ""
        lines.append(
            f"{len(far)} of {len(misfits)} pieces of {length:g} s, from row {rows}{more} of the log"
        )
    return lines


def hardly_shown(fit: Fit) -> dict[str, float]:
    """Return where to hold what the log hardly shows: key -> place of the fit.

    It is the start, and for a torque the start's in proportion to the torques beside it.
    """
    problem = fit.problem
    keys = problem.keys
    widths = NINETY_FIVE * np.sqrt(_variances(fit)[: len(keys)])
    furthest = np.abs(fit.place.x[: len(keys)]) >= FURTHEST
    wide = {
        key: 0.0
        for key, width, far in zip(keys, widths, furthest, strict=True)
        if not width <= HARDLY_SHOWN or (far and problem.unknowns[key].scale == 0.0)
    }
    speeds = problem.start.motor_knots_radps
    torques = [k for k in range(len(speeds)) if motor_key(k) in keys]
    shown = [k for k in torques if motor_key(k) not in wide]
    for k in torques:
        if shown and motor_key(k) in wide:
            places = [float(fit.place.x[keys.index(motor_key(j))]) for j in shown]
            beside = [speeds[j] for j in shown]
            wide[motor_key(k)] = float(np.interp(speeds[k], beside, places))
    return wide


def estimates_of(fit: Fit) -> dict[str, Estimate]:
    """Return the fitted values with their intervals."""
    problem = fit.problem
    unknowns = list(problem.unknowns.values())
    values = [fit.values[key] for key in problem.keys]
    widths = half_widths(unknowns, values, _variances(fit))
    return {
        unknown.key: Estimate(
            key=unknown.key,
            unit=unknown.unit,
            value=value,
            start=problem.start_values[unknown.key],
            half_width=width,
            identified=(
                fit.converged
                and unknown.key not in fit.held
                and shortfall(unknown, value, width) <= 1.0
            ),
            note=unknown.shown_by if fit.converged else NOT_ENDED,
            kept=unknown.key in fit.held,
        )
        for unknown, value, width in zip(unknowns, values, widths, strict=True)
    }


def _variances(fit: Fit) -> Array:
    """Return the variance of each place of the fit: the widest of the three."""
    problem = fit.problem
    variances = covariance(fit.equations.matrix, fit.equations.by_segment)
    residuals = fit.residuals * np.sqrt(fit.equations.scale.rows)
    slow = slow_spread(residuals, fit.spread, problem.log.period_s)
    slow_matrix = problem.equations(fit.place, slow).matrix
    widest: Array = np.maximum(variances, np.diag(np.linalg.inv(slow_matrix)))
    return widest
