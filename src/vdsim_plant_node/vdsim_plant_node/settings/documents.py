"""Opens the YAML documents of the plant's shells: fleets and scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.yaml_text import parse_yaml


def load_document(path: Path, known: Iterable[str]) -> Mapping[str, Any]:
    """Read a YAML file that holds a group of the known keys, or raise a ParameterError."""
    document = parse_yaml(read_text(path), source=path.name)
    if not isinstance(document, Mapping):
        raise ParameterError("document", "must be a group of keys", source=path.name)
    refuse_unknown(document, known, source=path.name)
    return document


def read_text(path: Path) -> str:
    """Read a UTF-8 text file, with or without a byte order mark, or raise a ParameterError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ParameterError(
            "file", f"cannot be read: {error.strerror}", source=str(path)
        ) from None
    except UnicodeDecodeError:
        raise ParameterError("file", "is not UTF-8 text", source=str(path)) from None


def refuse_unknown(group: Mapping[str, Any], known: Iterable[str], *, source: str = "") -> None:
    """Raise for the first key that is not known."""
    names = tuple(known)
    for key in group:
        if key not in names:
            problem = f"unknown key; known are {', '.join(names)}"
            raise ParameterError(str(key), problem, source=source)


def as_group(key: str, value: object) -> Mapping[str, Any]:
    """Return the value when it is a group of keys (nothing counts as an empty one), or raise."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise wrong_value(key, value, "a group of keys")
    return value
