"""Loads actuator and sensor layers by preset name or by path; `ideal` is none at all."""

from __future__ import annotations

from pathlib import Path

from vdsim_plant.actuator import ActuatorParameters
from vdsim_plant.parameters.files import DATA_FOLDER, read_yaml, resolve
from vdsim_plant.parameters.mapping import from_mapping
from vdsim_plant.sensor import SensorParameters

IDEAL = "ideal"
ACTUATOR_FOLDER = DATA_FOLDER / "actuators"
SENSOR_FOLDER = DATA_FOLDER / "sensors"


def actuator_names() -> tuple[str, ...]:
    """Return the names of the actuator presets."""
    return tuple(sorted(path.stem for path in ACTUATOR_FOLDER.glob("*.yaml")))


def sensor_names() -> tuple[str, ...]:
    """Return the names of the sensor presets."""
    return tuple(sorted(path.stem for path in SENSOR_FOLDER.glob("*.yaml")))


def load_actuator(name_or_path: str | Path) -> ActuatorParameters:
    """Load actuators: `ideal`, a preset (`passenger_car`) or a YAML file."""
    if name_or_path == IDEAL:
        return ActuatorParameters()
    path = resolve(name_or_path, ACTUATOR_FOLDER, (".yaml",), "actuator", without_file=(IDEAL,))
    return from_mapping(ActuatorParameters, read_yaml(path), source=path.name)


def load_sensor(name_or_path: str | Path) -> SensorParameters:
    """Load sensors: `ideal`, a preset (`automotive`, `automated`) or a YAML file."""
    if name_or_path == IDEAL:
        return SensorParameters()
    path = resolve(name_or_path, SENSOR_FOLDER, (".yaml",), "sensor", without_file=(IDEAL,))
    return from_mapping(SensorParameters, read_yaml(path), source=path.name)
