"""Reads a scenario: what happens to one car over time. A YAML file, or a CSV of commands. Pure.

    duration_s: 8.0
    vehicle: {vehicle: ioniq5_awd, start: {vx_mps: 16.7}, failsafe: {brake: 0.3}}
    road: {base_mu: 0.9, x_patches: [[40.0, 60.0, 0.4]]}
    interpolation: linear
    commands:
      - {t_s: 0.0, throttle: 0.2}
      - {t_s: 2.0, brake: 0.6, throttle: 0.0, steer_rad: 0.05}
    link: {loss: 0.1, delay_s: 0.02, blackouts: [{start_s: 3.0, duration_s: 0.5}]}

The vehicle's keys are those of a fleet file. docs/scenarios.md lists everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vdsim_plant.ground import Ground, ground_from_mapping
from vdsim_plant.parameters import ParameterError
from vdsim_plant.parameters.fields import REQUIRED, check_fields, real, require, whole
from vdsim_protocol.checked_file import is_file
from vdsim_protocol.faults import LinkFaults, faults_from_mapping

from vdsim_plant_node.scenario.commands import (
    CommandSchedule,
    schedule_from_csv,
    schedule_from_list,
)
from vdsim_plant_node.settings.documents import as_group, load_document, refuse_unknown
from vdsim_plant_node.settings.fleet import merged, vehicle_from_mapping
from vdsim_plant_node.settings.server_settings import VehicleSettings

_FILE_KEYS = ("vehicle", "tyre", "ground", "actuator", "sensor", "assist")
_VEHICLE_KEYS = (
    *_FILE_KEYS,
    *("level", "mu", "seed", "charge", "start", "origin", "failsafe"),
)
_TIMING_KEYS = ("duration_s", "tick_s", "command_rate_hz", "link_seed")
_KEYS = (
    *_TIMING_KEYS,
    *("vehicle", "road", "commands", "commands_csv", "interpolation", "link"),
)


@dataclass(frozen=True)
class ScenarioTiming:
    """How long, and how often."""

    duration_s: float = real(REQUIRED, "length", unit="s", above=0.0, at_most=86_400.0)
    tick_s: float = real(0.005, "tick of the plant", unit="s", at_least=5e-4, at_most=0.1)
    command_rate_hz: float = real(100.0, "commands sent", unit="Hz", at_least=1, at_most=1000)
    link_seed: int = whole(0, "seed of the link's faults", at_least=0)

    def __post_init__(self) -> None:
        check_fields(self)
        require(
            self.duration_s >= self.tick_s,
            "duration_s",
            f"={self.duration_s:g}: must be >= tick_s ({self.tick_s:g} s)",
        )


@dataclass(frozen=True)
class Scenario:
    """Everything that decides a run; equal scenarios give equal runs."""

    timing: ScenarioTiming
    vehicle: VehicleSettings
    commands: CommandSchedule
    road: Ground | None = None
    """None: the ground that the vehicle's settings name."""
    link: LinkFaults | None = None
    """None: every command arrives at once."""


def load_scenario(path: Path, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """Read a scenario file; `overrides` are vehicle keys that win over the file's.

    A `ground` among them replaces the file's whole road, `mu` only the base friction of it.
    """
    if path.suffix.lower() == ".csv":
        return _from_commands(path, overrides or {})
    document = load_document(path, _KEYS)
    try:
        return _from_document(document, path.parent, overrides or {})
    except ParameterError as error:
        raise error.in_file(path.name) from None


def with_seed(scenario: Scenario, seed: int) -> Scenario:
    """The same scenario with another seed for sensors and link."""
    timing = replace(scenario.timing, link_seed=seed)
    return replace(scenario, timing=timing, vehicle=replace(scenario.vehicle, seed=seed))


def _from_commands(path: Path, overrides: Mapping[str, Any]) -> Scenario:
    """A CSV of commands alone: the default car, until one second after the last command."""
    commands = schedule_from_csv(path)
    timing = ScenarioTiming(duration_s=commands.points[-1].t_s + 1.0)
    return Scenario(timing=timing, vehicle=vehicle_from_mapping(overrides), commands=commands)


def _from_document(
    document: Mapping[str, Any], folder: Path, overrides: Mapping[str, Any]
) -> Scenario:
    timing = {key: document[key] for key in _TIMING_KEYS if key in document}
    if "duration_s" not in timing:
        raise ParameterError("duration_s", "missing (length: > 0 and <= 86400 s)")
    vehicle = as_group("vehicle", document.get("vehicle"))
    _refuse_two_roads(document.get("road"), vehicle)
    return Scenario(
        timing=ScenarioTiming(**timing),
        vehicle=_vehicle(vehicle, folder, overrides),
        commands=_commands(document, folder),
        road=_road(document.get("road"), folder, overrides),
        link=_link(document.get("link")),
    )


def _refuse_two_roads(road: object, vehicle: Mapping[str, Any]) -> None:
    for key, advice in (("ground", "give one of them"), ("mu", "say it there, as base_mu")):
        if road is not None and key in vehicle:
            raise ParameterError("road", f"is given as well as vehicle.{key}: {advice}")


def _vehicle(
    group: Mapping[str, Any], folder: Path, overrides: Mapping[str, Any]
) -> VehicleSettings:
    try:
        refuse_unknown(group, _VEHICLE_KEYS)
        found = {key: _beside(folder, group[key]) for key in _FILE_KEYS if key in group}
        own = {**group, **found}
        if "ground" in overrides:
            own.pop("mu", None)  # it belongs to the file's road
        return vehicle_from_mapping(merged(own, overrides))
    except ParameterError as error:
        raise error.within("vehicle") from None


def _beside(folder: Path, name: object) -> object:
    """A file in the scenario's folder comes first; anything else is a preset's name or a path."""
    if not isinstance(name, str):
        return name
    local = folder / name
    return str(local) if is_file(local) else name


def _commands(document: Mapping[str, Any], folder: Path) -> CommandSchedule:
    interpolation = document.get("interpolation", "hold")
    if ("commands" in document) == ("commands_csv" in document):
        raise ParameterError("commands", "give either commands or commands_csv")
    if "commands" in document:
        return schedule_from_list(document["commands"], interpolation)
    return schedule_from_csv(folder / str(document["commands_csv"]), interpolation)


def _road(group: object, folder: Path, overrides: Mapping[str, Any]) -> Ground | None:
    """The file's own road, with the friction of the options; None when they name another."""
    if group is None:
        return None
    try:
        road = ground_from_mapping(group, folder=folder)
    except ParameterError as error:
        raise error.within("road") from None
    if "ground" in overrides:
        return None
    return replace(road, base_mu=overrides["mu"]) if "mu" in overrides else road


def _link(group: object) -> LinkFaults | None:
    if group is None:
        return None
    try:
        return faults_from_mapping(group, "link")
    except ValueError as error:
        raise ParameterError("", str(error)) from None
