"""Where the figures of a file come from: one of four labels for each parameter.

A file states it in the group `provenance`: a key, or a group of keys, to a label, with a note
behind a colon. The nearest entry counts; what has none is assumed.

    provenance:
      body: published
      body.mass_kg: "measured: on a scale, driver included"
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.reference import keys_of

PROVENANCE = "provenance"
IDENTIFIED, MEASURED, PUBLISHED, ASSUMED = "identified", "measured", "published", "assumed"
LABELS = (IDENTIFIED, MEASURED, PUBLISHED, ASSUMED)
_TITLES = ("name", "description")


def provenance_of(kind: type[Any], content: object) -> dict[str, str]:
    """Return the label, note included, of every parameter of a file's content."""
    keys = _keys(kind)  # type: ignore[arg-type]
    given = content.get(PROVENANCE, {}) if isinstance(content, Mapping) else {}
    if not isinstance(given, Mapping):
        raise wrong_value(PROVENANCE, given, "a group of keys")
    for key, text in given.items():
        if not any(_covers(str(key), known) for known in keys):
            raise ParameterError(f"{PROVENANCE}.{str(key)[:80]}", "unknown key")
        if label_of(text) not in LABELS:
            allowed = f"one of {', '.join(LABELS)}, with a note behind a colon"
            raise wrong_value(f"{PROVENANCE}.{key}", text, allowed)
    return {key: _nearest(given, key) for key in keys}


@cache
def _keys(kind: type[Any]) -> tuple[str, ...]:
    return tuple(key for key, _, _ in keys_of(kind, "") if key not in _TITLES)


def label_of(text: object) -> str:
    """Return the label without its note."""
    return text.partition(":")[0].strip() if isinstance(text, str) else ""


def _covers(entry: str, key: str) -> bool:
    return key == entry or key.startswith(f"{entry}.")


def _nearest(given: Mapping[Any, Any], key: str) -> str:
    while key:
        if key in given:
            return str(given[key])
        key = key.rpartition(".")[0]
    return ASSUMED
