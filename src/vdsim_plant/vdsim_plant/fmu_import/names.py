"""Which variable of a foreign FMU is which of ours, and in which unit it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vdsim_plant.fmu.variables import Variable, variables_of
from vdsim_plant.fmu_import.opened_fmu import ForeignVariable, OpenedFmu
from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.input_file import read_text
from vdsim_plant.parameters.mapping import suggestion
from vdsim_plant.parameters.yaml_text import parse_yaml
from vdsim_plant.vehicle import Vehicle

REQUIRED = (
    *("steer_rad", "throttle", "brake"),
    *("x_m", "y_m", "yaw_rad", "vx_mps", "vy_mps", "yaw_rate_radps"),
)
"""Without these there is no car on a wire."""


@dataclass(frozen=True)
class Link:
    """One of our variables, that of the FMU, and what ours is multiplied by to be theirs."""

    ours: Variable
    theirs: ForeignVariable
    scale: float = 1.0


def read_names(path: Path) -> Mapping[str, Any]:
    """Read a file `ours: theirs` or `ours: {name: theirs, scale: number}`."""
    document = parse_yaml(read_text(path, source=str(path)), source=path.name)
    if not isinstance(document, Mapping):
        raise ParameterError("names", "must be a group of keys", source=path.name)
    return document


def links_of(fmu: OpenedFmu, vehicle: Vehicle, given: Mapping[str, Any]) -> dict[str, Link]:
    """Return the links by our names: those given, and those of variables that have our names."""
    ours = {
        item.name: item
        for item in variables_of(vehicle)
        if item.causality in ("input", "output", "parameter")
    }
    for name in given:
        if name not in ours:
            known = suggestion(str(name)[:60], list(ours))
            raise ParameterError("fmu_names", f"{str(name)[:60]}: no variable of a car{known}")
    links = {}
    for name, item in ours.items():
        theirs, scale = _chosen(name, given.get(name, name))
        found = fmu.variables.get(theirs)
        if found is None and name in given:
            raise ParameterError("fmu_names", f"{name}: {fmu.source} has no variable {theirs!r}")
        if found is not None:
            if not found.kind:
                problem = f"{theirs}: must be one double, integer or truth value"
                raise ParameterError("fmu_names", f"{name}: {problem}")
            links[name] = Link(item, found, scale)
    missing = [name for name in REQUIRED if name not in links]
    if missing:
        raise ParameterError(
            "fmu",
            f"={fmu.source}: has no variable {', '.join(missing)}: name those that it has in a "
            "file for fmu_names",
        )
    return links


def _chosen(name: str, given: object) -> tuple[str, float]:
    if isinstance(given, str):
        return given, 1.0
    if isinstance(given, Mapping) and set(given) <= {"name", "scale"}:
        theirs, scale = given.get("name", name), given.get("scale", 1.0)
        number = isinstance(scale, (int, float)) and math.isfinite(scale) and scale != 0.0
        if isinstance(theirs, str) and number:
            return theirs, float(scale)
    raise wrong_value(name, given, "a name, or {name: NAME, scale: NUMBER other than 0}")
