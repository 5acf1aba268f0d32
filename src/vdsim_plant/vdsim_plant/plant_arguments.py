"""What VDSimPlant is given, checked and loaded; a fault names the argument and its index."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from vdsim_plant.actuator import ActuatorLayer, ActuatorParameters
from vdsim_plant.car.inputs import STATE_LIMITS
from vdsim_plant.ground import Ground, flat, load_ground, polygons_from, x_patches_from
from vdsim_plant.layer_files import load_actuator, load_sensor
from vdsim_plant.motion import InitialState
from vdsim_plant.parameters.entries import checked_truth, entries_of
from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.other_names import no_such_argument
from vdsim_plant.parameters.substep import check_substep, warn_of_substep
from vdsim_plant.sensor import SensorLayer, SensorParameters, checked_seed

EDGE_OF_2D_M = 1.0
"""Friction changes over this width at the edges of a `friction_map_2d`."""
STATE_NAMES = ("X", "Y", "psi", "vx", "vy", "r")
Parameters = TypeVar("Parameters")
Loaded = TypeVar("Loaded")


def loaded(
    key: str,
    given: Parameters | str | Path,
    kind: type[Parameters],
    load: Callable[[str | Path], Loaded],
) -> Parameters | Loaded:
    """Return parameters as they are, or load them by preset name or path."""
    if isinstance(given, kind):
        return given
    if not isinstance(given, (str, Path)):
        allowed = f"a preset name, a path or {kind.__name__}"
        raise ParameterError(key, f"={given!r}: must be {allowed}")
    try:
        return load(given)
    except ParameterError as error:
        if error.source:
            raise
        raise ParameterError(key, error.problem) from None


def actuator_layer(given: ActuatorParameters | str | Path) -> ActuatorLayer:
    """Return the layer of actuators that an argument `actuators` means."""
    return ActuatorLayer(loaded("actuators", given, ActuatorParameters, load_actuator))


def sensor_layer(given: SensorParameters | str | Path, seed: int) -> SensorLayer:
    """Return the layer of sensors that an argument `sensors` means, its noise by a seed."""
    parameters = loaded("sensors", given, SensorParameters, load_sensor)
    return SensorLayer(parameters, seed=checked_seed(seed))


def road_of(
    ground: Ground | str | Path | None,
    base_mu: float | None,
    friction_map: Sequence[Sequence[float]] | None,
    friction_map_2d: Sequence[Mapping[str, Any]] | None,
) -> Ground:
    """Return the road that the arguments describe in one of the three ways."""
    if friction_map is not None and friction_map_2d is not None:
        problem = "is given as well as friction_map: give one of them"
        raise ParameterError("friction_map_2d", problem)
    if ground is None:
        base = flat() if base_mu is None else flat(base_mu)
        if friction_map_2d is not None:
            polygons = polygons_from(friction_map_2d)
            return replace(base, polygons=polygons, transition_m=EDGE_OF_2D_M)
        return replace(base, x_patches=x_patches_from(friction_map))
    others = {
        "friction_map": friction_map,
        "friction_map_2d": friction_map_2d,
        "base_mu": base_mu,
    }
    for key, value in others.items():
        if value is not None:
            raise ParameterError("ground", f"is given as well as {key}: give one of them")
    return loaded("ground", ground, Ground, load_ground)


THEIRS = "(config, friction_map, friction_map_2d, base_mu, control_dt, substep_dt, level)"
OURS = "(config, friction_map, base_mu, control_dt, substep_dt)"
LONGEST_BY_POSITION_S = 0.2
"""A period above it, given by its place alone, is more likely VDSim's friction [s]."""


