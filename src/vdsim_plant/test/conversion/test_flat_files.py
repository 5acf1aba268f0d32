"""VDSim's flat files become files of this plant: the same figures, and no key lost in silence."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.cli.vehicle import main
from vdsim_plant.conversion import convert_tyre, read_flat
from vdsim_plant.ground import flat
from vdsim_plant.motion import InitialState
from vdsim_plant.parameters import ParameterError, TyreParameters, load_tyre, load_vehicle
from vdsim_plant.parameters.files import TYRE_FOLDER
from vdsim_plant.parameters.vehicle import VehicleParameters
from vdsim_plant.tyres.tir_forces import tir_forces
from vdsim_plant.vehicle import PedalInput, Vehicle

COPIED = (
    *("mass", "inertia_diag", "wheelbase", "cg_to_front", "cg_to_rear", "track_front"),
    *("track_rear", "cg_height", "wheel_radius_nominal", "drive_split_front", "steering_ratio"),
    *("max_steer_angle_wheel", "aero_drag_coeff", "frontal_area"),
)
DATA = Path(__file__).resolve().parents[1] / "data/flat"
CAR = DATA / "vehicles/ioniq5_awd.yaml"
TYRE = DATA / "parts/tire/mf96.yaml"


def edited(path: Path, folder: Path, **changes: Any) -> Path:
    """A copy with other keys; None leaves one out."""
    content = {**yaml.safe_load(path.read_text(encoding="utf-8")), **changes}
    kept = {key: value for key, value in content.items() if value is not None}
    copy = folder / f"edited_{path.name}"
    copy.write_text(yaml.safe_dump(kept), encoding="utf-8")
    return copy


def converted(folder: Path, *arguments: str, car: Path = CAR) -> VehicleParameters:
    target = folder / "car.yaml"
    assert main(["import", str(car), "-o", str(target), *arguments]) == 0
    return load_vehicle(target)


def magic(b: float, c: float, e: float, slip: float) -> float:
    """The formula as its source states it, with D = 1."""
    return math.sin(c * math.atan(b * slip - e * (b * slip - math.atan(b * slip))))


def coefficients(tyre: TyreParameters) -> Any:
    assert tyre.tir is not None
    return tyre.tir.as_array()


# ---- a key that is given twice -------------------------------------------------------------------


@pytest.mark.parametrize("values", [("0.0", "0.08"), ("0.05", "0.05")])
def test_of_a_key_that_is_given_twice_the_last_line_counts_and_a_note_says_so(
    values: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """VDSim's own sports.yaml has one; its loader takes the last."""
    text = CAR.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("roll_center_height_front")]
    twice = [f"roll_center_height_front: {value}" for value in values]
    copy = tmp_path / "vehicles/twice.yaml"
    copy.parent.mkdir()
    copy.write_text("\n".join([twice[0], *lines, twice[1], ""]), encoding="utf-8")
    once = tmp_path / "vehicles/once.yaml"
    once.write_text("\n".join([*lines, twice[1], ""]), encoding="utf-8")
    figures = []
    for path in (copy, once):
        target = tmp_path / f"{path.stem}_out.yaml"
        assert main(["import", str(path), "-o", str(target), "--tyre", str(TYRE)]) == 0
        figures.append(load_vehicle(target).axles)
    assert str(figures[0]).replace("twice", "once") == str(figures[1])
    notes = [line for line in capsys.readouterr().out.splitlines() if "given twice" in line]
    assert notes == [
        f"note: twice.yaml: roll_center_height_front: given twice: "
        f"line {len(lines) + 2} counts, not line 1"
    ]


# ---- the vehicle ---------------------------------------------------------------------------------


