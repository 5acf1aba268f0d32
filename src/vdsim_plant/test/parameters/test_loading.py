"""Every fault of a vehicle or tyre file is one line: file, key, value, what is allowed."""

from pathlib import Path

import pytest
from vdsim_plant.parameters import ParameterError, load_tyre, load_vehicle
from vdsim_plant.parameters.files import TYRE_FOLDER, VEHICLE_FOLDER

GOOD = (VEHICLE_FOLDER / "ioniq5_awd.yaml").read_text()
TYRE = (TYRE_FOLDER / "mf96.yaml").read_text()


def test_files_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    car, tyre = tmp_path / "car.yaml", tmp_path / "tyre.tir"
    car.write_text(GOOD, encoding="utf-8-sig")
    tyre.write_text((TYRE_FOLDER / "road_235_55r19.tir").read_text(), encoding="utf-8-sig")
    assert load_vehicle(car) == load_vehicle("ioniq5_awd")
    assert load_tyre(tyre).tir == load_tyre("road_235_55r19").tir


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mass_kg: 2359", "mass_kg: -5", "body.mass_kg=-5: must be >= 0.1 and <= 100000 kg"),
        ("mass_kg: 2359", "mass_kg: heavy",
         "body.mass_kg='heavy': must be a number"),
        ("mass_kg: 2359", "mass_kg: .nan", "body.mass_kg=nan: must be >= 0.1 and <= 100000 kg"),
        ("mass_kg: 2359", "mass_kg: yes",
         "body.mass_kg=True: must be a number"),
        ("mass_kg: 2359", "mass: 2359", "body.mass: unknown key; did you mean mass_kg?"),
        ("mass_kg: 2359", "m: 2359", "body.m: unknown key; did you mean mass_kg?"),
        ("yaw_inertia_kgm2: 3400", "Iz: 3400",
         "body.Iz: unknown key; did you mean yaw_inertia_kgm2?"),
        ("name: ioniq5_awd", "lf: 1.17", "lf: unknown key; did you mean body.cg_to_front_axle_m?"),
        ("name: ioniq5_awd", "lr: 1.8", "lr: unknown key; did you mean body.cg_to_rear_axle_m?"),
        ("  mass_kg: 2359\n", "",
         "body.mass_kg: missing (mass, ready to drive: >= 0.1 and <= 100000 kg)"),
        ("mass_kg: 2359", "mass_kg: 2359\n  mass_kg: 2", "mass_kg: given twice (line 7)"),
        ("radius_m: 0.338", "radius_m: 33.8",
         "wheels.radius_m=33.8: must be >= 0.001 and <= 1.5 m"),
        ("max_angle_rad: 0.55", "max_angle_rad: 31.5",
         "steering.max_angle_rad=31.5: must be >= 0.001 and <= 1.4 rad"),
        ("drive_split_front: 0.5", "drive_split_front: 1.2",
         "drivetrain.drive_split_front=1.2: must be >= 0 and <= 1"),
        ("differential_front: open", "differential_front: torsen",
         "drivetrain.differential_front='torsen': must be one of open, locked"),
        ("[[0, 605], ", "[[10, 605], ", "drivetrain.motor_torque_curve=[[10, 605], [395, 605], "
         "[600, 398], [900, 265], [1200, 18...: must be 2 to 32 pairs [rad/s, N m], "
         "first x 0, x rising, y >= 0"),
        ("yaw_inertia_kgm2: 3400", "yaw_inertia_kgm2: 34000",
         "body.yaw_inertia_kgm2=34000: must be <= 5400, the sum of the other two "
         "(no body has more)"),
        ("roll_centre_front_m: 0.0", "roll_centre_front_m: 0.7",
         "suspension.roll_centre_front_m=0.7: must be <= body.cg_height_m (0.58 m)"),
        ("length_m: 4.635", "length_m: 3.5",
         "body.length_m=3.5: must be >= wheelbase plus front overhang (3.815 m)"),
        ("kind: battery", "kind: fuel",
         "energy.regeneration_efficiency=0.65: must be 0 where kind is fuel"),
        ("energy:", "wings: 2\nenergy:", "wings: unknown key; known are name, description, body, "
         "suspension, wheels, axles, drivetrain, brakes, aero, steering, energy, ride"),
        ("name: ioniq5_awd", "name: 5", "name=5: must be a line of text"),
        ("aero:\n", "aero: [1]\nspare:\n", None),
    ],
)  # fmt: skip
def test_a_wrong_vehicle_file_gives_one_clear_line(
    tmp_path: Path, old: str, new: str, message: str | None
) -> None:
    assert old in GOOD
    path = tmp_path / "car.yaml"
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(ParameterError) as caught:
        load_vehicle(path)
    text = str(caught.value)
    assert text.startswith("car.yaml: ")
    assert "\n" not in text
    if message is not None:
        assert text == f"car.yaml: {message}"


