"""What a fit is worth: an interval for each value, and which values the log does not tell.

The interval is the widest of four: that of white noise, that of noise as slow as what is left
over, one that takes each segment's pull on the values as it is (a sandwich), and one that takes the
pull of each channel in each kind of driving as it is: where the model is wrong, they disagree.
A value is identified when its interval is narrow and the pieces held out of the fit are explained.
A fit that did not converge tells nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d
from scipy.stats import t as student

from vdsim_plant.study.identify.candidates import (
    FURTHEST,
    Unknown,
)
from vdsim_plant.study.identify.channels import CHANNELS
from vdsim_plant.study.identify.fitting import Fit
from vdsim_plant.study.identify.held_out import HeldOut
from vdsim_plant.study.identify.input_series import SUBSTEP_S
from vdsim_plant.study.identify.problem import Problem
from vdsim_plant.study.identify.robustness import HUBER, LARGEST_MISFIT
from vdsim_plant.study.identify.unknowns import (
    car_of,
    motor_key,
)
from vdsim_plant.vehicle_characteristics import understeer_gradient

Array = NDArray[np.float64]
NINETY_FIVE = 1.96
MORE_THAN_NOISE = 1.2
MOST_NAMED = 5
HARDLY_SHOWN = 0.3
"""Half width, in places of the fit, from which a value is better left as the start has it."""
UNDERSTEER = "understeer_gradient"
ENOUGH_UNDERSTEER = 3e-4  # rad s2/m
SMALL = 1e-4
_STIFFNESSES = (
    "axles.cornering_stiffness_front_n_per_rad",
    "axles.cornering_stiffness_rear_n_per_rad",
)
NOT_ENDED = "the fit did not converge"
NOT_EXPLAINED = "the pieces held out of the fit are not explained"
KIND_MEAN_S = 0.3
KIND_AY_MPS2 = (1.5, 4.0)
KIND_AX_MPS2 = 1.5
MODEL_ERROR = 1.75  # half widths, over those without; from cars that the model does not have
WRONG_SHARE = 0.005
"""Of a channel's changes that the equations may miss in all pieces alike."""
WRONG_S = 1e-3
"""By how much a channel may be late in all of them."""
NOTHING_SLOW, ALL_SLOW = 1.2, 1.5
"""How slow what is left may be by chance, and from where it is the model's error."""
TOLD_BY = 0.2
"""Share of what is known of a value that a channel tells: then it must be explained."""
FEW_KINDS = 2  # fewer say nothing of each other
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
    """Return the covariance of the unknowns: of white noise, or of the sandwich if it is wider.

    Wider in each unknown by itself: the correlations are those of white noise.
    """
    white = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    return widened(white, sandwich(white, by_segment))


def sandwich(bread: Array, pulls: Array) -> Array:
    """Return the covariance when each row of `pulls` may be wrong by itself."""
    count = len(pulls)
    correction = count / (count - 1.0) if count > 1 else 1.0
    found: Array = correction * bread @ (pulls.T @ pulls) @ bread
    return found


def widened(covariance: Array, *others: Array) -> Array:
    """Return a covariance with the largest variances of several, and its own correlations."""
    own = np.diag(covariance)
    most = np.max([own, *(np.diag(other) for other in others)], axis=0)
    by = np.sqrt(most / own)
    found: Array = covariance * np.outer(by, by)
    return found


def kinds_of(problem: Problem) -> NDArray[np.int64]:
    """Return the kind of driving of each segment: how much it turns, brakes, and how fast it is.

    What a model lacks shows in some kinds of driving and not in others.
    """
    log, rows = problem.log, problem.starts[:, np.newaxis] + np.arange(problem.ticks)
    speed = log.columns["vx_mps"][rows]
    width = max(1, round(KIND_MEAN_S / log.period_s))
    rate = np.gradient(uniform_filter1d(speed, width, axis=1), log.period_s, axis=1)
    yaw_rate = log.columns.get("yaw_rate_radps")
    turning = speed * yaw_rate[rows] if yaw_rate is not None else np.zeros_like(speed)
    if yaw_rate is None and log.has("ay_mps2"):
        turning = log.columns["ay_mps2"][rows]
    turning = uniform_filter1d(turning, width, axis=1)
    hardest = np.quantile(np.abs(turning), 0.9, axis=1)
    across = np.digitize(hardest, KIND_AY_MPS2)
    along = (np.quantile(np.abs(rate), 0.9, axis=1) > KIND_AX_MPS2).astype(np.int64)
    mean = np.abs(speed).mean(axis=1)
    fast = (mean > np.median(mean)).astype(np.int64)
    return np.asarray(4 * across + 2 * along + fast, dtype=np.int64)


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


