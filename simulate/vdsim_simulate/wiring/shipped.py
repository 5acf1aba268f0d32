"""The interface's parameters and platform for a scene, as a user would configure them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from vdsim_interface.parameters import VehicleGeometry
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.spec import Platform, PlatformSetup
from vdsim_interface.platforms.vds1 import SPEC
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.teleop.mapping import GamepadMapping
from vdsim_interface.teleop.mapping_file import load_mapping

import vdsim_interface
from vdsim_simulate.scene import Scene

CONFIG = Path(vdsim_interface.__file__).resolve().parents[1] / "config"


def interface_parameters(scene: Scene) -> InterfaceParameters:
    """The parameters of the interface; what the scene does not say keeps its default."""
    return InterfaceParameters(
        control_command=scene.level,
        platform="vds1",
        vehicle=VehicleGeometry(**_car_file(scene.car)["vehicle"]),
        safety=SafetyParameters(auto_engage=scene.auto_engage, rig=scene.rig),
    )


def platform_parameters(scene: Scene) -> Vds1Parameters:
    """The parameters of the platform."""
    return Vds1Parameters(version=scene.wire_version, **_car_file(scene.car).get("vds1", {}))


def make_platform(scene: Scene, parameters: InterfaceParameters) -> Platform:
    """One VDS1 platform, as a process makes it when it starts."""
    own = platform_parameters(scene)
    return SPEC.create(own, PlatformSetup(parameters.vehicle, parameters.period_s))


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
