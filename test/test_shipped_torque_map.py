"""The shipped torque map is that of the built-in car's motor, and matches its acceleration."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_interface.extras.autohyu import AutohyuParameters, load_torque_map
from vdsim_interface.extras.autohyu.cli.torque_map import main as installed_command
from vdsim_interface.extras.autohyu.rules import pedals
from vdsim_plant.cli.torque_map import main
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import load_vehicle
from vdsim_plant.torque_map import torque_map_lines, wheel_torque_nm
from vdsim_plant.vehicle import Vehicle

PATH = (
    Path(__file__).resolve().parents[1]
    / "src/vdsim_interface/vdsim_interface/extras/autohyu/maps/ioniq5_awd.csv"
)
SETTINGS = AutohyuParameters().pedals


def test_the_file_is_made_from_the_motor(capsys: pytest.CaptureFixture[str]) -> None:
    lines = list(torque_map_lines(load_vehicle("ioniq5_awd")))
    assert PATH.read_text(encoding="utf-8").splitlines() == lines
    assert main(["ioniq5_awd"]) == 0
    assert capsys.readouterr().out.splitlines() == lines


def test_the_installed_command_prints_it(capfd: pytest.CaptureFixture[str]) -> None:
    assert installed_command(["ioniq5_awd"]) == 0
    assert capfd.readouterr().out.splitlines() == PATH.read_text(encoding="utf-8").splitlines()
    assert installed_command(["no_such_car"]) == 2
    assert "no_such_car" in capfd.readouterr().err


def test_a_wrong_vehicle_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no_such_car"]) == 2
    assert "no_such_car" in capsys.readouterr().err


def test_a_motor_gives_nothing_beyond_its_last_point() -> None:
    assert wheel_torque_nm(load_vehicle("ioniq5_awd"), 100.0) == 0.0


@pytest.mark.parametrize(("torque_nm", "speed_mps"), [(800.0, 8.0), (2000.0, 15.0), (1500.0, 30.0)])
def test_the_wheels_get_the_torque_that_was_asked_for(torque_nm: float, speed_mps: float) -> None:
    torque_map = load_torque_map(PATH, SETTINGS)
    throttle, brake = pedals(torque_nm, speed_mps, torque_map, SETTINGS)
    assert brake == 0.0
    vehicle = Vehicle("ioniq5_awd")
    vehicle.reset(InitialState(vx_mps=speed_mps))
    vehicle.step_pedals(PedalInput(0.0, throttle, 0.0, 1), 0.1)
    motion = vehicle.motion()
    spin_up = motion.ax_mps2 / motion.wheel_radius_m * 4 * 2.0  # wheels of 2 kg m2 each
    rolling = vehicle.tyre.rolling_resistance * sum(motion.tire_fz_n) * motion.wheel_radius_m
    at_wheels = sum(motion.tire_fx_n) * motion.wheel_radius_m + spin_up + rolling
    assert at_wheels == pytest.approx(torque_nm, rel=0.05, abs=20.0)