def slowness_of(fit: Fit) -> Array:
    """Return how much wider than white a channel's noise must be to have the slow parts left."""
    residuals = fit.residuals * np.sqrt(fit.equations.scale.rows)
    slow = slow_spread(residuals, fit.spread, fit.problem.log.period_s)
    return np.asarray(slow / fit.spread, dtype=np.float64)


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
    """Return where to hold what the log hardly shows, by noise alone: key -> place of the fit.

    The widest goes first, refinements before the others; what is left is then shown better. The
    place is the start, and for a torque the start's in proportion to the torques beside it.
    """
    problem = fit.problem
    keys = problem.keys
    matrix = fit.equations.matrix
    wide: dict[str, float] = {}
    for index, key in enumerate(keys):
        if abs(fit.place.x[index]) >= FURTHEST and problem.unknowns[key].scale == 0.0:
            wide[key] = 0.0
    while len(wide) < len(keys):
        left = [k for k, key in enumerate(keys) if key not in wide]
        kept = np.r_[left, len(keys) : len(matrix)]
        variances = np.diag(np.linalg.inv(matrix[np.ix_(kept, kept)]))[: len(left)]
        widths = NINETY_FIVE * np.sqrt(variances)
        worst = [
            (problem.unknowns[keys[k]].fine, float(width), keys[k])
            for k, width in zip(left, widths, strict=True)
            if not width <= HARDLY_SHOWN
        ]
        if not worst:
            break
        wide[max(worst)[2]] = 0.0
    return _beside(fit, wide)


def _beside(fit: Fit, wide: dict[str, float]) -> dict[str, float]:
    """Put torques that the log hardly shows in proportion to those beside them."""
    keys, speeds = fit.problem.keys, fit.problem.start.motor_knots_radps
    torques = [k for k in range(len(speeds)) if motor_key(k) in keys]
    shown = [k for k in torques if motor_key(k) not in wide]
    for k in torques:
        if shown and motor_key(k) in wide:
            places = [float(fit.place.x[keys.index(motor_key(j))]) for j in shown]
            beside = [speeds[j] for j in shown]
            wide[motor_key(k)] = float(np.interp(speeds[k], beside, places))
    return wide


def estimates_of(fit: Fit, held_out: HeldOut) -> dict[str, Estimate]:
    """Return the fitted values with their intervals, and what follows from them."""
    problem = fit.problem
    unknowns = list(problem.unknowns.values())
    values = [fit.values[key] for key in problem.keys]
    covariance = covariance_of(fit)
    widths = half_widths(unknowns, values, np.diag(covariance))
    # A torque turns a wheel in one substep and pushes the car in the next: times are no finer.
    widths = [
        math.hypot(width, 2.0 * SUBSTEP_S) if unknown.unit == "s" else width
        for unknown, width in zip(unknowns, widths, strict=True)
    ]
    # What the pieces held out pull a value by is an error that the others do not show.
    widths = [
        max(width, abs(held_out.pull.get(unknown.key, 0.0) * unknown.slope(value)))
        for unknown, value, width in zip(unknowns, values, widths, strict=True)
    ]
    notes = notes_of(fit, held_out)
    found = {
        unknown.key: Estimate(
            key=unknown.key,
            unit=unknown.unit,
            value=value,
            start=problem.start_values[unknown.key],
            half_width=width,
            identified=(
                not notes[unknown.key]
                and unknown.key not in fit.held
                and shortfall(unknown, value, width) <= 1.0
            ),
            note=notes[unknown.key] or unknown.shown_by,
            kept=unknown.key in fit.held,
        )
        for unknown, value, width in zip(unknowns, values, widths, strict=True)
    }
    if all(key in found for key in _STIFFNESSES):
        against = next((notes[key] for key in _STIFFNESSES if notes[key]), "")
        found[UNDERSTEER] = _understeer(fit, covariance, against)
    return found


