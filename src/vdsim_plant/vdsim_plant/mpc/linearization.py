"""Linearisation of one control period: A, B and c of `x' = A x + B u + c`, from the plant itself.

The exact one carries derivatives through the substeps (linear/). What that does not cover
(a tyre from a property file, the kinematic level, `limit_to_motor`, actuators) is linearised by
central differences of whole steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vdsim_plant.car.loops import advance_linear, advance_linear_full
from vdsim_plant.compiled.memory import on_cache_lines
from vdsim_plant.ground import Ground, is_uniform_or_striped
from vdsim_plant.kernel import layout as at
from vdsim_plant.linear import layout as to
from vdsim_plant.motion import NO_WIND, Wind
from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.vehicle import Vehicle

Array = NDArray[np.float64]

OBSERVED_STATES = to.STATE_NAMES[:6]
ALL_STATES = to.STATE_NAMES
_STATES = {"observed": OBSERVED_STATES, "all": ALL_STATES}
_INPUT_NAMES = ("delta", "Fx")

# Half the difference of each state and input: large against rounding, and so small that a kink (a
# limit of the equations, a wheel that locks) seldom lies within.
_STEP_OF = {"X": 1e-4, "Y": 1e-4, "psi": 1e-6, "vx": 1e-5, "vy": 1e-5, "r": 1e-6}
_STEPS = np.array([_STEP_OF.get(name, 1e-7 if "stretch" in name else 1e-5) for name in ALL_STATES])
_INPUT_STEPS = (1e-6, 0.1)


@dataclass(frozen=True, eq=False)
class Linearization:
    """One control period near a state and an input: `x_next = A x + B u + c`, u = [delta, Fx].

    `A, B, c = plant.linearize(u)` unpacks it. `states` names the rows: [X, Y, psi, vx, vy, r] with
    the rest of the state as it is (wheel spins among it), or all that a car remembers from one
    substep to the next. Units as in an observation; `force_`, `expected_`, `change_` and `ax` in
    m/s2, `yaw_acc` and `yaw_change` in rad/s2, `omega` in rad/s, stretches without unit.
    `x`, `u`: where it was taken; `x_next`: where the step leads from there, to the bit.
    """

    A: Array
    B: Array
    c: Array
    x: Array
    u: Array
    x_next: Array
    states: tuple[str, ...]

    def __iter__(self) -> Iterator[Array]:
        yield self.A
        yield self.B
        yield self.c


def checked_states(states: str) -> int:
    """Return how many states these are."""
    if not isinstance(states, str) or states not in _STATES:
        raise wrong_value("states", states, " or ".join(_STATES))
    return len(_STATES[states])


def checked_input(u: ArrayLike) -> list[float]:
    """Return one input as [delta, Fx], or raise naming the entry."""
    try:
        values: list[float] = np.asarray(u, dtype=np.float64).ravel().tolist()
    except (TypeError, ValueError, OverflowError):
        values = []
    if len(values) != 2:
        raise wrong_value("u", u, "two numbers, [delta_rad, Fx_n]")
    for index, value in enumerate(values):
        if not math.isfinite(value):
            raise wrong_value(f"u[{index}] ({_INPUT_NAMES[index]})", value, "finite")
    return values


def checked_input_rows(us: ArrayLike) -> Array:
    """Return inputs as rows of [delta, Fx], or raise naming the entry."""
    try:
        values = np.asarray(us, dtype=np.float64)
        values = values.reshape(len(values), -1)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("us", "must be rows of two numbers, [delta_rad, Fx_n]") from None
    if values.shape[1] != 2:
        raise ParameterError("us", f"has shape {values.shape}: must be rows of [delta_rad, Fx_n]")
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        row, column = (int(place) for place in wrong[0])
        name = f"us[{row}][{column}] ({_INPUT_NAMES[column]})"
        raise wrong_value(name, float(values[row, column]), "finite")
    return values


def is_exact(vehicle: Vehicle) -> bool:
    """Return whether `Linearizer` covers such a car."""
    plain = vehicle.assist is None and not vehicle.limit_to_motor and not vehicle.bends
    return plain and vehicle.level in ("l1", "l2") and vehicle.tyre.tir is None


class Linearizer:
    """Linearises one kind of car on its road, `substeps` a control period."""

    def __init__(self, vehicle: Vehicle, substeps: int) -> None:
        self._vehicle = vehicle
        self._substeps = substeps
        ground, _ = vehicle.core_arrays()
        self._work = on_cache_lines(to.WORK_SIZE)
        self._work[:] = 0.0
        self._car = self._work[: at.SIZE]
        self._changes = self._work[to.X : to.LOAD].reshape(-1, to.WIDTH)
        self._friction = self._work[to.MU : to.MU + 4 * to.WIDTH]
        loop = advance_linear if vehicle.tyre.mf96.is_plain else advance_linear_full
        self._run = loop.on(self._work, ground)
        self._road = (int(not is_uniform_or_striped(vehicle.ground)), int(_ramps(vehicle.ground)))
        self._states = list(to.STATES)

    def along(self, inputs: Array, n: int, wind: Wind = NO_WIND) -> list[Linearization]:
        """Return the linearisation of each period of a drive from the vehicle's present state."""
        self._car[:] = self._vehicle.core_arrays()[1]
        self._car[at.WIND_X : at.WIND_MOMENT + 1] = wind
        return [self._period(row, n) for row in inputs]

    def _period(self, u: Array, n: int) -> Linearization:
        by_input = self._hold(float(u[0]), float(u[1]))
        x = self._car[self._states[:n]]
        directions = np.zeros((len(self._changes), n + 2))
        directions[np.arange(n), np.arange(n)] = 1.0
        directions[:, n:] = by_input
        slopes = np.empty((n, n + 2))
        start = self._car.copy() if n + 2 > to.WIDTH else None
        for first in range(0, n + 2, to.WIDTH):
            part = directions[:, first : first + to.WIDTH]
            if first:
                self._car[:] = start
            self._changes[:, : part.shape[1]] = part
            self._changes[:, part.shape[1] :] = 0.0
            self._friction[:] = 0.0
            self._run(*self._road, self._substeps)
            slopes[:, first : first + to.WIDTH] = self._changes[:n, : part.shape[1]]
        return _linearization(slopes, x, u.copy(), self._car[self._states[:n]])

    def _hold(self, delta: float, force: float) -> Array:
        """Write the inputs as `Vehicle.hold_force` does; return what delta and Fx change of them.

        At a limit, and at no force, the derivative is that of the side on which the input acts.
        """
        car, vehicle = self._car, self._vehicle
        max_steer, max_force, torque_per_force = vehicle.force_limits()
        drive_front, brake_front = vehicle.front_shares()
        steer = min(max(delta, -max_steer), max_steer)
        torque = torque_per_force * min(max(force, -max_force), max_force)
        car[at.TORQUE : at.THROTTLE + 1] = 0.0
        car[at.BRAKE : at.BRAKE + 4] = 0.0
        car[at.STEER] = steer
        changes = np.zeros((len(self._changes), 2))
        per_force = torque_per_force if abs(force) <= max_force else 0.0
        if torque >= 0.0:
            front = torque * drive_front
            car[at.TORQUE : at.TORQUE + 4] = front, front, torque - front, torque - front
            row, share = (to.DRIVE - to.X) // to.WIDTH, drive_front
        else:
            front = -torque * brake_front
            car[at.BRAKE : at.BRAKE + 4] = front, front, -torque - front, -torque - front
            row, share, per_force = (to.BRAKE - to.X) // to.WIDTH, brake_front, -per_force
        changes[row : row + 2, 1] = share * per_force
        changes[row + 2 : row + 4, 1] = (1.0 - share) * per_force
        if abs(delta) <= max_steer:
            row = (to.COS - to.X) // to.WIDTH
            changes[row : row + 2, 0] = -np.sin(steer)
            row = (to.SIN - to.X) // to.WIDTH
            changes[row : row + 2, 0] = np.cos(steer)
        return changes


