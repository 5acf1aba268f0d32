"""Reads and writes `config/gamepads/*.yaml`: plain YAML values <-> GamepadMapping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from vdsim_protocol.checked_file import FileError, is_file, read_yaml
from vdsim_protocol.shown import shown_plainly

from vdsim_interface.teleop.mapping import (
    Action,
    GamepadMapping,
    MappingError,
    PedalAxis,
    SteerAxis,
    Switch,
)

_Part = TypeVar("_Part")
_REQUIRED_KEYS = ("axes", "buttons", "steer", "throttle", "brake")
_TOP_KEYS = ("name", "match", *_REQUIRED_KEYS, "deadman", "actions", "counts")
_STEER_TYPES: dict[str, type] = {"axis": int, "invert": bool, "dead_zone": float, "expo": float}
_PEDAL_TYPES: dict[str, type] = {
    "axis": int,
    "rest": float,
    "pressed": float,
    "dead_zone": float,
    "expo": float,
}
_SWITCH_TYPES: dict[str, type] = {"button": int, "axis": int, "beyond": float, "with": int}


def load_mapping(path: Path) -> GamepadMapping:
    """Load a mapping; MappingError names the file and the wrong key."""
    try:
        document = read_yaml(path)
    except FileError as fault:
        raise MappingError(str(fault)) from None
    try:
        return parse_mapping(document, default_name=path.stem)
    except MappingError as error:
        raise MappingError(f"{path}: {error}") from error


def load_folder(folder: Path) -> tuple[GamepadMapping, ...]:
    """Load all mappings of a folder, in the order of their file names."""
    return tuple(load_mapping(path) for path in sorted(folder.glob("*.yaml")))


def candidate_mappings(config: str, folder: Path) -> tuple[GamepadMapping, ...]:
    """Load the mappings to choose from: all shipped ones for `auto`, else one by name or path."""
    if config == "auto":
        return load_folder(folder)
    shipped = folder / f"{config}.yaml"
    if is_file(shipped):
        return (load_mapping(shipped),)
    if config.endswith((".yaml", ".yml")) or "/" in config:
        try:
            return (load_mapping(Path(config).expanduser()),)
        except RuntimeError:  # ~NAME of nobody
            return (load_mapping(Path(config)),)
    names = ", ".join(path.stem for path in sorted(folder.glob("*.yaml")))
    raise MappingError(f"joy_config={config}: must be auto, a file or one of {names}")


def parse_mapping(document: object, default_name: str) -> GamepadMapping:
    """Build a mapping from the plain values of its YAML."""
    top = _table("the file", document)
    for key in top:
        if key not in _TOP_KEYS:
            raise MappingError(f"{shown_plainly(key)}: unknown; allowed are {', '.join(_TOP_KEYS)}")
    for key in _REQUIRED_KEYS:
        if key not in top:
            raise MappingError(f"{key}: missing")
    match = top.get("match", [])
    if not isinstance(match, list) or not all(isinstance(part, str) and part for part in match):
        raise MappingError(f"match={shown_plainly(match)}: must be a list of parts of device names")
    counts = top.get("counts", [])
    if not isinstance(counts, list):
        raise MappingError(f"counts={shown_plainly(counts)}: must be a list of numbers of buttons")
    return GamepadMapping(
        name=str(top.get("name", default_name)),
        match=tuple(match),
        axes=_count("axes", top["axes"]),
        buttons=_count("buttons", top["buttons"]),
        steer=_part("steer", top["steer"], _STEER_TYPES, lambda v: SteerAxis(**v)),
        throttle=_pedal("throttle", top["throttle"]),
        brake=_pedal("brake", top["brake"]),
        deadman=_switch("deadman", top["deadman"]) if top.get("deadman") is not None else None,
        actions=_actions(top.get("actions", {})),
        counts=tuple(_count("counts", count) for count in counts),
    )


def dump_mapping(mapping: GamepadMapping) -> str:
    """Return the YAML text of a mapping; `parse_mapping` of it returns an equal mapping."""
    document: dict[str, Any] = {
        "name": mapping.name,
        "match": list(mapping.match),
        "axes": mapping.axes,
        "buttons": mapping.buttons,
        "steer": vars(mapping.steer).copy(),
        "throttle": _plain(mapping.throttle),
        "brake": _plain(mapping.brake),
        "deadman": _plain(mapping.deadman) if mapping.deadman else None,
        "actions": {action.value: _plain(switch) for action, switch in mapping.actions.items()},
    }
    if mapping.counts:
        document["counts"] = list(mapping.counts)
    text: str = yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=100)
    return text


def _plain(part: PedalAxis | Switch) -> dict[str, Any]:
    if isinstance(part, PedalAxis):
        return vars(part).copy()
    plain: dict[str, Any] = {"button": part.button} if part.button is not None else {}
    if part.axis is not None:
        plain |= {"axis": part.axis, "beyond": part.beyond}
    if part.with_button is not None:
        plain["with"] = part.with_button
    return plain


def _actions(value: object) -> dict[Action, Switch]:
    names = {action.value: action for action in Action}
    actions = {}
    for key, part in _table("actions", value).items():
        if key not in names:
            raise MappingError(
                f"actions.{shown_plainly(key)}: unknown; allowed are {', '.join(names)}"
            )
        actions[names[key]] = _switch(f"actions.{key}", part)
    return actions


def _pedal(key: str, value: object) -> PedalAxis | Switch:
    if "button" in _table(key, value):
        return _switch(key, value)
    return _part(key, value, _PEDAL_TYPES, lambda v: PedalAxis(**v))


def _switch(key: str, value: object) -> Switch:
    def build(values: dict[str, Any]) -> Switch:
        return Switch(
            button=values.get("button"),
            axis=values.get("axis"),
            beyond=values.get("beyond", 0.0),
            with_button=values.get("with"),
        )

    return _part(key, value, _SWITCH_TYPES, build)


def _part(
    key: str,
    value: object,
    types: Mapping[str, type],
    build: Callable[[dict[str, Any]], _Part],
) -> _Part:
    values: dict[str, Any] = {}
    for name, entry in _table(key, value).items():
        if name not in types:
            raise MappingError(
                f"{key}.{shown_plainly(name)}: unknown; allowed are {', '.join(types)}"
            )
        values[name] = _typed(f"{key}.{name}", entry, types[name])
    try:
        return build(values)
    except MappingError as error:
        joiner = "." if "=" in str(error).split(":", 1)[0] else ": "
        raise MappingError(f"{key}{joiner}{error}") from error
    except TypeError as error:  # a required field of the dataclass is missing
        missing = [name for name in types if f"'{name}'" in str(error)]
        raise MappingError(f"{key}.{missing[0]}: missing") from error


def _typed(key: str, value: object, kind: type) -> Any:
    if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if type(value) is not kind:
        allowed = {int: "a whole number", float: "a number", bool: "true or false"}
        raise MappingError(f"{key}={shown_plainly(value)}: must be {allowed[kind]}")
    return value


def _count(key: str, value: object) -> int:
    if type(value) is not int or not 1 <= value <= 256:
        raise MappingError(f"{key}={shown_plainly(value)}: must be a whole number, 1 to 256")
    return value


def _table(key: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MappingError(f"{key}: must be a table of keys and values")
    return {str(name): entry for name, entry in value.items()}
