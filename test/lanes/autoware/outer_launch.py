"""simulator, vehicle and planning_simulator.launch.xml of the release in VDSIM_AUTOWARE.

Every package that they name and nobody brings is a double that starts nothing; every other
`launch_*` is false. No process runs: the launch files are performed, and what they would start is
compared.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml
from vdsim_autoware_kit.parameter_sets import parameter_set
from vdsim_kit.started import OVERLAY, Prefix, Started, make_doubles

UPSTREAM = Path(os.environ["VDSIM_AUTOWARE"])
CONVERTER = "autoware_raw_vehicle_cmd_converter"
OTHERS = dict.fromkeys(
    (
        *("launch_system", "launch_map", "launch_sensing", "launch_localization"),
        *("launch_perception", "launch_planning", "launch_control", "launch_api", "rviz"),
        *("launch_dummy_doors", "launch_simulator_perception_modules", "launch_fault_injection"),
        *("launch_dummy_diag_publisher", "launch_system_monitor", "scenario_simulation"),
    ),
    "false",
)


XACRO = """#!/bin/sh
test -f "$1" && echo '<robot name="double"/>'
"""
"""A double of the program that makes the model for robot_state_publisher."""
CHOSEN = {"map_path": "/map", "vehicle_model": "vdsim", "localization_sim_mode": "none"}


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prefix:
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "xacro").write_text(XACRO, encoding="utf-8")
    (tmp_path / "xacro").chmod(0o755)
    made = Prefix(tmp_path / "install", monkeypatch)
    for folder in (OVERLAY, UPSTREAM):
        for package in sorted(folder.rglob("package.xml")):
            made.link(package.parent)
    known = {path.name for path in (made.folder / "share").iterdir()}
    files = [path for end in ("xml", "py") for path in UPSTREAM.rglob(f"*.launch.{end}")]
    texts = [path.read_text(encoding="utf-8") for path in files]
    ours = {"vdsim_autoware", "vdsim_interface", "vdsim_description"}
    make_doubles(made, texts, known | ours)
    made.make(
        CONVERTER,
        "launch/raw_vehicle_converter.launch.xml",
        f'<launch><node pkg="{CONVERTER}" exec="converter"/></launch>',
    )
    return made


def share(prefix: Prefix, package: str, file: str) -> Path:
    return prefix.folder / "share" / package / "launch" / file


def test_planning_simulator_starts_our_car_and_nothing_else(prefix: Prefix) -> None:
    file = share(prefix, "autoware_launch", "planning_simulator.launch.xml")
    given = {
        **OTHERS,
        "map_path": "/map",
        "vehicle_model": "vdsim",
        "localization_sim_mode": "none",
    }
    started = Started(file, is_deep=True, **given)
    if not prefix.has("tier4_simulator_launch") or "simulator.launch.xml" not in started.includes:
        pytest.fail(
            "no tier4_simulator_launch: until release 0.49 it is in autoware_universe, whose clone "
            "must be beside that of autoware_launch"
        )
    ours = [name for name in started.programs if name not in ("robot_state_publisher", "relay")]
    assert ours == ["planning_simulator"], started.programs
    assert any("is that of vdsim" in line for line in started.lines)


@pytest.mark.parametrize("model", ["ACTUATION_CMD_VGR", "DELAY_STEER_ACC_GEARED"])
def test_a_model_of_pedals_gets_one_converter(model: str, prefix: Prefix, tmp_path: Path) -> None:
    values = parameter_set(model, tmp_path)
    lines = [f"    {name}: {str(value).lower() if isinstance(value, bool) else value}"
             for name, value in values.items()]  # fmt: skip
    file = tmp_path / "model.yaml"
    file.write_text("\n".join(["/**:", "  ros__parameters:", *lines, ""]), encoding="utf-8")
    given = {**OTHERS, **CHOSEN, "simulator_model": str(file)}
    outer = share(prefix, "autoware_launch", "planning_simulator.launch.xml")
    programs = Started(outer, is_deep=True, **given).programs
    assert programs.count("planning_simulator") == 1
    assert programs.count("converter") == (1 if "ACTUATION" in model else 0)


def test_vehicle_launch_starts_the_vehicle_interface(prefix: Prefix) -> None:
    file = share(prefix, "tier4_vehicle_launch", "vehicle.launch.xml")
    given = {
        "vehicle_model": "vdsim",
        "sensor_model": "sample_sensor_kit",
        "launch_vehicle_interface": "true",
        "config_dir": "/config",
        "raw_vehicle_cmd_converter_param_path": "",
    }
    started = Started(file, is_deep=True, vehicle="true", localization="true", **given)
    assert {"vehicle_interface", "autoware_interface"} <= set(started.programs)
    assert "simulated_localization" not in started.programs


NODE = OVERLAY / "autoware_simple_planning_simulator/design/node/SimplePlanningSimulator.node.yaml"
WIRED = re.compile(r"\bsimulator\.(subscriber|publisher)\.([a-z]\S*)")


def test_every_system_of_autoware_finds_the_ports_that_it_wires_to_the_simulator() -> None:
    """Releases since 0.51 have such systems (Autoware System Designer)."""
    content = yaml.safe_load(NODE.read_text(encoding="utf-8"))
    ours = {
        (side, port["name"]) for side in ("subscriber", "publisher") for port in content[side + "s"]
    }
    for path in sorted(UPSTREAM.rglob("*.system.yaml")):
        text = path.read_text(encoding="utf-8")
        wired = set(WIRED.findall(text)) if content["name"] in text else set()
        assert wired <= ours, path.name
