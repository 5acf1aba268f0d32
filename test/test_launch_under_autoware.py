"""Our launch files where Autoware's include them: its arguments are not ours, nothing starts twice.

A launch file is read and its arguments are checked as `ros2 launch` does; no process is started.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from vdsim_autoware.adapter import AutowareParameters
from vdsim_autoware.adapter.vehicle_info import vehicle_info
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.model.types import MODELS
from vdsim_autoware.preset import adapter_parameters, interface_parameters, steering_limit_rad
from vdsim_autoware_kit.parameter_sets import VEHICLE_INFO, parameter_set
from vdsim_interface.parameters.flat import from_flat, to_flat
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.ros.launching.parameter_files import load
from vdsim_kit.started import Prefix, Started

ROOT = Path(__file__).resolve().parents[1]
SIMULATOR = ROOT / "src/vdsim_autoware/launch/autoware_simulator.launch.py"
INTERFACE = ROOT / "src/vdsim_interface/launch/autoware.launch.py"
CONVERTER = "autoware_raw_vehicle_cmd_converter"
MODEL_OF = "/simulation/simple_planning_simulator"
STARTS_CONVERTER = '<launch><include file="use_actuation_command.launch.py"/></launch>'


@pytest.fixture(autouse=True)
def log_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """The parameter files of a vehicle whose model takes pedals."""
    contents = {
        "simulator_model_param_file": parameter_set("ACTUATION_CMD_VGR", tmp_path),
        "vehicle_info_param_file": VEHICLE_INFO,
    }
    paths = {}
    for name, values in contents.items():
        path = tmp_path / f"{name}.yaml"
        lines = [f"    {key}: {str(value).lower() if isinstance(value, bool) else value}"
                 for key, value in values.items()]  # fmt: skip
        path.write_text("\n".join(["/**:", "  ros__parameters:", *lines, ""]), encoding="utf-8")
        paths[name] = str(path)
    return paths


# ---- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", [SIMULATOR, INTERFACE])
@pytest.mark.parametrize("value", ["true", "false"])
def test_the_switches_of_an_outer_launch_file_are_not_ours(file: Path, value: str) -> None:
    started = Started(file, vehicle=value, localization=value)
    assert "simulated_localization" not in started.programs
    assert started.programs
    [line] = [line for line in started.lines if "left to the launch file" in line]
    assert f"vehicle:={value} (ours is vdsim_vehicle)" in line
    assert f"localization:={value} (ours is vdsim_localization)" in line


def test_ours_have_names_of_their_own() -> None:
    started = Started(
        INTERFACE, vehicle="true", localization="false", vdsim_localization="true",
        vdsim_vehicle="compact_fwd",
    )  # fmt: skip
    assert "simulated_localization" in started.programs
    with pytest.raises(RuntimeError, match="vehicle:='nosuch': must be a"):
        Started(INTERFACE, vehicle="true", vdsim_vehicle="nosuch")


def test_a_car_is_ours_whoever_gives_it() -> None:
    with pytest.raises(RuntimeError, match="vehicle:='nosuch': must be a"):
        Started(INTERFACE, vehicle="nosuch")


def test_the_older_names_count_when_the_user_starts_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["ros2", "launch", "vdsim_interface", INTERFACE.name])
    assert "simulated_localization" in Started(INTERFACE, localization="true").programs
    with pytest.raises(RuntimeError, match="localization:=maybe: must be one of true, false"):
        Started(INTERFACE, localization="maybe")
    with pytest.raises(RuntimeError, match="vehicle:='true': must be a"):
        Started(INTERFACE, vehicle="true")


# ---- the converter -------------------------------------------------------------------------------


def test_pedal_models_start_without_the_converter_with_a_warning(files: dict[str, str]) -> None:
    started = Started(SIMULATOR, **files)
    assert started.programs == ["planning_simulator"]
    assert not started.includes
    assert any(f"[WARNING] {CONVERTER} is not installed" in line for line in started.lines)


def test_the_converter_is_started_where_it_is_installed(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = Prefix(tmp_path, monkeypatch)
    prefix.make(CONVERTER, "launch/raw_vehicle_converter.launch.xml")
    assert Started(SIMULATOR, **files).includes == ["raw_vehicle_converter.launch.xml"]


def test_no_second_converter_beside_that_of_autoware_0_51(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = Prefix(tmp_path, monkeypatch)
    prefix.make(CONVERTER, "launch/raw_vehicle_converter.launch.xml")
    prefix.make("tier4_simulator_launch", "launch/simulator.launch.xml", STARTS_CONVERTER)
    started = Started(SIMULATOR, **files)
    assert started.programs == ["planning_simulator"]
    assert not started.includes
    assert any("left to the launch file that includes this one" in line for line in started.lines)


def test_a_model_that_the_outer_file_does_not_know_gets_its_converter(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = Prefix(tmp_path, monkeypatch)
    prefix.make(CONVERTER, "launch/raw_vehicle_converter.launch.xml")
    prefix.make("tier4_simulator_launch", "launch/simulator.launch.xml", STARTS_CONVERTER)
    model = Path(files["simulator_model_param_file"])
    model.write_text(model.read_text().replace("ACTUATION_CMD_VGR", "DELAY_STEER_ACC_GEARED"))
    given = {**files, "vehicle_model_type": "ACTUATION_CMD_VGR"}
    assert Started(SIMULATOR, **given).includes == ["raw_vehicle_converter.launch.xml"]


def test_an_unknown_package_in_a_parameter_file_is_named(files: dict[str, str]) -> None:
    model = Path(files["simulator_model_param_file"])
    model.write_text(
        model.read_text() + "    acceleration_map_path: $(find-pkg-share nosuch)/a.csv\n"
    )
    with pytest.raises(
        RuntimeError, match=r"\$\(find-pkg-share nosuch\): there is no such package"
    ):
        Started(SIMULATOR, **files)


# ---- link:=udp -----------------------------------------------------------------------------------


def test_interface_and_adapter_by_udp_are_those_of_one_process(
    files: dict[str, str],
) -> None:
    """Engaged at the start, no time for a shift, no limit of jerk, and the file's limits."""
    model = Path(files["simulator_model_param_file"])
    model.write_text("/**: {ros__parameters: {vehicle_model_type: vdsim_l2, vel_rate_lim: 6.5}}")
    started = Started(SIMULATOR, link="udp", **files)
    assert {"autoware_interface", "simulated_localization"} <= {*started.programs}
    info = vehicle_info(VEHICLE_INFO)
    parameters = from_flat(
        SimulatorParameters, {"vehicle_model_type": "vdsim_l2", "vel_rate_lim": 6.5}
    )
    limit_rad = steering_limit_rad(parameters, info)
    wanted = interface_parameters(parameters, info, limit_rad)
    given = load(written(started, "params_file")).values_for("/vehicle/vehicle_interface")
    made = from_flat(InterfaceParameters, {**to_flat(InterfaceParameters()), **given})
    assert (made.safety, made.acceleration, made.vehicle) == (
        wanted.safety, wanted.acceleration, wanted.vehicle,
    )  # fmt: skip
    assert made.command_timeout_s == wanted.command_timeout_s
    given = load(written(started, "autoware_params_file")).values_for("/vehicle/autoware_interface")
    adapter = adapter_parameters(parameters, MODELS["vdsim_l2"], info, limit_rad)
    made_adapter = from_flat(AutowareParameters, given)
    assert replace(made_adapter, model_file="") == adapter
    assert load(made_adapter.model_file).values_for(MODEL_OF)["vel_rate_lim"] == 6.5


