"""The table in docs/plant.md of what may be imported from vdsim_plant."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from generate.tables import table

NAMES: Mapping[str, tuple[str, ...]] = {
    "vdsim_plant": (),
    "vdsim_plant.ground": (),
    "vdsim_plant.parameters": (),
    "vdsim_plant.manoeuvres": (),
    "vdsim_plant.motion": ("InitialState", "PedalInput", "VehicleMotion", "WheelTorques"),
    "vdsim_plant.vehicle": ("Vehicle",),
    "vdsim_plant.session": ("SimSession", "SessionOutput"),
    "vdsim_plant.realtime.runner": ("RealTimeRunner",),
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


PARTS: Mapping[str, Callable[[], str]] = {"public names": names_table}
