"""What differs from one plant to another: changes of a plant's arguments and parameters by name."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.actuator import ActuatorParameters
from vdsim_plant.ground import Ground, polygons_from, x_patches_from
from vdsim_plant.layer_files import load_actuator, load_sensor
from vdsim_plant.parameters import VehicleParameters, load_vehicle
from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.plant_arguments import EDGE_OF_2D_M, loaded
from vdsim_plant.sensor import SensorParameters

_ROAD = ("ground", "base_mu", "friction_map", "friction_map_2d")
_FIXED = ("control_dt",)
_GROUPS = ("tyre", "ground", "actuators", "sensors", "assist")


class Variable(Protocol):
    """What can be varied: a plant."""

    def varied(self, changes: Mapping[str, Any], *, allow_coarse_substep: bool = False) -> Any:
        """Return another one with these changes."""


Plant = TypeVar("Plant", bound=Variable)


def changed_arguments(arguments: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a plant with these changes; whole ones first, then what is in them.

    `arguments` holds every argument of a plant but those that describe its ground in parts.
    """
    if not isinstance(changes, Mapping):
        raise wrong_value("changes", changes, "names with values: {'base_mu': 0.5}")
    changed = dict(arguments)
    for name, value in sorted(changes.items(), key=lambda item: _order(item[0])):
        if name in _ROAD[1:]:
            changed["ground"] = _changed_road(changed["ground"], name, _plain(value))
        elif name == "config":
            changed[name] = loaded(name, value, VehicleParameters, load_vehicle)
            changed["tyre"] = None  # the new car's own
        elif name in ("actuators", "sensors"):
            changed[name] = _layer(name, value)
        elif name in changed and name not in _FIXED:
            changed[name] = _plain(value)
        elif "." in name:
            _change_within(changed, name, _plain(value))
        else:
            known = [*(key for key in changed if key not in _FIXED), *_ROAD[1:]]
            hint = difflib.get_close_matches(name, known, 1)
            suggestion = f"; did you mean {hint[0]}?" if hint else ""
            raise ParameterError(name, f"cannot be varied{suggestion}")
    return changed


def variants(
    plant: Plant, vary: Mapping[str, Sequence[Any] | NDArray[Any]], n: int
) -> tuple[list[Plant], NDArray[np.int64]]:
    """Return the different plants that n cars are, and which of them each car is."""
    if not isinstance(vary, Mapping):
        raise wrong_value("vary", vary, "names with n values each: {'base_mu': [0.5, ...]}")
    if not vary:
        return [plant], np.zeros(n, dtype=np.int64)
    columns = {}
    for name, values in vary.items():
        if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__len__"):
            raise ParameterError(f"vary[{name!r}]", f"must be {n} values, one for each car")
        if len(values) != n:
            raise ParameterError(f"vary[{name!r}]", f"has {len(values)} values: must be {n}")
        columns[name] = list(values)
    plants: list[Plant] = []
    numbers: dict[str, int] = {}
    of = np.zeros(n, dtype=np.int64)
    for car in range(n):
        changes = {name: _plain(values[car]) for name, values in columns.items()}
        key = repr(changes)
        if key not in numbers:
            numbers[key] = len(plants)
            plants.append(_variant(plant, changes, car))
        of[car] = numbers[key]
    return plants, of


def _variant(plant: Plant, changes: Mapping[str, Any], car: int) -> Plant:
    try:
        made: Plant = plant.varied(changes)
    except ParameterError as error:
        raise error.within(f"vary[{car}]") from None
    return made


def _order(name: str) -> tuple[bool, bool]:
    """Sort whole arguments before the parts of a ground, and these before single parameters."""
    return "." in name, name in _ROAD[1:]


def _plain(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


def _layer(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name == "actuators":
        return loaded(name, value, ActuatorParameters, load_actuator)
    return loaded(name, value, SensorParameters, load_sensor)


def _changed_road(road: Ground, name: str, value: Any) -> Ground:
    if name == "base_mu":
        return dataclasses.replace(road, base_mu=value)
    if name == "friction_map":
        return dataclasses.replace(road, x_patches=x_patches_from(value))
    polygons = polygons_from(value)
    return dataclasses.replace(road, polygons=polygons, transition_m=EDGE_OF_2D_M)


def _change_within(arguments: dict[str, Any], name: str, value: Any) -> None:
    """Change one parameter of the car, or of the tyre, the ground or a layer."""
    group, _, rest = name.partition(".")
    argument, place = (group, rest) if group in _GROUPS else ("config", name)
    whole = arguments[argument]
    if whole is None:
        raise ParameterError(name, f"cannot be varied: the plant has no {argument} of its own")
    if isinstance(whole, (str, Path)):
        raise ParameterError(name, f"cannot be varied together with {argument}={str(whole)!r}")
    arguments[argument] = _replaced(whole, place, name, value)


def _replaced(whole: Any, place: str, name: str, value: Any) -> Any:
    head, _, rest = place.partition(".")
    known = [item.name for item in dataclasses.fields(whole)]
    if head not in known:
        hint = difflib.get_close_matches(head, known, 1)
        suggestion = f"; did you mean {hint[0]}?" if hint else ""
        raise ParameterError(name, f"is no parameter{suggestion}")
    inner = getattr(whole, head)
    if rest:
        if not dataclasses.is_dataclass(inner):
            raise ParameterError(name, f"is no parameter: {head} has no parts")
        value = _replaced(inner, rest, name, value)
    try:
        return dataclasses.replace(whole, **{head: value})
    except ParameterError as error:
        group = name.removesuffix(place).rstrip(".")
        raise (error.within(group) if group else error) from None
