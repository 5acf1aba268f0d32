"""The reference tables of the parameter files, made from the fields' own declarations."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from vdsim_plant.parameters.fields import Spec, specs, types_of


def reference_table(kind: type[Any]) -> str:
    """Return a Markdown table of all keys of a parameter dataclass, groups included."""
    rows = ["| key | unit | allowed | default | meaning |", "|---|---|---|---|---|"]
    for key, spec, default in keys_of(kind, ""):
        unit = spec.unit or "-"
        allowed = spec.allowed().removesuffix(f" {spec.unit}") if spec.unit else spec.allowed()
        rows.append(f"| `{key}` | {unit} | {allowed} | {default} | {spec.doc} |")
    return "\n".join(rows)


def keys_of(kind: type[Any], prefix: str) -> Iterator[tuple[str, Spec, str]]:
    """Yield key, declaration and default of every parameter, groups included."""
    declared = dict(specs(kind))
    hints = types_of(kind)  # type: ignore[arg-type]
    for item in dataclasses.fields(kind):
        if item.name in declared:
            required = item.default is dataclasses.MISSING
            default = (
                "required" if required else "none" if item.default == () else f"{item.default}"
            )
            yield prefix + item.name, declared[item.name], default
        elif dataclasses.is_dataclass(hints[item.name]):
            yield from keys_of(hints[item.name], f"{prefix}{item.name}.")