def test_every_figure_of_the_file_is_in_the_result(tmp_path: Path) -> None:
    given = yaml.safe_load(CAR.read_text(encoding="utf-8"))
    car = converted(tmp_path)
    body, steering, aero = car.body, car.steering, car.aero
    inertias = [body.roll_inertia_kgm2, body.pitch_inertia_kgm2, body.yaw_inertia_kgm2]
    assert {
        "mass": body.mass_kg,
        "inertia_diag": inertias,
        "wheelbase": round(body.wheelbase_m, 9),
        "cg_to_front": body.cg_to_front_axle_m,
        "cg_to_rear": body.cg_to_rear_axle_m,
        "track_front": body.track_front_m,
        "track_rear": body.track_rear_m,
        "cg_height": body.cg_height_m,
        "wheel_radius_nominal": car.wheels.radius_m,
        "drive_split_front": car.drivetrain.drive_split_front,
        "steering_ratio": steering.ratio,
        "max_steer_angle_wheel": steering.max_angle_rad,
        "aero_drag_coeff": aero.drag_coefficient,
        "frontal_area": aero.frontal_area_m2,
    } == {key: given[key] for key in COPIED}
    assert (car.drivetrain.differential_front, car.drivetrain.differential_rear) == ("open", "open")
    tyre = load_tyre(car.axles.tyre)
    assert tyre.rolling_resistance == 0.012


def test_the_plant_drives_it_with_the_pedals_of_the_simulator(tmp_path: Path) -> None:
    """Readings of the real one near 10 m/s: 0.3 throttle gives 0.41 m/s2, 0.6 brake -1.59."""
    converted(tmp_path)
    for throttle, brake, expected in ((0.3, 0.0, 0.41), (0.0, 0.6, -1.59)):
        car = Vehicle(str(tmp_path / "car.yaml"), ground=flat(0.9))
        car.reset(InitialState(vx_mps=10.0))
        car.step_pedals(PedalInput(throttle=throttle, brake=brake), 0.5)
        before_mps = car.speed_mps()
        car.step_pedals(PedalInput(throttle=throttle, brake=brake), 0.5)
        assert (car.speed_mps() - before_mps) / 0.5 == pytest.approx(expected, abs=0.02)


def test_what_the_file_leaves_out_has_the_simulators_default(tmp_path: Path) -> None:
    car = converted(tmp_path)
    assert car.drivetrain.motor_torque_curve[0] == (0.0, 300.0)
    assert (car.drivetrain.gear_ratio, car.brakes.max_torque_nm) == (5.0, 2000.0)
    text = (tmp_path / "car.yaml").read_text(encoding="utf-8")
    assert "gear_ratio: 5.0" in text
    assert "# VDSim's default of final_drive_ratio" in text
    assert "# assumed" in text


def test_further_keys_are_read(tmp_path: Path) -> None:
    own = edited(
        CAR,
        tmp_path,
        drive_type="rwd",
        differential="Locked",
        max_motor_torque=480,
        final_drive_ratio=4.0,
        max_brake_torque=3000,
        brake_bias_front=0.65,
        spring_stiffness=[45000, 45000, 42000, 42000],
        arb_stiffness_front=5000,
        wheel_inertia=[1.0, 1.0, 1.5, 1.5],
        roll_center_height_rear=0.12,
        aero_lift_front=0.4,
        body_lwh_m=[4.6, 1.8, 1.45],
    )
    car = converted(tmp_path, "--tyre", str(TYRE), car=own)
    assert car.drivetrain.drive_split_front == 0.0
    assert (car.drivetrain.differential_front, car.drivetrain.differential_rear) == (
        "open",
        "locked",
    )
    assert car.drivetrain.motor_torque_curve[0] == (0.0, 480.0)
    assert (car.brakes.max_torque_nm, car.brakes.front_share) == (3000.0, 0.65)
    half = 1.635 / 2.0
    stiffness = car.suspension.roll_stiffness_front_nm_per_rad
    assert stiffness == pytest.approx(90000 * half**2 + 5000, abs=0.01)
    assert (car.wheels.inertia_front_kgm2, car.wheels.inertia_rear_kgm2) == (1.0, 1.5)
    assert car.suspension.roll_centre_rear_m == 0.12
    assert car.aero.lift_coefficient_front == -0.4, "downforce is negative lift"
    assert (car.body.length_m, car.body.width_m) == (4.6, 1.8)


def test_what_has_no_counterpart_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = edited(
        CAR, tmp_path, ackerman_percent=60, steer_deadtime_s=0.0, differential="LSD", odd=1
    )
    converted(tmp_path, "--tyre", str(TYRE), "--ignore", "odd", car=own)
    printed = capsys.readouterr().out
    assert "ackerman_percent: both front wheels have the same angle" in printed
    assert "differential: LSD is taken as open" in printed
    assert "odd: ignored by request" in printed
    assert "steer_deadtime_s" not in printed, "0 loses nothing"
    text = (tmp_path / "car.yaml").read_text(encoding="utf-8")
    assert "#   edited_ioniq5_awd.yaml: ackerman_percent: " in text


