"""The interface's parameters and platform for a scene, as a user would configure them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from vdsim_can.car import CarFile
from vdsim_can.frame import Frame, unpacked
from vdsim_can.platform.car_parts import capabilities_of as can_capabilities
from vdsim_can.platform.loading import car_named
from vdsim_can.platform.parameters import SHIPPED, CanParameters
from vdsim_can.platform.platform import NO_TORQUE_LOOP, CanPlatform
from vdsim_interface.extras.morai import SPEC as MORAI
from vdsim_interface.extras.morai.parameters import MoraiParameters
from vdsim_interface.parameters.flat import from_flat
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.spec import Capabilities, PlatformSetup
from vdsim_interface.platforms.vds1 import SPEC as VDS1
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.wire import Platform
from vdsim_interface.teleop.mapping import GamepadMapping
from vdsim_interface.teleop.mapping_file import load_mapping
from vdsim_plant.parameters import load_vehicle

import vdsim_interface
from vdsim_simulate.scene import Scene

SPECS = {"vds1": VDS1, "morai": MORAI}
CONFIG = Path(vdsim_interface.__file__).resolve().parents[1] / "config"


def interface_parameters(scene: Scene) -> InterfaceParameters:
    """The parameters of the interface; what the scene does not say keeps its default."""
    values = {
        "control_command": scene.level,
        "platform": scene.platform,
        "safety.auto_engage": scene.auto_engage,
        "safety.rig": scene.rig,
    }
    geometry = {f"vehicle.{name}": value for name, value in _car_file(scene.car)["vehicle"].items()}
    return from_flat(InterfaceParameters, {**values, **geometry, **scene.parameters})


def platform_parameters(scene: Scene) -> Vds1Parameters | CanParameters | MoraiParameters:
    """The parameters of the platform."""
    if scene.platform == "morai":
        return MoraiParameters(
            release=scene.release,
            cmd_type=scene.cmd_type,
            pedal_map=_car_file(scene.car)["vds1"]["pedal_map"],
        )
    if scene.platform == "can":
        return CanParameters(
            car=scene.car_file or SHIPPED,
            pedal_map=_car_file(scene.car)["vds1"]["pedal_map"],
            wheel_radius_m=load_vehicle(scene.car).wheels.radius_m,
        )
    return Vds1Parameters(version=scene.wire_version, **_car_file(scene.car).get("vds1", {}))


def make_platform(scene: Scene, parameters: InterfaceParameters) -> Platform:
    """One platform, as a process makes it when it starts."""
    own = platform_parameters(scene)
    setup = PlatformSetup(parameters.vehicle, parameters.period_s)
    if isinstance(own, CanParameters):
        return CanPlatform(own, setup, can_car(scene))
    return SPECS[scene.platform].create(own, setup)


def capabilities_of(scene: Scene) -> Capabilities:
    """What the platform can do with the car of the scene."""
    if scene.platform == "can":
        return can_capabilities(can_car(scene))
    return SPECS[scene.platform].capabilities


def can_car(scene: Scene) -> CarFile:
    """The car file of the platform `can`; a ValueError where it cannot be simulated."""
    return _can_car(scene.car_file or SHIPPED)


@cache
def _can_car(name: str) -> CarFile:
    """Read once."""
    car = car_named(name)
    bus_by_id(car)
    if car.steers_by_torque:
        raise ValueError(f"{name}: {NO_TORQUE_LOOP}")
    return car


def bus_by_id(car: CarFile) -> dict[int, str]:
    """Return the bus of each message by its id; a ValueError where an id is on two."""
    buses: dict[int, str] = {}
    for row in (*car.send.values(), *car.receive.values()):
        can_id = car.message(row.message).can_id
        if buses.setdefault(can_id, row.bus) != row.bus:
            raise ValueError(f"{car.name}: id 0x{can_id:X} is on two buses; here it must be on one")
    return buses


def id_of(data: bytes) -> int:
    """Return the id of a frame, -1 for what is none or tells an error."""
    frame = unpacked(data)
    return frame.can_id if isinstance(frame, Frame) and not frame.error else -1


@cache
def dashboard_mapping() -> GamepadMapping:
    """The mapping of the dashboard's pad."""
    return load_mapping(CONFIG / "gamepads" / "game_controller.yaml")


@cache
def _car_file(car: str) -> dict[str, Any]:
    path = CONFIG / "cars" / f"{car}.yaml"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    values: dict[str, Any] = data["/**"]["ros__parameters"]
    return values
