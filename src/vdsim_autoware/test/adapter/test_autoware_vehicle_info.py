"""Autoware's dimensions in the files of the simulated car and of its interface."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from vdsim_autoware.adapter.vehicle_info import (
    VehicleInfo,
    car_file,
    interface_file,
    vehicle_info,
)
from vdsim_interface.parameters.fields import ParameterError
from vdsim_plant.parameters import load_vehicle, vehicle_names
from vdsim_plant.parameters.files import VEHICLE_FOLDER

GIVEN: dict[str, Any] = {
    "wheel_radius": 0.39,
    "wheel_width": 0.42,
    "wheel_base": 2.74,
    "wheel_tread": 1.63,
    "front_overhang": 1.0,
    "rear_overhang": 1.03,
    "left_overhang": 0.1,
    "right_overhang": 0.12,
    "vehicle_height": 2.5,
    "max_steer_angle": 0.7,
}


def test_what_the_car_does_not_use_is_ignored() -> None:
    assert vehicle_info(GIVEN) == VehicleInfo(2.74, 1.63, 1.0, 1.03, 0.1, 0.12, 0.7)


@pytest.mark.parametrize("name", ["wheel_base", "max_steer_angle"])
def test_a_missing_value_is_named(name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name}=: is missing"):
        vehicle_info({key: value for key, value in GIVEN.items() if key != name})


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("wheel_base", -1.0, "wheel_base=-1.0: must be >= 0.1"),
        ("max_steer_angle", 40.0, "max_steer_angle=40.0: must be >= 0.001 and <= 1.5"),
        ("wheel_tread", "wide", "wheel_tread=wide: must be a number"),
    ],
)
def test_a_wrong_value_is_named(name: str, value: object, rule: str) -> None:
    with pytest.raises(ParameterError) as refused:
        vehicle_info({**GIVEN, name: value})
    assert str(refused.value).startswith(rule)


@pytest.mark.parametrize("name", vehicle_names())
def test_every_preset_takes_the_dimensions_and_keeps_the_rest(name: str, tmp_path: Any) -> None:
    content = yaml.safe_load((VEHICLE_FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    file = tmp_path / "car.yaml"
    file.write_text(yaml.safe_dump(car_file(content, vehicle_info(GIVEN))), encoding="utf-8")
    car, preset = load_vehicle(file), load_vehicle(name)
    assert car.body.wheelbase_m == pytest.approx(2.74)
    assert car.body.cg_to_rear_axle_m / 2.74 == pytest.approx(
        preset.body.cg_to_rear_axle_m / preset.body.wheelbase_m
    )
    assert (car.body.track_front_m, car.body.track_rear_m) == (1.63, 1.63)
    assert car.body.length_m == pytest.approx(4.77)
    assert car.body.width_m == pytest.approx(1.85)
    assert car.steering.max_angle_rad == 0.7
    assert car.body.mass_kg == preset.body.mass_kg
    assert car.wheels == preset.wheels
    assert car.drivetrain == preset.drivetrain


@pytest.mark.parametrize("base", [{}, {"/**": {"ros__parameters": {"vds1": {"version": 5}}}}])
def test_the_interface_has_the_same_wheelbase_and_limit(base: dict[str, Any]) -> None:
    made = interface_file(base, vehicle_info(GIVEN))
    parameters = made["/**"]["ros__parameters"]
    assert parameters["vehicle"] == {"wheelbase_m": 2.74, "front_wheel_angle_max_rad": 0.7}
    assert parameters.get("vds1") == base.get("/**", {}).get("ros__parameters", {}).get("vds1")
