"""A log, a car to begin with and what is to be found: residuals, their cost and its equations.

Each segment has a first state of its own (vx, vy, yaw rate), found with the parameters and then
taken out of the normal equations (Schur complement): what is left says how well the log as a
whole tells each parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.study.identify.candidates import (
    Unknown,
)
from vdsim_plant.study.identify.drive_log import (
    DriveLog,
    at_start,
    noise_of,
    rolling_rows,
    segment_starts,
    sliding_wheels,
)
from vdsim_plant.study.identify.robustness import (
    row_costs,
    row_weight,
    segment_cost,
    segment_weight,
    smooth_weight,
)
from vdsim_plant.study.identify.simulation import LogSimulation, Variant, VariantRun
from vdsim_plant.study.identify.unknowns import (
    Start,
    car_of,
)

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
Share = TypeVar("Share")
BIASED = ("yaw_rate_radps", "ax_mps2", "ay_mps2")
"""Sensors whose constant offset is found too."""
LOCALS = 3  # vx, vy, yaw rate of each segment's start
LOCAL_STEPS = (0.05, 0.02, 0.005)
LOCAL_PRIOR = (2.0, 1.0, 0.3)
STEP = 2e-3  # of a parameter, for its derivative
STATE_LINE_S = 0.3
RUN_IN_S = 0.3  # the wheels, the tyres and the body settle after a segment's start
CELLS = 8_000_000  # of a chunk's outputs
DEFAULT_SEGMENT_S = 10.0


@dataclass(frozen=True)
class Scale:
    """What a difference is measured by: a standard deviation a channel, a weight for each row."""

    spread: Array
    rows: Array
    """Channel x tick x segment; 0 for a row that does not count."""

    def expected(self) -> Array:
        """Return what noise alone adds to the cost of each segment."""
        expected: Array = np.maximum(0.5 * self.rows.sum(axis=(0, 1)), 1.0)
        return expected


@dataclass(frozen=True)
class Equations:
    """The normal equations with the first states taken out, and what leads back to them."""

    matrix: Array
    gradient: Array
    pulls: Array
    """Each channel's and segment's share of the gradient, without the prior: channel x segment."""
    told: Array
    """What each channel tells of each parameter, as the others stay: channel x parameter."""
    leaks: Array
    """Pull of a channel that is wrong by itself: by its own size, or late by 1 s; 2 x channel x
    parameter."""
    local_step: Array
    """Step of the first states where the parameters stay: segment x 3."""
    local_slope: Array
    """Change of that step per parameter: segment x 3 x parameter."""
    scale: Scale
    """The spreads, and the rows' weights of this place."""

    @property
    def by_segment(self) -> Array:
        """Each segment's share of the gradient."""
        summed: Array = self.pulls.sum(axis=0)
        return summed


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
    allowed: NDArray[np.bool_] | None = None
    """Rows of the log that segments may lie in; without it all."""
    slowness: Array | None = None
    """How much wider than its spread a channel counts, because what is left of it is slow."""
    threads: int = 2
    outputs: tuple[str, ...] = field(init=False)
    ticks: int = field(init=False)
    starts: Rows = field(init=False)
    low: Array = field(init=False)
    high: Array = field(init=False)
    """The lowest and the highest place of each parameter."""
    counted: NDArray[np.bool_] = field(init=False)
    """Which rows of a segment count, tick x segment."""

    def __post_init__(self) -> None:
        log = self.log
        self.outputs = self._outputs()
        self.ticks = max(20, round(self.segment_s / log.period_s))
        self.starts = segment_starts(log, self.ticks)
        if self.allowed is not None:
            rows = self.starts[:, np.newaxis] + np.arange(self.ticks)
            self.starts = self.starts[self.allowed[rows].all(axis=1)]
        self.starts = self.starts[:: self.every]
        if len(self.starts) == 0:
            raise ParameterError(
                "log", f"has no {self.segment_s:g} s without a gap in which the car moves"
            )
        self.simulation = LogSimulation(log, self.start, self.outputs)
        self.start_values = self.start.values()
        self.keys = tuple(self.unknowns)
        self.priors = np.array([unknown.prior for unknown in self.unknowns.values()])
        self.biases = tuple(
            name for name in BIASED if name in self.outputs and name not in log.settled
        )
        self.noise = np.array([noise_of(log.columns[name], log.stretches) for name in self.outputs])
        self.sizes = np.array(
            [float(np.sqrt(np.mean(log.columns[name] ** 2))) for name in self.outputs]
        )
        edges = [u.bounds(self.start_values[key]) for key, u in self.unknowns.items()]
        edges += [(-np.inf, np.inf)] * len(self.biases)
        self.low, self.high = np.array(edges, dtype=np.float64).reshape(-1, 2).T
        self.initial = self._initial()
        self.spins = sliding_wheels(log, self.starts)
        self.pushed = np.zeros((len(self.starts), 2))
        for column, name in enumerate(("ax_mps2", "ay_mps2")):
            if log.has(name):
                self.pushed[:, column] = at_start(log, name, self.starts, STATE_LINE_S)
        ticks = np.arange(self.ticks)[:, np.newaxis]
        self.counted = rolling_rows(log)[self.starts + ticks]
        self.counted[: max(1, round(RUN_IN_S / log.period_s))] = False

    def _outputs(self) -> tuple[str, ...]:
        """The measured channels, less those that serve as inputs."""
        log = self.log
        steered = log.has("command_steer_rad") or log.has("command_steering_wheel_rad")
        pedals = log.has("command_throttle", "command_brake")
        given = {"vx_mps", "ax_mps2"} if log.by_speed else set()
        return tuple(
            name
            for name in log.measured
            if (steered or name not in ("steer_rad", "steering_wheel_rad"))
            and (pedals or not name.startswith("wheel_torque_nm"))
            and name not in given
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
        begins = [unknown.begins for unknown in self.unknowns.values()]
        x = np.clip(np.array([*begins, *([0.0] * len(self.biases))]), self.low, self.high)
        return Place(x, np.zeros((len(self.starts), LOCALS)))

    def residuals(self, place: Place) -> Array:
        """Return measured less simulated: channel x tick x segment."""
        run = self.simulation.prepared([Variant(self.values(place.x))])
        seen = self._mapped(
            lambda chunk: self._differences(chunk, self._simulated(chunk, place, run)), 1
        )
        return np.concatenate(seen, axis=2)

    def spread(self, residuals: Array, floor: float = 0.0) -> Array:
        """Return each channel's standard deviation: noise, or more far from the fit.

        `floor`: no less than this share of the channel's root of the mean square.
        """
        middle = np.median(np.abs(residuals[:, self.counted]), axis=1) / 0.6745
        spread: Array = np.maximum(np.maximum(self.noise, middle), floor * self.sizes)
        return spread if self.slowness is None else spread * self.slowness

    def misfits(self, residuals: Array, scale: Scale) -> Array:
        """Return how badly each segment is explained: about 1 where only noise is left."""
        total = np.zeros(residuals.shape[2])
        for channel, size in enumerate(scale.spread):
            total += (row_costs(residuals[channel] / size) * scale.rows[channel]).sum(axis=0)
        return total / scale.expected()

    def segment_costs(self, residuals: Array, place: Place, scale: Scale) -> Array:
        """Return what each segment adds to the cost."""
        local = 0.5 * np.sum((place.local / np.array(LOCAL_PRIOR)) ** 2, axis=1)
        costs: Array = segment_cost(self.misfits(residuals, scale)) * scale.expected() + local
        return costs

    def cost(self, residuals: Array, place: Place, scale: Scale) -> float:
        """Return what the fit makes small."""
        held = place.x[: len(self.keys)]
        prior = 0.5 * np.sum((held / self.priors) ** 2)
        return float(self.segment_costs(residuals, place, scale).sum() + prior)

    def equations(self, place: Place, spread: Array) -> Equations:
        """Return the normal equations at a place."""
        variants = self._variants(place)
        run = self.simulation.prepared(variants)
        shares = self._mapped(lambda chunk: self._share(chunk, place, run, spread), len(variants))
        size = len(place.x)
        prior = np.full(size, 1e-9)  # biases have none to speak of
        prior[: len(self.keys)] = self.priors**-2
        matrix = sum((s[0] for s in shares), np.diag(prior))
        pulls = np.concatenate([s[1] for s in shares], axis=1)
        gradient = pulls.sum(axis=(0, 1)) - prior * place.x
        return Equations(
            matrix=matrix,
            gradient=gradient,
            pulls=pulls,
            told=np.sum([s[5] for s in shares], axis=0),
            leaks=np.sum([s[6] for s in shares], axis=0),
            local_step=np.concatenate([s[2] for s in shares]),
            local_slope=np.concatenate([s[3] for s in shares]),
            scale=Scale(spread, np.concatenate([s[4] for s in shares], axis=2)),
        )

    def _variants(self, place: Place) -> list[Variant]:
        values = self.values(place.x)
        variants = [Variant(values)]
        for index, step in enumerate(self._steps(place)):
            moved = place.x.copy()
            moved[index] += step
            variants.append(Variant(self.values(moved)))
        for index, step in enumerate(LOCAL_STEPS):
            shift = [0.0] * LOCALS
            shift[index] = step
            variants.append(Variant(values, (shift[0], shift[1], shift[2])))
        return variants

    def _steps(self, place: Place) -> Array:
        """Return the step of each parameter for its derivative: away from its upper bound."""
        keys = len(self.keys)
        steps: Array = np.where(place.x[:keys] + STEP > self.high[:keys], -STEP, STEP)
        return steps

    def _mapped(self, share: Callable[[slice], Share], wide: int) -> list[Share]:
        """Return what `share` makes of each chunk of segments, on all threads."""
        if self.threads == 1:
            return [share(chunk) for chunk in self._chunks(wide)]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(share, self._chunks(wide)))

    def _chunks(self, wide: int) -> Iterator[slice]:
        size = max(1, CELLS // (len(self.outputs) * self.ticks * wide))
        # As many as there are threads, or a multiple of it.
        count = -(-len(self.starts) // size)
        count = min(len(self.starts), -(-count // self.threads) * self.threads)
        edges = [len(self.starts) * k // count for k in range(count + 1)]
        for first, last in pairwise(edges):
            yield slice(first, last)

    def _simulated(self, chunk: slice, place: Place, run: VariantRun) -> Array:
        initial = self.initial[chunk] + place.local[chunk]
        seen = run.run(
            self.starts[chunk], initial, self.ticks, self.spins[chunk], self.pushed[chunk]
        )
        for index, name in enumerate(self.biases):
            seen[self.outputs.index(name)] += place.x[len(self.keys) + index]
        return seen

    def _differences(self, chunk: slice, seen: Array) -> Array:
        rows = self.starts[chunk] + np.arange(self.ticks)[:, np.newaxis]
        measured = np.stack([self.log.columns[name][rows] for name in self.outputs])
        return measured - seen[..., 0]

    def _share(
        self, chunk: slice, place: Place, run: VariantRun, spread: Array
    ) -> tuple[Array, Array, Array, Array, Array, Array, Array]:
        """One chunk's matrix, gradients by segment, way back to its first states, row weights.

        Last, the diagonals of the channels' matrices, and the pulls of channels that are wrong.
        """
        keys, size = len(self.keys), len(place.x)
        seen = self._simulated(chunk, place, run)
        differences = self._differences(chunk, seen)
        count = seen.shape[2]
        to = np.r_[0:keys, size : size + LOCALS]  # places in the equations
        steps = np.concatenate((self._steps(place), LOCAL_STEPS))
        full = np.zeros((count, size + LOCALS, size + LOCALS))
        right = np.zeros((len(self.outputs), count, size + LOCALS))
        weights = np.empty((len(self.outputs), self.ticks, count))
        told = np.zeros((len(self.outputs), count, size + LOCALS))
        wrong = np.zeros((2, len(self.outputs), count, size + LOCALS))
        for channel, name in enumerate(self.outputs):
            e = differences[channel] / spread[channel]
            rows = seen[channel]
            base = rows[..., 0].copy()
            late = np.gradient(base, self.log.period_s, axis=0)
            rows -= base[..., np.newaxis]
            steepest = np.abs(rows[..., 1 : keys + 1]).max(axis=2, initial=0.0)
            smooth = smooth_weight(steepest, self.sizes[channel], self.noise[channel])
            weights[channel] = self.counted[:, chunk] * smooth
            weight = np.sqrt(row_weight(e) * weights[channel])
            rows *= (weight / spread[channel])[..., np.newaxis]
            e = e * weight
            bias = weight / spread[channel]
            leak = np.stack((base - base.mean(axis=0), late)) * bias
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
                product = part.T @ part / np.outer(scale, scale)
                full[grid] += product[np.newaxis]
                told[channel, segment, places] += np.diag(product)
                right[channel, segment, places] += (e[:, segment] @ part) / scale
                for kind in range(2):
                    wrong[kind, channel, segment, places] += leak[kind, :, segment] @ part / scale
        misfits = self.misfits(differences, Scale(spread, weights))
        share = segment_weight(misfits)
        full *= share[:, np.newaxis, np.newaxis]
        right *= share[:, np.newaxis]
        pulled = right.sum(axis=0)
        prior = 1.0 / np.array(LOCAL_PRIOR) ** 2
        local = full[:, size:, size:] + np.diag(prior)
        right_local = pulled[:, size:] - prior * place.local[chunk]
        inverse = np.linalg.inv(local)
        cross = full[:, size:, :size]
        step = np.einsum("sij,sj->si", inverse, right_local)
        slope = -inverse @ cross
        matrix = (full[:, :size, :size] + cross.transpose(0, 2, 1) @ slope).sum(axis=0)
        # Each channel's pull, less what the first states take; their prior counts with the first.
        of_states = np.einsum("sij,csj->csi", inverse, right[:, :, size:])
        of_states[0] -= np.einsum("sij,sj->si", inverse, prior * place.local[chunk])
        pulls = right[:, :, :size] - np.einsum("sji,csj->csi", cross, of_states)
        wrong *= share[:, np.newaxis]
        of_wrong = np.einsum("sij,kcsj->kcsi", inverse, wrong[..., size:])
        leaks = wrong[..., :size].sum(axis=2) - np.einsum("sji,kcsj->kci", cross, of_wrong)
        told_here: Array = (told * share[:, np.newaxis])[:, :, :size].sum(axis=1)
        return matrix, pulls, step, slope, weights, told_here, leaks