def by_differences(
    vehicle: Vehicle,
    go_back: Callable[[], object],
    step: Callable[[list[float]], object],
    u: Array,
    n: int,
    share: float = 1.0,
) -> Linearization:
    """Return the linearisation of one period by central differences.

    `go_back` takes the plant back to where it is now, `step` is one period; it is left one on.
    `share` widens or narrows the differences.
    """
    if n > len(OBSERVED_STATES) and vehicle.has_ride:
        raise ParameterError(
            "states", "=all: is for the levels kinematic, l1 and l2: l3 remembers more"
        )
    if n > len(OBSERVED_STATES) and vehicle.bends:
        raise ParameterError(
            "states", "=all: is for axles that do not steer by themselves: these remember more"
        )
    plain = [float(u[0]), float(u[1])]
    slopes = np.empty((n, n + 2))
    x = vehicle.state_numbers()[:n]
    steps = [share * half for half in (*_STEPS[:n].tolist(), *_INPUT_STEPS)]
    for column, half in enumerate(steps):
        ends = []
        for change in (half, -half):
            go_back()
            inputs = plain.copy()
            if column < n:
                vehicle.change_state(column, change)
            else:
                inputs[column - n] += change
            step(inputs)
            ends.append(vehicle.state_numbers()[:n])
        slopes[:, column] = (ends[0] - ends[1]) / (2.0 * half)
    go_back()
    step(plain)
    return _linearization(slopes, x, u.copy(), vehicle.state_numbers()[:n])


def _linearization(slopes: Array, x: Array, u: Array, x_next: Array) -> Linearization:
    n = len(x)
    a, b = slopes[:, :n], slopes[:, n:]
    return Linearization(
        A=a, B=b, c=x_next - a @ x - b @ u, x=x, u=u, x_next=x_next, states=ALL_STATES[:n]
    )


def _ramps(ground: Ground) -> bool:
    """Return whether friction has slopes somewhere."""
    return ground.transition_m > 0.0 or (ground.grid is not None and ground.grid.smooth)
