"""Opens the YAML documents of the plant's shells: fleets and scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.input_file import read_text
from vdsim_plant.parameters.yaml_text import LARGEST_YAML_BYTES, parse_yaml


def load_document(path: Path, known: Iterable[str]) -> Mapping[str, Any]:
    """Read a YAML file that holds a group of the known keys, or raise a ParameterError."""
    document = parse_yaml(
        read_text(path, largest_bytes=LARGEST_YAML_BYTES, source=str(path)), source=path.name
    )
    if not isinstance(document, Mapping):
        raise ParameterError("document", "must be a group of keys", source=path.name)
    refuse_unknown(document, known, source=path.name)
    return document


def refuse_unknown(group: Mapping[str, Any], known: Iterable[str], *, source: str = "") -> None:
    """Raise for the first key that is not known."""
    names = tuple(known)
    for key in group:
        if key not in names:
            problem = f"unknown key; known are {', '.join(names)}"
            raise ParameterError(str(key)[:80], problem, source=source)


def as_group(key: str, value: object) -> Mapping[str, Any]:
    """Return the value when it is a group of keys (nothing counts as an empty one), or raise."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise wrong_value(key, value, "a group of keys")
    return value
