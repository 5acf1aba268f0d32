"""The settings file of `--config`: every option by its name, checked as on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant_node.cli.realtime import main
from vdsim_plant_node.settings.options import load_config, server_settings


def config(folder: Path, text: str) -> str:
    file = folder / "car.yaml"
    file.write_text(text)
    return str(file)


def test_it_has_every_option_by_its_name(tmp_path: Path) -> None:
    file = config(
        tmp_path,
        "vehicle: compact_fwd\ntyre: mf96\nmu: 0.4\nyaw0: 1\ncmd_timeout: 0.5\ncmd_port: 6123\n"
        "rate: 100\nallow_from: [127.0.0.1]\nprecise: true\nhttp: off\nground: {slope_x: 0.1}\n",
    )
    settings = server_settings({"config": file})
    (vehicle,) = settings.vehicles
    assert (vehicle.vehicle, vehicle.tyre, vehicle.mu) == ("compact_fwd", "mf96", 0.4)
    assert (vehicle.start.yaw_rad, vehicle.failsafe.timeout_s) == (1.0, 0.5)
    assert (settings.cmd_port, settings.state_rate_hz, settings.precise) == (6123, 100.0, True)
    assert (settings.allow_from, settings.http) == (("127.0.0.1",), "off")
    assert vehicle.ground == {"slope_x": 0.1}


def test_what_is_given_beside_it_wins(tmp_path: Path) -> None:
    file = config(tmp_path, "mu: 0.4\nlevel: l1\n")
    (vehicle,) = server_settings({"config": file, "mu": 0.7, "level": None}).vehicles
    assert (vehicle.mu, vehicle.level) == (0.7, "l1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mu: 3", "car.yaml: mu=3.0: must be > 0 and <= 1.2"),
        ("mu: wet", "car.yaml: mu='wet': must be a number"),
        ("vx0: 500", "car.yaml: vx0=500.0: must be >= -60 and <= 120 m/s"),
        ("speed: 3", "car.yaml: speed: unknown key; known are vehicle, tyre, level"),
        ("config: other.yaml", "car.yaml: config: unknown key; known are"),
        ("- mu", "car.yaml: document: must be a group of keys"),
        ("mu: [", "car.yaml: line"),
        ("state_to: 5", "car.yaml: state_to=5: must be a list of texts"),
        ("ground: {slope_x: steep}", "car.yaml: ground.slope_x='steep': must be a number"),
        ("vehicles: fleet.yaml\nmu: 0.3", "car.yaml: mu: cannot go with a fleet file"),
    ],
)
def test_a_fault_names_the_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        server_settings({"config": config(tmp_path, text)})
    assert str(caught.value).startswith(message)


def test_a_fault_of_the_command_line_does_not(tmp_path: Path) -> None:
    with pytest.raises(ParameterError) as caught:
        server_settings({"config": config(tmp_path, "mu: 0.3"), "mu": 4.0})
    assert str(caught.value) == "mu=4.0: must be > 0 and <= 1.2"


def test_the_program_takes_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = config(tmp_path, "vehicle: compact_fwd\ncmd_port: 0\nstate_port: 0\nhttp: off\n")
    assert main(["--config", file, "--duration", "0.05"]) == 0
    assert "vehicle 0 compact_fwd (l2)" in capfd.readouterr().out
    assert main(["--config", file, "--mu", "2"]) == 2
    assert capfd.readouterr().err == "vdsim_realtime: mu=2.0: must be > 0 and <= 1.2\n"
    assert main(["--config", str(tmp_path / "none.yaml")]) == 2
    assert "none.yaml: file: cannot be read: No such file" in capfd.readouterr().err


@given(st.text(max_size=300))
def test_any_text_is_a_config_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    file = tmp_path_factory.mktemp("config", numbered=True) / "car.yaml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    fault = ""
    try:
        server_settings(load_config(file))
    except ParameterError as error:
        fault = str(error)
    assert "\n" not in fault
