"""The table in docs/plant.md of what may be imported from vdsim_plant."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from vdsim_plant.parameters.other_names import ARGUMENTS, ATTRIBUTES, IMPORTS, KEYS

from generate.tables import table

NAMES: Mapping[str, tuple[str, ...]] = {
    "vdsim_plant": (),
    "vdsim_plant.ground": (),
    "vdsim_plant.parameters": (),
    "vdsim_plant.study.manoeuvres": (),
    "vdsim_plant.motion": ("InitialState", "PedalInput", "VehicleMotion", "WheelTorques"),
    "vdsim_plant.vehicle": ("Vehicle",),
    "vdsim_plant.session": ("SessionOutput",),
    "vdsim_plant.actuator": ("ActuatorParameters",),
    "vdsim_plant.sensor": ("MeasuredState", "SensorParameters"),
    "vdsim_plant.layer_files": ("load_actuator", "load_sensor"),
    "vdsim_plant.vehicle_characteristics": ("VehicleCharacteristics", "characteristics_of"),
}
"""Module -> its public names; () stands for its `__all__`. What is not here may change."""
_SHOWN_OF_A_TUPLE = 6


def public_names() -> Iterator[tuple[str, str, Any]]:
    """Every public name: its module, the name, and the thing itself."""
    for module, names in NAMES.items():
        loaded = import_module(module)
        for name in names or loaded.__all__:
            if not name.startswith("_"):
                yield module, name, getattr(loaded, name)


def names_table() -> str:
    """Name and first sentence of the docstring; constants by their value."""
    rows = [(f"`{module}.{name}`", _meaning(name, thing)) for module, name, thing in public_names()]
    return table(("name", "what it is"), rows)


def _meaning(name: str, thing: Any) -> str:
    if isinstance(thing, (str, int, float)):
        return f"`{thing!r}`"
    if isinstance(thing, Mapping):
        return ", ".join(f"`{key}`" for key in thing)
    if isinstance(thing, tuple):
        shown = [f"`{item}`" for item in thing[:_SHOWN_OF_A_TUPLE]]
        more = len(thing) - len(shown)
        return ", ".join(shown) + (f" and {more} more" if more else "")
    first_line = (inspect.getdoc(thing) or "").partition("\n")[0]
    if not first_line:
        raise RuntimeError(f"{name} has no docstring")
    return first_line.replace("|", "\\|")


def other_names_table() -> str:
    """What other simulators call what we have, where it may be looked for, and ours."""
    rows: dict[str, list[str]] = {}
    for theirs, ours in KEYS.items():
        rows.setdefault(f"`{theirs}` of a vehicle file", []).append(f"`{ours}`")
    for owner, names in ARGUMENTS.items():
        for theirs, ours in names.items():
            rows[f"`{owner}({theirs}=...)`"] = [f"`{ours}`"]
    for theirs in dict.fromkeys(name for names in ATTRIBUTES.values() for name in names):
        owners = {owner: names[theirs] for owner, names in ATTRIBUTES.items() if theirs in names}
        rows[f"`.{theirs}` of {' or '.join(f'`{owner}`' for owner in owners)}"] = [
            f"`{ours}`" for ours in owners.values()
        ]
    for theirs, ours in IMPORTS.items():
        rows[f"`from vdsim_plant import {theirs}`"] = [f"`{ours}`"]
    return table(
        ("elsewhere", "here"), [(theirs, ", ".join(ours)) for theirs, ours in rows.items()]
    )


PARTS: Mapping[str, Callable[[], str]] = {
    "public names": names_table,
    "other names": other_names_table,
}