def notes_of(fit: Fit, held_out: HeldOut) -> dict[str, str]:
    """Return what speaks against the label of each value; nothing for most.

    A channel that the car does not explain in the pieces held out takes the label of what it tells.
    """
    keys = fit.problem.keys
    if not fit.converged:
        return dict.fromkeys(keys, NOT_ENDED)
    if not held_out.pieces:
        return dict.fromkeys(keys, NOT_EXPLAINED)
    told = fit.equations.told[:, : len(keys)]
    shares = told / np.maximum(told.sum(axis=0), 1e-300)
    not_explained = [fit.problem.outputs.index(name) for name in held_out.channels]
    against = (shares[not_explained] >= TOLD_BY).any(axis=0)
    return {key: NOT_EXPLAINED if says else "" for key, says in zip(keys, against, strict=True)}


def _understeer(fit: Fit, covariance: Array, note: str) -> Estimate:
    """Return the understeer gradient: what the axles' stiffnesses say together."""
    problem, values = fit.problem, dict(fit.values)

    def gradient(at: Mapping[str, float]) -> float:
        front, rear = (at[key] for key in _STIFFNESSES)
        return understeer_gradient(car_of(problem.start, at)[0], front, rear)

    now = gradient(values)
    slopes = np.zeros(len(covariance))
    for index, key in enumerate(problem.keys):
        unknown = problem.unknowns[key]
        moved = values[key] + SMALL * unknown.slope(values[key])
        if key in (*_STIFFNESSES, "body.mass_kg", "body.cg_to_front_axle_m"):
            slopes[index] = (gradient({**values, key: moved}) - now) / SMALL
    width = NINETY_FIVE * float(np.sqrt(slopes @ covariance @ slopes))
    return Estimate(
        key=UNDERSTEER,
        unit="rad s2/m",
        value=now,
        start=gradient(problem.start_values),
        half_width=width,
        identified=not note and width <= ENOUGH_UNDERSTEER,
        note=note or "bends, slow and fast",
    )


def covariance_of(fit: Fit) -> Array:
    """Return the covariance of the places of the fit: the widest of the four.

    Where the equations are wrong (`model_error`), what a small error of each channel would do comes
    on top: one of its size, and one in time, the same all through the log, which no piece of it
    contradicts.
    """
    problem, pulls = fit.problem, fit.equations.pulls
    residuals = fit.residuals * np.sqrt(fit.equations.scale.rows)
    slow = slow_spread(residuals, fit.spread, problem.log.period_s)
    bread = np.asarray(np.linalg.inv(fit.equations.matrix), dtype=np.float64)
    found = [
        np.asarray(np.linalg.inv(problem.equations(fit.place, slow).matrix), dtype=np.float64),
        sandwich(bread, fit.equations.by_segment),
    ]
    kinds = kinds_of(problem)
    known = np.unique(kinds)
    if len(known) >= FEW_KINDS:
        groups = [pulls[:, kinds == kind].sum(axis=1) for kind in known]
        factor = float(student.ppf(0.975, len(known) * len(pulls) - 1)) / NINETY_FIVE
        found.append(factor**2 * sandwich(bread, np.concatenate(groups)))
    shared = widened(bread, *found)
    share = model_error(fit)
    own = np.diag(shared)
    moved = np.einsum("ij,kcj->kci", bread, fit.equations.leaks)
    wrong = np.einsum("k,kci->i", np.array([WRONG_SHARE, WRONG_S]) ** 2, moved**2)
    by = (1.0 + share * (MODEL_ERROR - 1.0)) * np.sqrt(1.0 + share * wrong / own)
    wider: Array = shared * np.outer(by, by)
    return wider


def model_error(fit: Fit) -> float:
    """Return how sure it is that the equations are wrong: 0 where noise alone is left, up to 1.

    An error of the model that all pieces and kinds of driving share shows in none of them; what is
    left of a channel and is no white noise says that there is one.
    """
    slowness = fit.problem.slowness
    most = float(np.max(slowness_of(fit) if slowness is None else slowness))
    return min(max((most - NOTHING_SLOW) / (ALL_SLOW - NOTHING_SLOW), 0.0), 1.0)
