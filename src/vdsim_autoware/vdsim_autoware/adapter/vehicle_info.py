"""Autoware's vehicle_info.param.yaml -> the dimensions of the simulated car and of its interface.

A car file gives mass, tyres, motors and brakes; the description of Autoware's vehicle has none of
these. So the car keeps them, and takes wheelbase, track, overhangs and steering limit. The centre
of gravity keeps its share of the wheelbase, and the wheels keep their radius.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from vdsim_interface.parameters.fields import ParameterError, Parameters, real
from vdsim_interface.parameters.flat import from_flat

MISSING = "is missing"


@dataclass(frozen=True)
class VehicleInfo(Parameters):
    """What is used of Autoware's description, by its names; the rest of the file is ignored."""

    wheel_base: float = real(1.0, "distance between the axles [m]", at_least=0.1, at_most=20)
    wheel_tread: float = real(1.0, "distance between the wheels [m]", above=0, at_most=5)
    front_overhang: float = real(0.0, "front axle to front end [m]", at_least=0, at_most=5)
    rear_overhang: float = real(0.0, "rear axle to rear end [m]", at_least=0, at_most=5)
    left_overhang: float = real(0.0, "left wheel to left side [m]", at_least=0, at_most=2)
    right_overhang: float = real(0.0, "right wheel to right side [m]", at_least=0, at_most=2)
    max_steer_angle: float = real(1.0, "largest wheel angle [rad]", above=0, at_most=1.5)


def vehicle_info(values: Mapping[str, object]) -> VehicleInfo:
    """Check the values of a file; raises ParameterError for one that is missing or wrong."""
    names = [item.name for item in fields(VehicleInfo)]
    for name in names:
        if name not in values:
            raise ParameterError(name, "", MISSING)
    return from_flat(VehicleInfo, {name: values[name] for name in names})


def car_file(car: Mapping[str, Any], info: VehicleInfo) -> dict[str, Any]:
    """Return the content of a vehicle file with Autoware's dimensions."""
    made = copy.deepcopy(dict(car))
    body = made["body"]
    front_m, rear_m = float(body["cg_to_front_axle_m"]), float(body["cg_to_rear_axle_m"])
    scale = info.wheel_base / (front_m + rear_m)
    body["cg_to_front_axle_m"], body["cg_to_rear_axle_m"] = front_m * scale, rear_m * scale
    body["track_front_m"] = body["track_rear_m"] = info.wheel_tread
    body["front_overhang_m"] = info.front_overhang
    body["length_m"] = info.wheel_base + info.front_overhang + info.rear_overhang
    body["width_m"] = info.wheel_tread + info.left_overhang + info.right_overhang
    made["steering"]["max_angle_rad"] = info.max_steer_angle
    return made


def interface_file(car: Mapping[str, Any], info: VehicleInfo) -> dict[str, Any]:
    """Return the content of the interface's file of the car with Autoware's dimensions."""
    made = copy.deepcopy(dict(car))
    parameters = made.setdefault("/**", {}).setdefault("ros__parameters", {})
    vehicle = parameters.setdefault("vehicle", {})
    vehicle["wheelbase_m"] = info.wheel_base
    vehicle["front_wheel_angle_max_rad"] = info.max_steer_angle
    return made
