"""Output-error least squares: the values with which the simulated log is the measured one.

    parameters + first states of the segments -> simulated channels -> differences over their noise

Each segment has a first state of its own (vx, vy, yaw rate), found with the parameters and then
taken out of the normal equations (Schur complement): what is left says how well the log as a
whole tells each parameter. Steps are Levenberg's and Marquardt's; a difference of more than a few
standard deviations counts less (Huber), and the standard deviations fall to the noise as the fit
converges, so that a far start does not mislead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.identify.drive_log import (
    DriveLog,
    at_start,
    noise_of,
    segment_starts,
    sliding_wheels,
)
from vdsim_plant.identify.simulation import LogSimulation, Variant
from vdsim_plant.identify.unknowns import FURTHEST, PRIOR, Start, Unknown, car_of
from vdsim_plant.parameters.errors import ParameterError

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
BIASED = ("yaw_rate_radps", "ax_mps2", "ay_mps2")
"""Sensors whose constant offset is found too."""
LOCALS = 3  # vx, vy, yaw rate of each segment's start
LOCAL_STEPS = (0.05, 0.02, 0.005)
LOCAL_PRIOR = (2.0, 1.0, 0.3)
STEP = 2e-3  # of a parameter, for its derivative
HUBER = 4.0  # standard deviations
STATE_LINE_S = 0.3
RUN_IN_S = 0.1  # the wheels settle after a segment's start
MOST_STEPS = 30
SETTLED = 0.05  # of a next step, in squared standard deviations of each value
SMALL_GAIN = 3e-5  # of the cost, by a step
SMALL_STEPS = 2  # in a row: one alone may be a detour
SAME_SPREAD = 0.02
CELLS = 8_000_000  # of a chunk's outputs
DEFAULT_SEGMENT_S = 10.0


@dataclass(frozen=True)
class Equations:
    """The normal equations with the first states taken out, and what leads back to them."""

    cost: float
    matrix: Array
    gradient: Array
    by_segment: Array
    """Each segment's share of the gradient, without the prior."""
    local_step: Array
    """Step of the first states where the parameters stay: segment x 3."""
    local_slope: Array
    """Change of that step per parameter: segment x 3 x parameter."""


@dataclass
class Place:
    """Where a fit is: parameters (unknowns, then biases) and first states of the segments."""

    x: Array
    local: Array