# ---- the tyre ------------------------------------------------------------------------------------


@pytest.mark.parametrize("load_n", [1500.0, 4500.0, 7000.0])
@pytest.mark.parametrize("mu", [0.9, 0.5])
def test_pure_slip_is_that_of_the_file(tmp_path: Path, load_n: float, mu: float) -> None:
    c = coefficients(load_tyre(converted(tmp_path).axles.tyre))
    for slip in (0.001, 0.01, 0.03, 0.06, 0.1, 0.2, 0.5, 1.0):
        # On other friction the peak follows it and the stiffness stays.
        stiffness = 0.9 / mu
        fx, _ = tir_forces(slip, 0.0, load_n, mu, 1.0, 0.0, c)
        _, fy = tir_forces(0.0, slip, load_n, mu, 1.0, 0.0, c)
        assert fx == pytest.approx(mu * load_n * magic(14.24 * stiffness, 1.65, 0.97, slip), 1e-4)
        assert fy == pytest.approx(-mu * load_n * magic(14.24 * stiffness, 1.3, -1.0, slip), 1e-4)


def test_the_force_of_a_locked_wheel_opposes_its_motion(tmp_path: Path) -> None:
    c = coefficients(load_tyre(converted(tmp_path).axles.tyre))
    for alpha in (0.01, 0.03, 0.1, 0.2, 0.4):
        fx, fy = tir_forces(-1.0, alpha, 5000.0, 0.9, 1.0, 0.0, c)
        off_rad = math.atan2(-fy, -fx) - alpha
        assert abs(math.degrees(off_rad)) < 6.0, alpha


def test_a_load_sensitivity_is_that_of_the_file_round_the_nominal_load(tmp_path: Path) -> None:
    own = edited(TYRE, tmp_path, load_sensitivity=0.15)
    flat_tyre = read_flat(own)
    c = convert_tyre(flat_tyre, 0.338).coefficients.as_array()
    for load_n in (4600.0, 5764.0, 6900.0):
        mu = 0.9 * (1.0 - 0.15 * (load_n / 5764.0 - 1.0))
        for slip in (0.005, 0.05, 0.3):
            fx, _ = tir_forces(slip, 0.0, load_n, 1.2, 1.0, 0.0, c)
            _, fy = tir_forces(0.0, slip, load_n, 1.2, 1.0, 0.0, c)
            on_this_road = 1.2 / 0.9
            b = 14.24 / on_this_road
            peak = mu * on_this_road * load_n
            assert fx == pytest.approx(min(peak * magic(b, 1.65, 0.97, slip), 1.2 * load_n), 1e-4)
            assert fy == pytest.approx(-min(peak * magic(b, 1.3, -1.0, slip), 1.2 * load_n), 0.01)


def test_a_property_file_is_taken_over(tmp_path: Path) -> None:
    text = (TYRE_FOLDER / "road_235_55r19.tir").read_text(encoding="utf-8")
    (tmp_path / "own.tir").write_text(text.replace("'PAC2002'", "'MF_05'"), encoding="utf-8")
    tyre = tmp_path / "own.yaml"
    tyre.write_text(
        "backend: mf2002\ntir_path: own.tir\nmu_nominal: 0.9\nrolling_resistance: 0.013\n"
    )
    car = converted(tmp_path, "--tyre", str(tyre))
    result, shipped = load_tyre(car.axles.tyre), load_tyre("road_235_55r19")
    assert result.tir == shipped.tir
    assert result.rolling_resistance == 0.013


def test_a_tyre_by_itself_and_a_part_of_the_catalogue(tmp_path: Path) -> None:
    body = yaml.safe_load(TYRE.read_text(encoding="utf-8"))
    part = tmp_path / "part.yaml"
    part.write_text(yaml.safe_dump({"id": "tire.x", "schema": "pacejka_mf96_v1", "body": body}))
    for name, source in (("plain", TYRE), ("part", part)):
        assert main(["import", str(source), "-o", str(tmp_path / f"{name}_result.yaml")]) == 0
    plain, of_part = (load_tyre(tmp_path / f"{name}_result.yaml") for name in ("plain", "part"))
    assert plain.tir == of_part.tir


