"""What of a vehicle can be chosen while its server runs: values in, checked settings out.

Names, checks and error texts are those of the command line. Files are named only there: here, the
presets and what the vehicle has now can be chosen, so that nobody who reaches the data port reads
files of this machine through it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from operator import attrgetter
from typing import Any

from vdsim_plant.assist.parameters import NONE, assist_names
from vdsim_plant.ground import MU_MAX, ground_names
from vdsim_plant.layer_files import IDEAL, actuator_names, sensor_names
from vdsim_plant.parameters import tyre_names, vehicle_names
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.fields import Choice, Number, Spec, Whole, specs
from vdsim_plant.parameters.mapping import suggestion
from vdsim_plant.parameters.yaml_text import parse_yaml

from vdsim_plant_node.settings.fleet import vehicle_from_mapping
from vdsim_plant_node.settings.options import BY_NAME, named_by_option, typed, vehicle_values
from vdsim_plant_node.settings.road import FLAT
from vdsim_plant_node.settings.server_settings import StartState, VehicleSettings

CHOSEN = (
    *("vehicle", "tyre", "level", "mu", "ground", "x0", "y0", "yaw0", "vx0"),
    *("actuator", "assist", "sensor", "seed", "charge"),
)
"""The options that can be chosen, in the order in which they are shown."""

_PRESETS: Mapping[str, tuple[tuple[str, ...], Callable[[], tuple[str, ...]]]] = {
    "vehicle": ((), vehicle_names),
    "tyre": (("vehicle",), tyre_names),
    "ground": ((FLAT,), ground_names),
    "actuator": ((IDEAL,), actuator_names),
    "assist": ((NONE,), assist_names),
    "sensor": ((IDEAL,), sensor_names),
}
"""What is no file, and the presets."""

_FIELDS: Mapping[str, Spec] = {
    **dict(specs(VehicleSettings)),
    **{f"start.{name}": spec for name, spec in specs(StartState)},
    "mu": Number(doc="friction", above=0.0, at_most=MU_MAX),
}
_FILE_ENDINGS = (".yaml", ".yml", ".tir", ".csv")
_DEFAULTS = VehicleSettings()


def current(settings: VehicleSettings) -> dict[str, Any]:
    """The values of what can be chosen, by option; plain data."""
    values = {name: attrgetter(BY_NAME[name].key)(settings) for name in CHOSEN}
    plain: dict[str, Any] = json.loads(json.dumps(values))
    return plain


def described(settings: VehicleSettings) -> list[dict[str, Any]]:
    """What can be chosen: meaning, kind, what is allowed, the default, the value now."""
    defaults, values = current(_DEFAULTS), current(settings)
    return [
        {
            "name": name,
            "text": BY_NAME[name].help,
            **_allowed(name, values[name]),
            "default": defaults[name],
            "value": values[name],
        }
        for name in CHOSEN
    ]


def chosen(settings: VehicleSettings, document: Mapping[str, Any]) -> VehicleSettings:
    """The settings with what a document chooses; a ParameterError names the option.

    What is left out keeps its value; null is what the option is where nobody gives it.
    """
    _refuse_unknown(document)
    values = current(settings)
    for name, value in document.items():
        values[name] = None if value is None else _checked(name, value, values[name])
    prepared = vehicle_values(values)
    prepared["start"] = {**_start_without_options(settings), **prepared.get("start", {})}
    rest = {name: getattr(settings, name) for name in ("vehicle_id", "cmd_port", "state_to")}
    groups = {name: asdict(getattr(settings, name)) for name in ("origin", "failsafe")}
    try:
        return vehicle_from_mapping({**rest, **groups, **prepared})
    except ParameterError as error:
        raise named_by_option(error) from error


def as_yaml(settings: VehicleSettings) -> str:
    """What was chosen, as a file for `vdsim_realtime --config`."""
    lines = ["# A car and its road: vdsim_realtime --config FILE"]
    for name, value in current(settings).items():
        if value is not None:  # JSON is YAML
            lines.append(f"{name}: {json.dumps(value, ensure_ascii=False)}")
    return "\n".join((*lines, ""))


def document_of(text: str) -> Mapping[str, Any]:
    """What a settings file chooses, as `chosen` takes it."""
    document = parse_yaml(text, source="settings")
    if not isinstance(document, Mapping):
        raise ParameterError("settings", "must be a group of keys")
    return document


def _refuse_unknown(document: Mapping[str, Any]) -> None:
    for key in document:
        if key in CHOSEN:
            continue
        name = str(key)[:60]
        if key in BY_NAME:
            problem = "is fixed when the plant starts; here can be chosen " + ", ".join(CHOSEN)
        else:
            problem = "unknown field" + suggestion(name, list(CHOSEN))
        raise ParameterError(name if name.isidentifier() else repr(name), problem)


def _checked(name: str, value: object, now: object) -> Any:
    """The value in its type; a file that is not the present one is refused."""
    given = typed(BY_NAME[name], value)
    if name not in _PRESETS or isinstance(given, Mapping) or given == now:
        return given
    if "/" in given or given.endswith(_FILE_ENDINGS) or len(given) > 200:
        allowed = ", ".join(_names(name))
        problem = f"={given[:60]!r}: a file is named when the plant starts; here it must be one of"
        raise ParameterError(name, f"{problem} {allowed}")
    return given


def _names(name: str) -> tuple[str, ...]:
    words, presets = _PRESETS[name]
    return (*words, *presets())


def _allowed(name: str, value: object) -> dict[str, Any]:
    if name in _PRESETS:
        names = _names(name)
        # The file that the vehicle was started with can be kept.
        more = (value,) if isinstance(value, str) and value not in names else ()
        return {"kind": "ground" if name == "ground" else "choice", "choices": [*names, *more]}
    spec = _FIELDS[BY_NAME[name].key]
    if isinstance(spec, Choice):
        return {"kind": "choice", "choices": list(spec.choices)}
    assert isinstance(spec, (Number, Whole))
    return {"kind": "number", "unit": spec.unit, "allowed": spec.allowed()}


def _start_without_options(settings: VehicleSettings) -> dict[str, Any]:
    keys = {BY_NAME[name].key for name in CHOSEN}
    return {
        name: value for name, value in asdict(settings.start).items() if f"start.{name}" not in keys
    }
