"""Every shipped file loads, and the figures that are fixed by the contract are in it."""

from dataclasses import replace

import pytest
from vdsim_plant.parameters import load_tyre, load_vehicle, tyre_names, vehicle_names
from vdsim_plant.parameters.files import TYRE_FOLDER, VEHICLE_FOLDER


def test_the_presets_are_the_files_that_are_there() -> None:
    assert vehicle_names() == (
        *("compact_fwd", "ioniq5_awd", "ioniq5_awd_r13h", "scale_car", "sport_rwd"),
        "vdsim_ioniq5",
    )
    assert tyre_names() == ("mf96", "road_195_65r15", "road_235_55r19")
    assert len(list(VEHICLE_FOLDER.iterdir())) == len(vehicle_names())
    assert len(list(TYRE_FOLDER.iterdir())) == len(tyre_names())


@pytest.mark.parametrize("name", vehicle_names())
def test_a_vehicle_is_named_like_its_file_and_stands_on_its_weight(name: str) -> None:
    vehicle = load_vehicle(name)
    assert vehicle.name == name
    assert sum(vehicle.static_wheel_loads_n()) == pytest.approx(vehicle.body.mass_kg * 9.80665)
    assert load_vehicle(f"{name}.yaml") == vehicle
    assert load_tyre(vehicle.axles.tyre).model == "mf96"


def test_ioniq5_awd_has_the_values_of_the_contract() -> None:
    # [VS-2.3]
    vehicle = load_vehicle("ioniq5_awd")
    body, axles = vehicle.body, vehicle.axles
    assert (body.mass_kg, body.yaw_inertia_kgm2) == (2359.0, 3400.0)
    assert (body.cg_to_front_axle_m, body.cg_to_rear_axle_m) == (1.17, 1.80)
    assert axles.cornering_stiffness_front_n_per_rad == 2.2e5
    assert axles.cornering_stiffness_rear_n_per_rad == 1.6e5
    assert axles.mu_nominal == 0.9
    assert vehicle.drivetrain.drive_split_front == vehicle.brakes.brake_split_front == 0.5
    assert load_tyre("mf96").mf96.lateral_shape == 1.3


def test_the_presets_drive_on_the_axles_that_their_names_say() -> None:
    splits = {name: load_vehicle(name).drivetrain.drive_split_front for name in vehicle_names()}
    assert splits == {
        "compact_fwd": 1.0, "ioniq5_awd": 0.5, "ioniq5_awd_r13h": 0.5, "scale_car": 0.5,
        "sport_rwd": 0.0, "vdsim_ioniq5": 0.5,
    }  # fmt: skip


def test_the_brakes_of_r13h_are_all_that_differs_and_lock_the_front_wheels_first() -> None:
    usual, other = load_vehicle("ioniq5_awd"), load_vehicle("ioniq5_awd_r13h")
    named = replace(other, name=usual.name, description=usual.description)
    assert replace(named, brakes=usual.brakes) == usual
    body, brakes = other.body, other.brakes
    for share_of_g in (0.15, 0.3, 0.5, 0.8):
        load_front = body.cg_to_rear_axle_m + share_of_g * body.cg_height_m
        for split in (brakes.brake_split_front, brakes.front_share):
            assert split > load_front / body.wheelbase_m


def test_motor_and_brakes_are_all_that_differs_in_the_car_of_vdsim() -> None:
    usual, other = load_vehicle("ioniq5_awd"), load_vehicle("vdsim_ioniq5")
    named = replace(other, name=usual.name, description=usual.description)
    assert replace(named, drivetrain=usual.drivetrain, brakes=usual.brakes) == usual
    assert other.drivetrain.motor_torque_curve[0][1] * other.drivetrain.gear_ratio == 1500.0
    assert other.brakes.max_torque_nm == 2000.0
