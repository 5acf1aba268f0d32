"""Reads a fleet file: several vehicles for one server, with defaults that they share.

    defaults: {vehicle: ioniq5_awd, level: l2}
    vehicles:
      - {vehicle_id: 1, start: {x_m: 0.0}}
      - {vehicle_id: 2, start: {x_m: -10.0}, cmd_port: 6711, state_to: ["127.0.0.1:6712"]}

Vehicles without a cmd_port share the server's and are distinguished by vehicle_id; without state_to
their STATE goes to the server's destinations.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.mapping import from_mapping

from vdsim_plant_node.settings.documents import as_group, load_document
from vdsim_plant_node.settings.server_settings import Endpoint, VehicleSettings

_GROUPS = ("start", "origin", "failsafe")
LARGEST_FLEET = 1000


def load_fleet(path: Path) -> tuple[VehicleSettings, ...]:
    """Read the vehicles of a fleet file; every fault is one ParameterError with the file's name."""
    document = load_document(path, ("defaults", "vehicles"))
    try:
        return _vehicles(document)
    except ParameterError as error:
        raise error.in_file(path.name) from None


def _vehicles(document: Mapping[str, Any]) -> tuple[VehicleSettings, ...]:
    defaults = as_group("defaults", document.get("defaults"))
    entries = document.get("vehicles")
    if not isinstance(entries, list) or not 1 <= len(entries) <= LARGEST_FLEET:
        raise ParameterError("vehicles", f"must be a list of 1 to {LARGEST_FLEET} vehicles")
    return tuple(_vehicle(index, entry, defaults) for index, entry in enumerate(entries))


def _vehicle(index: int, entry: object, defaults: Mapping[str, Any]) -> VehicleSettings:
    try:
        group = as_group("", entry)
        return vehicle_from_mapping({"vehicle_id": index, **merged(defaults, group)})
    except ParameterError as error:
        raise error.within(f"vehicles[{index}]") from None


def vehicle_from_mapping(values: Mapping[str, Any]) -> VehicleSettings:
    """Build the settings of one vehicle from keys and groups of keys."""
    prepared = dict(values)
    if "state_to" in prepared:
        targets = prepared["state_to"]
        if not isinstance(targets, (list, tuple)):
            raise wrong_value("state_to", targets, "a list of IP:PORT")
        prepared["state_to"] = tuple(
            target if isinstance(target, Endpoint) else Endpoint.parse(f"state_to[{i}]", target)
            for i, target in enumerate(targets)
        )
    return from_mapping(VehicleSettings, prepared)


def merged(defaults: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    """Lay the entry over the defaults; within the groups key by key."""
    merged = {**defaults, **entry}
    for group in _GROUPS:
        below, above = defaults.get(group), entry.get(group)
        if isinstance(below, Mapping) and isinstance(above, Mapping):
            merged[group] = {**below, **above}
    return merged
