"""The zero-edit door: what stands in place of Autoware's simulator, and the car by its own name."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from ament_index_python.packages import get_package_share_directory
from vdsim_autoware.facts.peer_facts import NOT_READ, Release, peer
from vdsim_kit.started import OVERLAY, ROOT, Prefix, Started

SIMULATOR = "autoware_simple_planning_simulator"
LAUNCH = OVERLAY / SIMULATOR / "launch"
RELEASES = peer("autoware").releases
MODEL = OVERLAY / "vdsim_description/config/simulator_model.param.yaml"
INFO = OVERLAY / "vdsim_description/config/vehicle_info.param.yaml"


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prefix:
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    made = Prefix(tmp_path / "overlay", monkeypatch)
    for package in sorted(OVERLAY.glob("*/package.xml")):
        made.link(package.parent)
    return made


def arguments_of(release: Release, included: str) -> list[str]:
    """What the launch files of a release pass to one that they include."""
    return [
        name
        for items in release.facts["includes"].values()
        if items != NOT_READ
        for item in items
        if str(item["file"]).endswith(included)
        for name in item["arguments"]
    ]


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_the_simulator_by_autowares_name_is_ours(release: Release, prefix: Prefix) -> None:
    values = {
        "simulator_model_param_file": str(MODEL),
        "vehicle_info_param_file": str(INFO),
        "initial_engage_state": "true",
        "motion_publish_mode": "full_motion",
        "raw_vehicle_cmd_converter_param_path": "",
    }
    passed = arguments_of(release, "simple_planning_simulator.launch.py") or values
    given = {name: values[name] for name in passed}
    started = Started(LAUNCH / "simple_planning_simulator.launch.py", is_deep=True, **given)
    assert started.programs == ["planning_simulator"]
    assert any("is that of vdsim" in line for line in started.lines)


@pytest.mark.parametrize(
    ("model", "takes"),
    [("ACTUATION_CMD_VGR", "true"), ("DELAY_STEER_ACC_GEARED", "false"), ("vdsim_l2", "false")],
)
def test_whether_a_model_takes_pedals_is_told_to_the_outer_file(
    model: str, takes: str, tmp_path: Path
) -> None:
    file = tmp_path / "model.yaml"
    file.write_text(f"/**: {{ros__parameters: {{vehicle_model_type: {model}}}}}", encoding="utf-8")
    reader = LAUNCH / "use_actuation_command.launch.py"
    told = Started(reader, simulator_model_param_file=str(file))
    assert told.configurations["use_actuation_command"] == takes


def test_the_last_sourced_workspace_decides_which_simulator_runs(
    prefix: Prefix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Path(get_package_share_directory(SIMULATOR)).resolve() == LAUNCH.parent
    other = Prefix(tmp_path / "autoware", monkeypatch)
    other.make(SIMULATOR)
    assert Path(get_package_share_directory(SIMULATOR)) == other.folder / "share" / SIMULATOR


def test_the_vehicle_interface_has_the_arguments_that_autoware_passes(prefix: Prefix) -> None:
    file = OVERLAY / "vdsim_launch/launch/vehicle_interface.launch.xml"
    declared = {item.get("name") for item in ElementTree.parse(file).iter("arg")}
    for release in RELEASES:
        assert set(arguments_of(release, "/vehicle_interface.launch.xml")) <= declared
    # As e2e_simulator and logging_simulator include it: with switches of these names.
    started = Started(
        file, is_deep=True, vehicle="true", localization="true", initial_engage_state="false"
    )
    assert {"vehicle_interface", "autoware_interface"} <= set(started.programs)
    assert "simulated_localization" not in started.programs


def test_the_description_is_that_of_the_simulated_car() -> None:
    own = ROOT / "src/vdsim_autoware/config"
    for file in (MODEL, INFO):
        assert file.read_text() == (own / file.name).read_text(), file.name
    ElementTree.parse(OVERLAY / "vdsim_description/urdf/vehicle.xacro")
    mirror = OVERLAY / "vdsim_description/config/mirror.param.yaml"
    limits = yaml.safe_load(mirror.read_text())["/**"]["ros__parameters"]
    for axis in ("longitudinal", "lateral", "height"):
        assert limits[f"min_{axis}_offset"] < limits[f"max_{axis}_offset"]


def test_colcon_leaves_the_overlay_alone_and_every_package_names_what_it_includes() -> None:
    """A name twice in one workspace stops colcon: these are built by a command of their own."""
    assert (OVERLAY.parent / "COLCON_IGNORE").is_file()
    for package in sorted(OVERLAY.glob("*/package.xml")):
        needed = {item.text for item in ElementTree.parse(package).iter("exec_depend")}
        texts = [path.read_text() for path in package.parent.rglob("*.xml")]
        for other in ("vdsim_interface", "vdsim_description"):
            included = any(f"find-pkg-share {other})" in text for text in texts)
            assert not included or other in needed
