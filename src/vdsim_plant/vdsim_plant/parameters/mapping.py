"""Builds a parameter dataclass from a mapping (a YAML document, command line options)."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from typing import Any, TypeVar

from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.fields import specs, types_of
from vdsim_plant.parameters.other_names import other_key
from vdsim_plant.parameters.provenance import PROVENANCE, provenance_of

Group = TypeVar("Group")


def from_mapping(kind: type[Group], values: object, *, source: str = "") -> Group:
    """Build `kind` from a mapping; every fault is one ParameterError naming key and value.

    Nested dataclasses are built from nested mappings. Unknown keys and missing keys are faults.
    The group `provenance` is checked and left aside: `provenance_of` reads it.
    """
    if source and not isinstance(values, Mapping):
        raise wrong_value("content", values, "a group of keys").in_file(source)
    try:
        if isinstance(values, Mapping) and PROVENANCE in values:
            provenance_of(kind, values)
            values = {key: value for key, value in values.items() if key != PROVENANCE}
        built: Group = _build(kind, values)
    except ParameterError as error:
        raise error.in_file(source) from None
    return built


def _build(kind: type[Any], values: object) -> Any:
    if not isinstance(values, Mapping):
        raise wrong_value("", values, "a group of keys")
    fields = {item.name: item for item in dataclasses.fields(kind) if item.init}
    for key in values:
        if key not in fields:
            name = str(key)[:80]
            raise ParameterError(name, "unknown key" + suggestion(name, list(fields)))
    hints = types_of(kind)  # type: ignore[arg-type]
    arguments: dict[str, Any] = {}
    for name, item in fields.items():
        nested = hints[name] if dataclasses.is_dataclass(hints[name]) else None
        if name in values:
            arguments[name] = _nested(name, nested, values[name]) if nested else values[name]
        elif _has_no_default(item):
            raise ParameterError(name, f"missing{_expected(kind, name)}")
    return kind(**arguments)


def _nested(name: str, kind: Any, values: object) -> Any:
    try:
        return _build(kind, values)
    except ParameterError as error:
        raise error.within(name) from None


def _has_no_default(item: dataclasses.Field[Any]) -> bool:
    no_default = item.default is dataclasses.MISSING
    return no_default and item.default_factory is dataclasses.MISSING


def _expected(kind: type[Any], name: str) -> str:
    declared = dict(specs(kind))
    return f" ({declared[name].doc}: {declared[name].allowed()})" if name in declared else ""


def suggestion(key: str, known: list[str]) -> str:
    """Return what to add to the error of an unknown key: the nearest one, or all of them."""
    near = [name for name in (other_key(key, known),) if name]
    near = near or difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    near = near or [name for name in known if name.startswith(key)][:1]
    return f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known)}"