def refuse_their_order(given: Sequence[object]) -> None:
    """Raise where arguments given by their place are in the order of VDSim's own class.

    At the place of our period it has the friction: the same call would be another experiment.
    """
    why = f"VDSimPlant of VDSim is {THEIRS}, this one {OURS}: name the arguments"
    if len(given) > 2 and (given[2] is None or isinstance(given[2], (list, tuple))):
        raise ParameterError("third argument", f"={given[2]!r}: must be base_mu; {why}")
    period = given[3] if len(given) > 3 else 0.0
    if isinstance(period, (int, float)) and period > LONGEST_BY_POSITION_S:
        allowed = f"must be control_dt of at most {LONGEST_BY_POSITION_S:g} s"
        raise ParameterError("fourth argument", f"={period!r}: {allowed}; {why}")


def refuse_unknown(unknown: Mapping[str, object], call: Callable[..., object]) -> None:
    """Raise for keywords that a call does not have, naming ours for those of other simulators."""
    kinds = inspect.signature(call).parameters.values() if unknown else ()
    known = [item.name for item in kinds if item.kind is not item.VAR_KEYWORD]
    for name in unknown:
        raise TypeError(no_such_argument(name, [item for item in known if item != "self"]))


def initial_state(state0: ArrayLike) -> InitialState:
    """Return a start state from `[X, Y, psi, vx, vy, r]`, or raise naming the entry."""
    try:
        values = [float(value) for value in entries_of(state0)]
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("state0", f"={state0!r}: must be six numbers") from None
    if len(values) != len(STATE_NAMES):
        problem = f"has {len(values)} values: must be [X, Y, psi, vx, vy, r]"
        raise ParameterError("state0", problem)
    for index, (name, limit) in enumerate(zip(STATE_NAMES, STATE_LIMITS.values(), strict=True)):
        value = values[index]
        if not math.isfinite(value):
            raise wrong_value(f"state0[{index}] ({name})", value, "finite")
        if abs(value) > limit:
            raise wrong_value(f"state0[{index}] ({name})", value, f"-{limit:g} to {limit:g}")
    return InitialState(*values)


def checked_periods(
    control_dt: float, substep_dt: float, *, allow_coarse_substep: bool = False
) -> tuple[int, float, float]:
    """Return the number of substeps of a control period, the period and the substep, or raise."""
    control_dt = _seconds("control_dt", control_dt)
    substep_dt = _seconds("substep_dt", substep_dt)
    count = round(control_dt / substep_dt)
    if count < 1 or abs(count * substep_dt - control_dt) > 1e-9 * control_dt:
        parts = math.ceil(control_dt / substep_dt)
        proposal = f"control_dt / {parts} ({control_dt / parts:g}) does"
        problem = f"={substep_dt:g}: must divide control_dt={control_dt:g}; {proposal}"
        raise ParameterError("substep_dt", problem)
    _check_substep(substep_dt, allow_coarse_substep=allow_coarse_substep)
    return count, control_dt, substep_dt


def checked_substep(substep_dt: float, *, allow_coarse_substep: bool = False) -> float:
    """Return a substep [s] without a control period, or raise; a long one warns the caller's."""
    substep_dt = _seconds("substep_dt", substep_dt)
    _check_substep(substep_dt, allow_coarse_substep=allow_coarse_substep)
    if not allow_coarse_substep:
        warn_of_substep("substep_dt", substep_dt, stacklevel=4)
    return substep_dt


def _check_substep(substep_s: float, *, allow_coarse_substep: bool) -> None:
    checked_truth("allow_coarse_substep", allow_coarse_substep)
    allow = "" if allow_coarse_substep else "allow_coarse_substep=True"
    check_substep("substep_dt", substep_s, allow=allow)


def _seconds(key: str, value: object) -> float:
    """Return a time [s] that is above 0; of numpy's shorter numbers the decimal that they print."""
    if isinstance(value, (np.floating, np.integer)):
        value = float(str(value))
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise wrong_value(key, value, "a number of seconds")
    if not (math.isfinite(value) and value > 0.0):
        raise wrong_value(key, value, "> 0 s")
    return float(value)