def test_a_car_that_would_tip_over_at_rest_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "car.yaml"
    path.write_text(GOOD.replace("front_nm_per_rad: 53000", "front_nm_per_rad: 10")
                    .replace("rear_nm_per_rad: 53000", "rear_nm_per_rad: 10"))  # fmt: skip
    with pytest.raises(ParameterError, match="must exceed m g h = 13418 N m/rad or the car tips"):
        load_vehicle(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "car.yaml: content=None: must be a group of keys"),
        ("- 1\n- 2\n", "car.yaml: content=[1, 2]: must be a group of keys"),
        ("a: [1,\n", "car.yaml: line 2: not YAML: "),
        ("a: \x00", "car.yaml: the document: not YAML: "),
        ("name: !!python/object:os.system x\n", "car.yaml: line 1: not YAML: "),
    ],
)
def test_a_file_that_is_no_vehicle_at_all(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "car.yaml"
    path.write_text(content)
    with pytest.raises(ParameterError) as caught:
        load_vehicle(path)
    assert str(caught.value).startswith(message)


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "car.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ParameterError, match=r"car\.yaml: file: is not UTF-8 text"):
        load_vehicle(path)


@pytest.mark.parametrize("given", ["nope", "ioniq5_awd.yml", "/no/such/car.yaml", "../ioniq5_awd"])
def test_an_unknown_name_lists_the_presets(given: str) -> None:
    with pytest.raises(ParameterError) as caught:
        load_vehicle(given)
    assert str(caught.value) == (
        f"vehicle='{given}': must be a .yaml file or one of "
        "compact_fwd, ioniq5_awd, ioniq5_awd_r13h, scale_car, sport_rwd, vdsim_ioniq5"
        + ("; there is no such file" if given.endswith(".yaml") else "")
    )


@pytest.mark.parametrize("given", ["", None, 5])
def test_no_name_at_all(given: object) -> None:
    with pytest.raises(ParameterError, match=r"vehicle=.*: must be a preset name or a path"):
        load_vehicle(given)  # type: ignore[arg-type]


def test_a_path_is_read_wherever_it_is(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD)
    assert load_vehicle(path) == load_vehicle("ioniq5_awd")
    assert load_vehicle(str(path)) == load_vehicle("ioniq5_awd")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("model: mf96", "model: brush", "model='brush': must be one of mf96, pac2002"),
        ("model: mf96", "model: pac2002",
         "tir_file: must be given where model is pac2002, and nowhere else"),
        ("model: mf96", "model: mf96\ntir_file: road_195_65r15.tir",
         "tir_file: must be given where model is pac2002, and nowhere else"),
        ("model: mf96", "model: pac2002\ntir: 5",
         "tir_file: must be given where model is pac2002, and nowhere else"),
        ("model: mf96", "model: pac2002\ntir_file: none.tir",
         "tir_file='none.tir': must be a .tir file or one of road_195_65r15, road_235_55r19"
         "; there is no such file"),
        ("lateral_shape: 1.3", "lateral_shape: 2.5",
         "mf96.lateral_shape=2.5: must be > 1 and < 2"),
        ("slip_speed_floor_mps: 0.15", "slip_speed_floor_mps: 0",
         "slip_speed_floor_mps=0: must be >= 0.001 and <= 150 m/s"),
    ],
)  # fmt: skip
def test_a_wrong_tyre_file_gives_one_clear_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in TYRE
    path = tmp_path / "tyre.yaml"
    path.write_text(TYRE.replace(old, new, 1))
    with pytest.raises(ParameterError) as caught:
        load_tyre(path)
    assert str(caught.value) == f"tyre.yaml: {message}"


def test_a_tyre_file_may_add_relaxation_to_a_property_file(tmp_path: Path) -> None:
    path = tmp_path / "soft.yaml"
    path.write_text(
        "name: soft\ndescription: with relaxation\nmodel: pac2002\n"
        "tir_file: road_195_65r15.tir\nrelaxation_length_lateral_m: 0.4\n"
    )
    tyre = load_tyre(path)
    assert tyre.tir == load_tyre("road_195_65r15").tir
    assert (tyre.relaxation_length_lateral_m, tyre.rolling_resistance) == (0.4, 0.012)


def test_a_number_may_have_an_exponent_without_sign(tmp_path: Path) -> None:
    path = tmp_path / "car.yaml"
    path.write_text(GOOD.replace("mass_kg: 2359", "mass_kg: 2.359e3"))
    assert load_vehicle(path).body.mass_kg == 2359.0


def test_parameters_made_in_python_are_checked_too() -> None:
    body = load_vehicle("ioniq5_awd").body
    with pytest.raises(ParameterError, match=r"^track_front_m=0: must be >= 0.001 and <= 4 m$"):
        type(body)(**{**vars(body), "track_front_m": 0})