# ---- faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"mass": "heavy"}, "mass='heavy': must be a finite number"),
        ({"mass": -5}, "mass=-5: must be > 0"),
        ({"mass": float("nan")}, "mass=nan: must be a finite number"),
        ({"cg_height": None}, "cg_height: missing"),
        ({"inertia_diag": [1, 2]}, "inertia_diag=[1, 2]: must be a list of 3 numbers"),
        ({"inertia_diag": [1, 2, "x"]}, "inertia_diag[2]='x': must be a finite number"),
        ({"wheelbase": 3.5}, "wheelbase=3.5: must be cg_to_front + cg_to_rear (2.97 m)"),
        ({"drive_type": "4WD"}, "drive_type='4WD': must be one of FWD, RWD, AWD"),
        ({"drive_split_front": 1.5}, "drive_split_front=1.5: must be 0 to 1"),
        ({"plant_path": 1}, "plant_path=1: must be true or false"),
        ({"wheel_radius": 0.3}, "wheel_radius: unknown key; did you mean wheel_radius_nominal?"),
        ({"zzz": 0.3}, "zzz: unknown key; --ignore KEY leaves it out"),
        ({"tire_yaml": None}, "tire_yaml: missing: name the tyre's file with --tyre"),
        ({"tire_yaml": "no/such.yaml"}, "tire_yaml='no/such.yaml': no such file from"),
        ({"tire_yaml": "a\nb"}, "tire_yaml='a\\nb': must be a line of text"),
    ],
)
def test_a_fault_of_a_vehicle_is_one_line(
    changes: dict[str, Any], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = edited(CAR, tmp_path, **changes)
    assert main(["import", str(own), "-o", str(tmp_path / "car.yaml")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"vdsim_vehicle: edited_ioniq5_awd.yaml: {expected}"), error
    assert error.count("\n") == 1
    assert not (tmp_path / "car.yaml").exists()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"B_lat": 0}, "B_lat=0: must be > 0"),
        ({"backend": "mf2002"}, "tir_path: missing with backend: mf2002"),
        ({"backend": "mf2002", "tir_path": "x.tir"}, "tir_path='x.tir': cannot be read"),
        ({"backend": "brush"}, "backend='brush': must be one of mf96, mf2002"),
        ({"tir_path": "x.tir"}, "tir_path: is for backend: mf2002"),
        ({"lugre": 3}, "lugre=3: must be a group of keys"),
        ({"B_latt": 3}, "B_latt: unknown key; did you mean B_lat?"),
    ],
)
def test_a_fault_of_a_tyre_is_one_line(
    changes: dict[str, Any], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = edited(TYRE, tmp_path, **changes)
    assert main(["import", str(own), "-o", str(tmp_path / "tyre.yaml")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"vdsim_vehicle: edited_mf96.yaml: {expected}"), error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((str(CAR), "-o", "car.txt"), "output='car.txt': must be a .yaml file"),
        (("no.yaml", "-o", "x.yaml"), "no.yaml: file: cannot be read"),
        ((str(CAR.parent), "-o", "x.yaml"), "vehicles: file="),
        ((str(CAR), "-o", "/no/such/x.yaml"), "output='/no/such/x_tyre.tir': cannot be written"),
        ((str(TYRE), "--tyre", str(TYRE), "-o", "x.yaml"), "tyre="),
        ((str(CAR), "--tyre", str(CAR), "-o", "x.yaml"), "ioniq5_awd.yaml: tyre="),
    ],
)
def test_a_wrong_argument_is_one_line(
    arguments: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"vdsim_vehicle: {expected}")


def test_existing_files_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    converted(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert main(["import", str(CAR), "-o", str(tmp_path / "car.yaml")]) == 2
    assert "exists; --force writes over it" in capsys.readouterr().err
    converted(tmp_path, "--force")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before, "the same again"


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ANY = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=4), max_leaves=6)


@given(key=st.sampled_from(sorted(yaml.safe_load(TYRE.read_text(encoding="utf-8")))), value=ANY)
def test_whatever_a_file_holds_is_read_or_refused(
    key: str, value: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("flat", numbered=True)
    own = edited(TYRE, folder, **{key: value})
    try:
        convert_tyre(read_flat(own), 0.3)
    except ParameterError as error:
        text = str(error)
    else:
        text = ""
    assert "\n" not in text
