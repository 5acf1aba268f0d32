"""What a server would reject at its start, found without building it: for launch files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vdsim_plant.assist.parameters import load_assist
from vdsim_plant.layer_files import load_actuator, load_sensor
from vdsim_plant.parameters import ParameterError, load_tyre, load_vehicle
from vdsim_protocol.checked_file import is_folder

from vdsim_plant_node.ros.option_values import default_of
from vdsim_plant_node.settings.options import (
    NAMES,
    SERVER_OPTIONS,
    VEHICLE_OPTIONS,
    server_settings,
    typed,
)
from vdsim_plant_node.settings.road import make_road
from vdsim_plant_node.settings.server_settings import ServerSettings, VehicleSettings


def check_start(values: Mapping[str, object]) -> None:
    """Raise what a server with these option values would raise; names of no option are ignored."""
    given = {}
    for settings, options in (
        (VehicleSettings(), (*NAMES, *VEHICLE_OPTIONS)),
        (ServerSettings(), SERVER_OPTIONS),
    ):
        for option in options:
            if option.name in values:
                value = typed(option, values[option.name])
                if value != default_of(option, settings):
                    given[option.name] = value
    server = server_settings(given)
    for vehicle in server.vehicles:
        _check_files(vehicle)
    if server.record is not None and not is_folder(Path(server.record).parent):
        raise ParameterError("record", f"={server.record}: there is no such folder")


def check_vehicle(name: str) -> None:
    """Raise what is wrong with a vehicle, by preset or file."""
    load_tyre(load_vehicle(name).axles.tyre)


def _check_files(settings: VehicleSettings) -> None:
    check_vehicle(settings.vehicle)
    if settings.tyre != "vehicle":
        load_tyre(settings.tyre)
    make_road(settings.ground, settings.mu)
    load_actuator(settings.actuator)
    load_assist(settings.assist)
    load_sensor(settings.sensor)
