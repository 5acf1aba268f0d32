"""Output-error least squares: the values with which the simulated log is the measured one.

    parameters + first states of the segments -> simulated channels -> differences over their noise

Steps are Levenberg's and Marquardt's. The standard deviations fall to the noise as the fit
converges, never below a share of the signal that falls too: a far start does not mislead, and a
log almost without noise has no narrow valleys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.study.identify.problem import Equations, Place, Problem, Scale

Array = NDArray[np.float64]
MOST_STEPS = 40
TRIALS = 11
"""Each is eight times more damped than the one before: the last moves next to nothing."""
FIRST_DAMPING = 1e-2
FIRST_FLOOR = 0.05  # of the spreads, over the channels' sizes
FLOOR_STEP = 0.2
LOOSE_GAIN = 0.02  # of the cost: a smaller one lets the floor sink
SETTLED = 0.05  # of a next step, in squared standard deviations of each value
SMALL_GAIN = 3e-5  # of the cost, by a step
NO_LEAP = 0.1
"""By so much more cost the shortest trial may be worse at the end. A tenth is less than half a
standard deviation of any value; a trial that leaves the log costs far more."""
SMALL_STEPS = 2  # in a row: one alone may be a detour
SAME_SPREAD = 0.02
LONGEST_STEP = 0.5  # of a parameter


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
    held: Mapping[str, float] = field(default_factory=dict)
    """Places of parameters that were not to move."""

    @property
    def values(self) -> dict[str, float]:
        """The values of all keys."""
        return self.problem.values(self.place.x)


def fit(
    problem: Problem,
    place: Place | None = None,
    report: Callable[[str], None] | None = None,
    *,
    near: bool = False,
    held: Mapping[str, float] | None = None,
) -> Fit:
    """Find the values; `report` gets a line after each step. `near`: the start is a good one.

    `held`: places of parameters that do not move.
    """
    held = held or {}
    place = problem.begin() if place is None else Place(place.x.copy(), place.local.copy())
    room = _Room(problem.low.copy(), problem.high.copy())
    for key, x in held.items():
        index = problem.keys.index(key)
        room.low[index] = room.high[index] = place.x[index] = x
    damping, floor = FIRST_DAMPING, 0.0 if near else FIRST_FLOOR
    residuals = problem.residuals(place)
    spread = problem.spread(residuals, floor)
    converged = False
    steps = small = 0
    equations = problem.equations(place, spread)
    for steps in range(1, MOST_STEPS + 1):
        before = problem.cost(residuals, place, equations.scale)
        taken, damping, nearest = _descent(problem, place, equations, residuals, damping, room)
        after = nearest if taken is None else taken.cost
        if report is not None:
            report(f"step {steps}: cost {before:.6g} -> {after:.6g}")
        floored = floor > 0.0
        if floored and (taken is None or before - after < LOOSE_GAIN * before):
            floor = _lower(problem, floor)
        if taken is None:
            if not floored:
                # No way down, however short: the end, unless every trial leaps away from the log.
                converged = after - before < SMALL_GAIN * before + NO_LEAP
                break
            damping = FIRST_DAMPING  # the next floor has other valleys
        else:
            place, residuals = taken.place, taken.residuals
            damping = max(damping / 8.0, 1e-9)
        new_spread = problem.spread(residuals, floor)
        same = np.allclose(new_spread, spread, rtol=SAME_SPREAD)
        spread = spread if same else new_spread
        equations = problem.equations(place, spread)
        small = small + 1 if before - after < SMALL_GAIN * before else 0
        ends = small >= SMALL_STEPS or decrement(place, equations, room) < SETTLED * len(place.x)
        if same and not floored and ends:
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
        held=held,
    )


@dataclass(frozen=True)
class _Room:
    """Bounds of each parameter, lower and upper; both are its value where it is held."""

    low: Array
    high: Array


@dataclass(frozen=True)
class _Taken:
    """A step that reduced the cost."""

    place: Place
    residuals: Array
    cost: float


def _descent(
    problem: Problem,
    place: Place,
    equations: Equations,
    residuals: Array,
    damping: float,
    room: _Room,
) -> tuple[_Taken | None, float, float]:
    """Return a step down if there is one, its damping, and the last cost that was tried."""
    before = problem.cost(residuals, place, equations.scale)
    after = np.inf
    for _ in range(TRIALS):
        trial = stepped(problem, place, equations, damping, room)
        try:
            problem.check(trial)
            trial, found = _with_better_states(problem, trial, place, equations.scale)
            after = problem.cost(found, trial, equations.scale)
        except ParameterError:  # no car has such values
            after = np.inf
        if after < before:
            return _Taken(trial, found, after), damping, after
        damping = max(8.0 * damping, 1e-4)
    return None, damping, after


def _with_better_states(
    problem: Problem, trial: Place, place: Place, scale: Scale
) -> tuple[Place, Array]:
    """Return the trial, each segment with the better of its new and its old first state."""
    found = problem.residuals(trial)
    kept = Place(trial.x, place.local)
    other = problem.residuals(kept)
    worse = problem.segment_costs(found, trial, scale) > problem.segment_costs(other, kept, scale)
    found[:, :, worse] = other[:, :, worse]
    return Place(trial.x, np.where(worse[:, np.newaxis], place.local, trial.local)), found


def _lower(problem: Problem, floor: float) -> float:
    """Return the next floor of the spreads; 0 once it is below the noise of all channels."""
    lower = FLOOR_STEP * floor
    return lower if np.any(lower * problem.sizes > problem.noise) else 0.0


def decrement(place: Place, equations: Equations, room: _Room) -> float:
    """Return how long the next step is, in squared standard deviations of what it changes.

    What is at a bound and pulls beyond it does not count: it stays there.
    """
    step = bounded_step(
        equations.matrix, equations.gradient, room.low - place.x, room.high - place.x
    )
    return float(equations.gradient @ step)


def bounded_step(matrix: Array, gradient: Array, low: Array, high: Array) -> Array:
    """Return the step to the least of a quadratic between bounds.

    What is at a bound and pulls beyond it stays. What would leave its bounds is put there, and the
    others find their least beside it.
    """
    step = np.zeros(len(gradient))
    free = ~(((high <= 0.0) & (gradient >= 0.0)) | ((low >= 0.0) & (gradient <= 0.0)))
    while free.any():
        pull = gradient[free] - matrix[np.ix_(free, ~free)] @ step[~free]
        step[free] = np.linalg.solve(matrix[np.ix_(free, free)], pull)
        inside = np.clip(step, low, high)
        beyond = free & (inside != step)
        if not beyond.any():
            break
        step[beyond] = inside[beyond]
        free &= ~beyond
    return step


def stepped(
    problem: Problem, place: Place, equations: Equations, damping: float, room: _Room
) -> Place:
    """Return the place after one damped step."""
    matrix = equations.matrix
    damped = matrix + damping * np.diag(np.diag(matrix))
    step = bounded_step(damped, equations.gradient, room.low - place.x, room.high - place.x)
    keys = len(problem.keys)
    step[:keys] = np.clip(step[:keys], -LONGEST_STEP, LONGEST_STEP)
    x = np.clip(place.x + step, room.low, room.high)
    taken = x - place.x
    # A piece at the limit may answer to its first state less evenly than its slope promises.
    local = place.local + equations.local_step / (1.0 + damping) + equations.local_slope @ taken
    return Place(x, local)
