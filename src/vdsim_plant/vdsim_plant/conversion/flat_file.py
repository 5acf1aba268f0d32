"""Reads one of VDSim's flat YAML files: every key checked, none ignored in silence."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vdsim_plant.conversion.flat_keys import (
    TYRE_KEYS,
    TYRE_LEFT_OUT,
    VEHICLE_KEYS,
    VEHICLE_LEFT_OUT,
    FlatKey,
)
from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.files import read_yaml

_PART_KEYS = ("id", "type", "version", "schema", "label", "tags", "body")
"""A part of VDSim's catalogue has the flat keys in `body`."""


@dataclass(frozen=True)
class FlatFile:
    """A checked file. `kind`: vehicle or tyre. `left_out`: lines about keys with no counterpart.

    `given`: the keys that the file has; `values` has the defaults of the others too.
    """

    path: Path
    kind: str
    values: Mapping[str, Any]
    given: frozenset[str]
    left_out: tuple[str, ...]


def read_flat(path: Path, *, ignore: Sequence[str] = ()) -> FlatFile:
    """Read a file; a fault is one ParameterError that names file and key.

    `ignore`: keys that are unknown here and may be left out.
    """
    try:
        if path.suffix.lower() not in (".yaml", ".yml"):
            raise ParameterError("file", f"={str(path)!r}: must be a .yaml file")
        twice: list[str] = []

        def note(key: str, earlier: int, later: int) -> None:
            twice.append(f"{key}: given twice: line {later} counts, not line {earlier}")

        flat = _checked(path, _content(read_yaml(path, note)), ignore)
        return replace(flat, left_out=(*twice, *flat.left_out))
    except ParameterError as error:
        raise error.in_file(path.name) from None


def _content(document: object) -> Mapping[str, object]:
    if not isinstance(document, Mapping):
        raise wrong_value("content", document, "a group of keys")
    if "body" in document and all(key in _PART_KEYS for key in document):
        document = document["body"]
        if not isinstance(document, Mapping):
            raise wrong_value("body", document, "a group of keys")
    return document


def _checked(path: Path, content: Mapping[str, object], ignore: Sequence[str]) -> FlatFile:
    kind = _kind(content)
    keys = VEHICLE_KEYS if kind == "vehicle" else TYRE_KEYS
    others = VEHICLE_LEFT_OUT if kind == "vehicle" else TYRE_LEFT_OUT
    values: dict[str, Any] = {}
    left_out = []
    for key, value in content.items():
        key = str(key)
        if key in keys:
            values[key] = keys[key].read(key, value)
        elif key in others:
            others[key].read(key, value)
            if others[key].loses(value):
                left_out.append(f"{key}: {others[key].why}")
        elif key in ignore:
            left_out.append(f"{key}: ignored by request")
        else:
            raise ParameterError(key, "unknown key" + _suggestion(key, [*keys, *others]))
    values = {**_defaults(keys, values), **values}
    if kind == "vehicle":
        _check_axles(values)
    return FlatFile(
        path=path,
        kind=kind,
        values=values,
        given=frozenset(content) & frozenset(keys),
        left_out=tuple(left_out),
    )


def _kind(content: Mapping[str, object]) -> str:
    """A vehicle has a mass; a tyre has the factors of its formula, or a property file."""
    if "mass" in content:
        return "vehicle"
    if any(key in content for key in ("B_lat", "B_long", "backend", "tir_path")):
        return "tyre"
    problem = "is neither a flat vehicle file (mass) nor a tyre file (B_lat, or backend)"
    raise ParameterError("content", problem)


def _defaults(keys: Mapping[str, FlatKey], values: Mapping[str, Any]) -> dict[str, Any]:
    for key, declared in keys.items():
        if declared.default is None and key not in values:
            raise ParameterError(key, "missing")
    return {key: declared.default for key, declared in keys.items()}


def _check_axles(values: Mapping[str, Any]) -> None:
    apart = values["cg_to_front"] + values["cg_to_rear"]
    if abs(apart - values["wheelbase"]) > 1e-3:
        problem = f"={values['wheelbase']:g}: must be cg_to_front + cg_to_rear ({apart:g} m)"
        raise ParameterError("wheelbase", problem)


def _suggestion(key: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else "; --ignore KEY leaves it out"