@dataclass
class Problem:
    """A log, a start and what is to be found."""

    log: DriveLog
    start: Start
    unknowns: Mapping[str, Unknown]
    segment_s: float = DEFAULT_SEGMENT_S
    every: int = 1
    """Of the segments only each so many-th."""
    threads: int = 2
    outputs: tuple[str, ...] = field(init=False)
    ticks: int = field(init=False)
    starts: Rows = field(init=False)
    skipped: int = field(init=False)
    """First rows of a segment that do not count."""

    def __post_init__(self) -> None:
        log = self.log
        self.outputs = self._outputs()
        self.ticks = max(20, round(self.segment_s / log.period_s))
        self.starts = segment_starts(log, self.ticks)[:: self.every]
        if len(self.starts) == 0:
            raise ParameterError(
                "log", f"has no {self.segment_s:g} s without a gap in which the car moves"
            )
        self.simulation = LogSimulation(log, self.start, self.outputs)
        self.start_values = self.start.values()
        self.keys = tuple(self.unknowns)
        self.biases = tuple(name for name in BIASED if name in self.outputs)
        self.noise = np.array([noise_of(log.columns[name], log.stretches) for name in self.outputs])
        self.initial = self._initial()
        self.spins = sliding_wheels(log, self.starts)
        self.skipped = max(1, round(RUN_IN_S / log.period_s))

    def _outputs(self) -> tuple[str, ...]:
        """The measured channels, less those that serve as inputs."""
        log = self.log
        steered = log.has("command_steer_rad") or log.has("command_steering_wheel_rad")
        pedals = log.has("command_throttle", "command_brake")
        return tuple(
            name
            for name in log.measured
            if (steered or name not in ("steer_rad", "steering_wheel_rad"))
            and (pedals or not name.startswith("wheel_torque_nm"))
        )

    def _initial(self) -> Array:
        """First states as the log has them."""
        states = np.zeros((len(self.starts), LOCALS))
        for column, name in enumerate(("vx_mps", "vy_mps", "yaw_rate_radps")):
            if self.log.has(name):
                states[:, column] = at_start(self.log, name, self.starts, STATE_LINE_S)
        return states

    def values(self, x: Array) -> dict[str, float]:
        """Return the values of all keys at a place."""
        found = dict(self.start_values)
        for key, number in zip(self.keys, x, strict=False):
            found[key] = self.unknowns[key].value(self.start_values[key], float(number))
        return found

    def check(self, place: Place) -> None:
        """Raise ParameterError where the car, or one beside it for a derivative, cannot be."""
        for variant in self._variants(place):
            car_of(self.start, variant.values)

    def begin(self) -> Place:
        """Return the start of the fit."""
        size = len(self.keys) + len(self.biases)
        return Place(np.zeros(size), np.zeros((len(self.starts), LOCALS)))

    def residuals(self, place: Place) -> Array:
        """Return measured less simulated: channel x tick x segment."""
        seen = [
            self._differences(chunk, self._simulated(chunk, place, [Variant(self.values(place.x))]))
            for chunk in self._chunks(1)
        ]
        return np.concatenate(seen, axis=2)

    def spread(self, residuals: Array) -> Array:
        """Return each channel's standard deviation: noise, or more far from the fit."""
        middle = np.median(np.abs(residuals[:, self.skipped :]), axis=(1, 2)) / 0.6745
        spread: Array = np.maximum(self.noise, middle)
        return spread

    def cost(self, residuals: Array, place: Place, spread: Array) -> float:
        """Return what the fit makes small."""
        e = np.abs(residuals[:, self.skipped :]) / spread[:, np.newaxis, np.newaxis]
        huber = np.where(e <= HUBER, 0.5 * e**2, HUBER * (e - 0.5 * HUBER))
        return float(huber.sum()) + self._prior_cost(place)

    def equations(self, place: Place, spread: Array) -> Equations:
        """Return the normal equations at a place."""
        variants = self._variants(place)
        chunks = list(self._chunks(len(variants)))

        def share(chunk: slice) -> tuple[float, Array, Array, Array, Array]:
            return self._share(chunk, place, variants, spread)

        if self.threads > 1:
            with ThreadPoolExecutor(self.threads) as pool:
                shares = list(pool.map(share, chunks))
        else:
            shares = [share(chunk) for chunk in chunks]
        size = len(place.x)
        prior = 1.0 / PRIOR**2
        held = np.arange(size) < len(self.keys)  # biases have no prior
        matrix = sum((s[1] for s in shares), np.diag(np.where(held, prior, 1e-9)))
        by_segment = np.concatenate([s[2] for s in shares])
        gradient = by_segment.sum(axis=0) - np.where(held, prior * place.x, 0.0)
        return Equations(
            cost=sum(s[0] for s in shares) + self._prior_cost(place),
            matrix=matrix,
            gradient=gradient,
            by_segment=by_segment,
            local_step=np.concatenate([s[3] for s in shares]),
            local_slope=np.concatenate([s[4] for s in shares]),
        )

    def _prior_cost(self, place: Place) -> float:
        held = place.x[: len(self.keys)]
        local = place.local / np.array(LOCAL_PRIOR)
        return float(0.5 * np.sum((held / PRIOR) ** 2) + 0.5 * np.sum(local**2))

    def _variants(self, place: Place) -> list[Variant]:
        values = self.values(place.x)
        variants = [Variant(values)]
        for index in range(len(self.keys)):
            moved = place.x.copy()
            moved[index] += STEP
            variants.append(Variant(self.values(moved)))
        for index, step in enumerate(LOCAL_STEPS):
            shift = [0.0] * LOCALS
            shift[index] = step
            variants.append(Variant(values, (shift[0], shift[1], shift[2])))
        return variants

    def _chunks(self, wide: int) -> Iterator[slice]:
        size = max(1, CELLS // (len(self.outputs) * self.ticks * wide))
        # As many as there are threads, or a multiple of it.
        count = -(-len(self.starts) // size)
        count = min(len(self.starts), -(-count // self.threads) * self.threads)
        edges = [len(self.starts) * k // count for k in range(count + 1)]
        for first, last in pairwise(edges):
            yield slice(first, last)

    def _simulated(self, chunk: slice, place: Place, variants: Sequence[Variant]) -> Array:
        initial = self.initial[chunk] + place.local[chunk]
        seen = self.simulation.run(
            variants, self.starts[chunk], initial, self.ticks, self.spins[chunk]
        )
        for index, name in enumerate(self.biases):
            seen[self.outputs.index(name)] += place.x[len(self.keys) + index]
        return seen

    def _differences(self, chunk: slice, seen: Array) -> Array:
        rows = self.starts[chunk] + np.arange(self.ticks)[:, np.newaxis]
        measured = np.stack([self.log.columns[name][rows] for name in self.outputs])
        return measured - seen[..., 0]

    def _share(
        self, chunk: slice, place: Place, variants: Sequence[Variant], spread: Array
    ) -> tuple[float, Array, Array, Array, Array]:
        """One chunk's cost, matrix, gradients by segment, and the way back to its first states."""
        keys, size = len(self.keys), len(place.x)
        seen = self._simulated(chunk, place, variants)
        differences = self._differences(chunk, seen)[:, self.skipped :]
        seen = seen[:, self.skipped :]
        count = seen.shape[2]
        to = np.r_[0:keys, size : size + LOCALS]  # places in the equations
        steps = np.concatenate((np.full(keys, STEP), LOCAL_STEPS))
        full = np.zeros((count, size + LOCALS, size + LOCALS))
        right = np.zeros((count, size + LOCALS))
        cost = 0.0
        for channel, name in enumerate(self.outputs):
            e = differences[channel] / spread[channel]
            away = np.abs(e)
            cost += float(np.where(away <= HUBER, 0.5 * e**2, HUBER * (away - 0.5 * HUBER)).sum())
            weight = np.sqrt(np.minimum(1.0, HUBER / np.maximum(away, 1e-12)))
            rows = seen[channel]
            rows -= rows[..., :1].copy()
            rows *= (weight / spread[channel])[..., np.newaxis]
            e = e * weight
            bias = weight / spread[channel]
            places, scale = to, steps
            if name in self.biases:
                rows[..., 0] = bias  # the first variant is the base, of no use any more
                places = np.r_[keys + self.biases.index(name), to]
                scale = np.concatenate(([1.0], steps))
                used = slice(0, None)
            else:
                used = slice(1, None)
            for segment in range(count):
                part = rows[:, segment, used]
                grid = np.ix_([segment], places, places)
                full[grid] += (part.T @ part / np.outer(scale, scale))[np.newaxis]
                right[segment, places] += (e[:, segment] @ part) / scale
        prior = 1.0 / np.array(LOCAL_PRIOR) ** 2
        local = full[:, size:, size:] + np.diag(prior)
        right_local = right[:, size:] - prior * place.local[chunk]
        inverse = np.linalg.inv(local)
        cross = full[:, size:, :size]
        step = np.einsum("sij,sj->si", inverse, right_local)
        slope = -inverse @ cross
        matrix = (full[:, :size, :size] + cross.transpose(0, 2, 1) @ slope).sum(axis=0)
        gradient = right[:, :size] - np.einsum("sji,sj->si", cross, step)
        return cost, matrix, gradient, step, slope


@dataclass(frozen=True)
class Fit:
    """A fit that has come to its end."""

    problem: Problem
    place: Place
    equations: Equations
    residuals: Array
    spread: Array
    steps: int
    converged: bool

    @property
    def values(self) -> dict[str, float]:
        """The values of all keys."""
        return self.problem.values(self.place.x)


def fit(
    problem: Problem, place: Place | None = None, report: Callable[[str], None] | None = None
) -> Fit:
    """Find the values; `report` gets a line after each step."""
    place = problem.begin() if place is None else place
    damping = 1e-2
    residuals = problem.residuals(place)
    spread = problem.spread(residuals)
    converged = False
    steps = small = 0
    equations = problem.equations(place, spread)
    for steps in range(1, MOST_STEPS + 1):
        before = problem.cost(residuals, place, spread)
        trial, found, after = None, residuals, before
        for _ in range(8):
            trial = stepped(problem, place, equations, damping)
            try:
                problem.check(trial)
                found = problem.residuals(trial)
                after = problem.cost(found, trial, spread)
            except ParameterError:  # no car has such values
                after = np.inf
            if after < before:
                break
            damping = max(8.0 * damping, 1e-4)
        if report is not None:
            report(f"step {steps}: cost {before:.6g} -> {after:.6g}")
        if trial is None or not after < before:
            # No way down, however short: the end, unless every trial leaps away from the log.
            converged = after - before < SMALL_GAIN * before
            break
        place, residuals = trial, found
        damping = max(damping / 8.0, 1e-9)
        new_spread = problem.spread(residuals)
        same = np.allclose(new_spread, spread, rtol=SAME_SPREAD)
        spread = spread if same else new_spread
        equations = problem.equations(place, spread)
        small = small + 1 if before - after < SMALL_GAIN * before else 0
        if same and (small >= SMALL_STEPS or decrement(equations) < SETTLED * len(place.x)):
            converged = True
            break
    return Fit(
        problem=problem,
        place=place,
        equations=equations,
        residuals=residuals,
        spread=spread,
        steps=steps,
        converged=converged,
    )


def decrement(equations: Equations) -> float:
    """Return how long the next step is, in squared standard deviations of what it changes."""
    step = np.linalg.solve(equations.matrix, equations.gradient)
    return float(equations.gradient @ step)


def stepped(problem: Problem, place: Place, equations: Equations, damping: float) -> Place:
    """Return the place after one damped step."""
    matrix = equations.matrix
    damped = matrix + damping * np.diag(np.diag(matrix))
    step = np.linalg.solve(damped, equations.gradient)
    keys = len(problem.keys)
    x = place.x + step
    x[:keys] = place.x[:keys] + np.clip(step[:keys], -0.5, 0.5)
    for index, key in enumerate(problem.keys):
        if problem.unknowns[key].scale == 0.0:
            x[index] = min(max(x[index], -FURTHEST), FURTHEST)
    taken = x - place.x
    # A piece at the limit may answer to its first state less evenly than its slope promises.
    local = place.local + equations.local_step / (1.0 + damping) + equations.local_slope @ taken
    return Place(x, local)
