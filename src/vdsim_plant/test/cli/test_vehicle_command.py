"""The `vdsim_vehicle` command: figures against hand calculation, and one line per fault."""

import math
from pathlib import Path

import pytest
from vdsim_plant.cli.vehicle import main
from vdsim_plant.parameters import load_tyre, load_vehicle, vehicle_names
from vdsim_plant.parameters.files import VEHICLE_FOLDER
from vdsim_plant.vehicle_characteristics import characteristics_of, yaw_mode


def test_figures_of_ioniq5_awd_worked_by_hand() -> None:
    figures = characteristics_of(load_vehicle("ioniq5_awd"), load_tyre("mf96"))
    # K = m / L (b / Cf - a / Cr) = 2359 / 2.97 (1.8 / 220e3 - 1.17 / 160e3) = 6.905e-4 rad s2/m
    assert figures.understeer_gradient_rad_s2_per_m == pytest.approx(6.905e-4, rel=1e-3)
    # v_ch = sqrt(L / K) = 65.6 m/s
    assert figures.characteristic_speed_mps == pytest.approx(65.58, rel=1e-3)
    assert figures.critical_speed_mps == math.inf
    # Fz front = m g b / (2 L) = 7010 N
    assert figures.wheel_loads_n[0] == pytest.approx(7010.3, abs=0.1)
    assert figures.rollover_threshold_g == pytest.approx(1.635 / (2 * 0.58))
    # roll = m h g / (K - m g h) = 1368.2 * 9.807 / (106e3 - 13.4e3) = 0.1449 rad
    assert figures.roll_per_g_rad == pytest.approx(0.1449, rel=1e-3)


def test_a_standard_tyre_is_about_as_stiff_as_the_vehicle_file_says() -> None:
    vehicle = load_vehicle("ioniq5_awd")
    figures = characteristics_of(vehicle, load_tyre("road_235_55r19"))
    assert figures.stiffness_front_n_per_rad == pytest.approx(2.2e5, rel=0.01)
    assert figures.stiffness_rear_n_per_rad == pytest.approx(1.6e5, rel=0.01)


def test_an_oversteering_car_has_a_critical_speed_above_which_yaw_is_unstable() -> None:
    vehicle = load_vehicle("ioniq5_awd")
    # K = 2359 / 2.97 (1.8 / 220e3 - 1.17 / 100e3) = -2.795e-3, v = sqrt(2.97 / 2.795e-3) = 32.6
    assert yaw_mode(vehicle, 2.2e5, 1.0e5, 32.0).stable
    assert not yaw_mode(vehicle, 2.2e5, 1.0e5, 33.0).stable


@pytest.mark.parametrize("name", vehicle_names())
def test_check_reports_every_preset(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", name]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{name}: ")
    assert "understeer gradient" in out
    assert out.endswith("no faults found\n")


def test_check_shows_an_oversteering_car_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = (VEHICLE_FOLDER / "ioniq5_awd.yaml").read_text()
    path = tmp_path / "loose.yaml"
    path.write_text(good.replace("rear_n_per_rad: 1.6e5", "rear_n_per_rad: 0.7e5"))
    assert main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert "(oversteer)" in out
    assert "critical speed" in out
    assert "unstable" in out


def test_check_shows_a_neutral_car_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = (VEHICLE_FOLDER / "ioniq5_awd.yaml").read_text()
    balanced = good.replace("rear_n_per_rad: 1.6e5", "rear_n_per_rad: 2.2e5")
    balanced = balanced.replace("cg_to_front_axle_m: 1.17", "cg_to_front_axle_m: 1.8")
    path = tmp_path / "neutral.yaml"
    path.write_text(balanced.replace("length_m: 4.635", "length_m: 5.2"))
    assert main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert "(neutral)" in out
    assert "neutral at every speed" in out


def test_check_of_a_wrong_file_says_one_line_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "car.yaml"
    path.write_text("name: x\nbody: {mass_kg: -1}\n")
    assert main(["check", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("vdsim_vehicle: car.yaml: ")
    assert captured.err.count("\n") == 1


def test_check_of_a_property_file_shows_both_radii(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "ioniq5_awd", "--tyre", "road_235_55r19"]) == 0
    assert "0.338 m rolling, tyre 0.3475 m free" in capsys.readouterr().out


def test_list_names_every_preset(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in (*vehicle_names(), "mf96", "road_235_55r19"))