@pytest.mark.parametrize(
    ("state_rate", "tick_hz"), [("200", 1000.0), ("150", 900.0), ("1000", 1000.0)]
)
def test_the_car_by_udp_takes_packets_about_1000_times_a_second(
    state_rate: str, tick_hz: float, files: dict[str, str]
) -> None:
    model = Path(files["simulator_model_param_file"])
    model.write_text("/**: {ros__parameters: {vehicle_model_type: vdsim_l2}}")
    started = Started(SIMULATOR, link="udp", state_rate=state_rate, **files)
    assert started.values_for("plant", "/plant")["tick_rate"] == tick_hz


def test_a_file_of_the_users_for_the_car_by_udp_counts(
    files: dict[str, str], tmp_path: Path
) -> None:
    Path(files["simulator_model_param_file"]).write_text(
        "/**: {ros__parameters: {vehicle_model_type: vdsim_l2}}"
    )
    own = tmp_path / "plant.yaml"
    own.write_text("/**: {ros__parameters: {seed: 7}}")
    started = Started(SIMULATOR, link="udp", plant_params_file=str(own), **files)
    given = started.values_for("plant", "/plant")
    assert given["seed"] == 7
    assert "tick_rate" not in given


def written(started: Started, argument: str) -> str:
    return str(started.log_folder / f"autoware_simulator_{argument}.yaml")
