"""Pieces of a log that the fit does not get: does the car that it found explain them?

One piece in five is held out. Its first state is found, three numbers for some hundred rows of each
channel; everything else is the fit's. What these pieces would pull the values to is known as well:
an interval is no narrower than that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.study.identify.channels import CHANNELS
from vdsim_plant.study.identify.drive_log import DriveLog, segment_starts
from vdsim_plant.study.identify.fitting import Fit
from vdsim_plant.study.identify.problem import Equations, Place, Problem

Array = NDArray[np.float64]
EVERY = 5  # one piece in so many is held out
FIRST = 2
FEWEST = 5  # pieces; of fewer none can be spared
SETTLING = 3  # steps to the first states
LARGEST_SHARE = 0.2
"""Of a channel's changes: what a car may leave unexplained beyond the noise."""


@dataclass(frozen=True)
class Left:
    """What is left of a channel, as roots of the mean square, in its unit."""

    held_out: float
    fitted: float
    noise: float
    changes: float
    """Of the channel itself in the pieces that were held out, about each one's mean."""

    @property
    def share(self) -> float:
        """What is left beyond the noise, over the changes."""
        beyond = np.sqrt(max(self.held_out**2 - self.noise**2, 0.0))
        return float(beyond / max(self.changes, self.noise))


@dataclass(frozen=True)
class HeldOut:
    """How well the car explains what it was not fitted to."""

    pieces: int
    left: dict[str, Left]
    pull: Mapping[str, float] = field(default_factory=dict)
    """How far these pieces, added to the others, would move each value, in places of the fit."""

    @property
    def channels(self) -> list[str]:
        """The channels that the car does not explain."""
        return [name for name, left in self.left.items() if left.share > LARGEST_SHARE]

    @property
    def unexplained(self) -> list[str]:
        """What speaks against the car, as text; nothing where it explains the pieces."""
        if not self.pieces:
            return ["the log is too short to hold a piece out"]
        return [
            f"{name}: {self.left[name].held_out:.3g} {CHANNELS[name].unit} left in the pieces held "
            f"out, {100.0 * self.left[name].share:.0f} % of its changes"
            for name in self.channels
        ]


def held_rows(log: DriveLog, segment_s: float) -> NDArray[np.bool_]:
    """Return the rows of the pieces that are held out."""
    ticks = max(20, round(segment_s / log.period_s))
    starts = segment_starts(log, ticks)
    held = np.zeros(log.rows, dtype=bool)
    if len(starts) >= FEWEST:
        for start in starts[FIRST::EVERY]:
            held[start : start + ticks] = True
    return held


def held_out_of(fit: Fit, rows: NDArray[np.bool_], segment_s: float) -> HeldOut:
    """Return how well a fitted car explains pieces that were held out."""
    own = fit.problem
    if not rows.any():
        return HeldOut(0, {})
    problem = Problem(
        own.log,
        own.start,
        own.unknowns,
        segment_s=segment_s,
        threads=own.threads,
        allowed=rows,
    )
    place = problem.begin()
    place.x[:] = fit.place.x
    place, residuals, equations = _settled(problem, place, fit.spread)
    weights = equations.scale.rows
    inside = problem.starts + np.arange(problem.ticks)[:, np.newaxis]
    own_rows = fit.equations.scale.rows
    left = {}
    for channel, name in enumerate(problem.outputs):
        measured = problem.log.columns[name][inside]
        left[name] = Left(
            held_out=_rms(residuals[channel], weights[channel]),
            fitted=_rms(fit.residuals[channel], own_rows[channel]),
            noise=float(problem.noise[channel]),
            changes=float(np.sqrt(np.mean((measured - measured.mean(axis=0)) ** 2))),
        )
    prior = np.zeros(len(place.x))
    prior[: len(own.keys)] = own.priors**-2
    both = fit.equations.matrix + equations.matrix - np.diag(prior)
    pull = np.linalg.solve(both, equations.pulls.sum(axis=(0, 1)))
    return HeldOut(len(problem.starts), left, dict(zip(own.keys, pull.tolist(), strict=False)))


def _settled(problem: Problem, place: Place, spread: Array) -> tuple[Place, Array, Equations]:
    """Return the best first states of the pieces, what they leave, and the equations there."""
    residuals = problem.residuals(place)
    equations = problem.equations(place, spread)
    for _ in range(SETTLING):
        trial = Place(place.x, place.local + equations.local_step)
        found = problem.residuals(trial)
        better = problem.segment_costs(found, trial, equations.scale) < problem.segment_costs(
            residuals, place, equations.scale
        )
        residuals = np.where(better, found, residuals)
        local = np.where(better[:, np.newaxis], trial.local, place.local)
        place = Place(place.x, local)
        equations = problem.equations(place, spread)
    return place, residuals, equations


def _rms(values: Array, weights: Array) -> float:
    return float(np.sqrt((values**2 * weights).sum() / max(weights.sum(), 1.0)))
