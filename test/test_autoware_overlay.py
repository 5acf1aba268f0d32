"""The zero-edit door: what stands in place of Autoware's simulator, and the car by its own name."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from ament_index_python.packages import get_package_share_directory
from vdsim_autoware.facts.peer_facts import NOT_READ, Release, peer
from vdsim_autoware.ros import topics
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


# ---- Autoware System Designer --------------------------------------------------------------------

NODE_FILE = OVERLAY / SIMULATOR / "design/node/SimplePlanningSimulator.node.yaml"
DESIGNER = RELEASES[-1].facts["system_designer"]
ABSENT = {
    "map/vector_map",
    "perception/traffic_light_recognition/traffic_signals",
    "api/simulator/set/pose",
}
"""Ports that the sample system wires, and that our node does not have."""
NODE = yaml.safe_load(NODE_FILE.read_text(encoding="utf-8"))
PORTS = [*NODE["subscribers"], *NODE["publishers"]]


def test_the_node_file_has_the_form_and_the_name_of_the_system_designer() -> None:
    assert sorted(NODE) == DESIGNER["node_keys"]
    assert NODE["name"] == DESIGNER["simulator_node"] == NODE_FILE.name.removesuffix(".yaml")
    assert NODE["autoware_system_design_format"] == DESIGNER["format"]
    assert all(set(port) <= set(DESIGNER["port_keys"]) for port in PORTS)
    assert all(port["message_type"].split("/")[1] == "msg" for port in PORTS)
    outputs = {port["name"] for port in NODE["publishers"]}
    [process] = NODE["processes"]
    assert {item["to_output"] for item in process["outcomes"]} <= outputs


@pytest.mark.parametrize("side", ["subscribers", "publishers"])
def test_autowares_sample_system_finds_every_port_that_it_wires(side: str) -> None:
    """A port that is missing ends the building of a system."""
    wired = set(DESIGNER[f"simulator_{side}"])
    assert wired <= {port["name"] for port in NODE[side]}


def test_every_port_leads_to_the_topic_of_autowares_launch_file() -> None:
    names = {**topics.REMAPPINGS, **topics.MOTION_REMAPPINGS["full_motion"], topics.TF: topics.TF}
    left = set(names) - {topics.TRAJECTORY_BEFORE_0_47, topics.POSE}
    types = {(item["simulator"], item["type"]) for item in RELEASES[-1].facts["topics"]}
    known = {name for name, _ in types}
    for port in PORTS:
        name = port["name"]
        if name in ABSENT:
            assert "remap_target" not in port
            continue
        assert names[port["remap_target"]] == f"/{name}" == port.get("global", f"/{name}")
        left.remove(port["remap_target"])
        if port["remap_target"] in known:
            assert (port["remap_target"], port["message_type"]) in types
    assert left == set(), "topics without a port"


def test_the_node_file_starts_our_node_with_the_parameters_of_the_description(
    prefix: Prefix,
) -> None:
    assert NODE["package"]["name"] == "vdsim_autoware"
    programs = (ROOT / "src/vdsim_autoware/setup.py").read_text(encoding="utf-8")
    assert f'"{NODE["launch"]["executable"]} = ' in programs
    for item in NODE["param_files"]:
        found = re.fullmatch(r"\$\(find-pkg-share (\w+)\)/(.*)", item["default"])
        assert found is not None, item
        package, file = found.groups()
        assert (Path(get_package_share_directory(package)) / file).is_file()


# ---- the Autoware Index, and Autoware's own image ------------------------------------------------

INDEX = RELEASES[-1].facts["index"]
IMAGES = RELEASES[-1].facts["images"]
ENTRY = yaml.safe_load((OVERLAY / "autoware_index.yaml").read_text(encoding="utf-8"))["vdsim"]
MANIFESTS = {path.parent.name: ElementTree.parse(path) for path in ROOT.glob("src/*/package.xml")}


def test_the_entry_of_the_autoware_index_has_its_form() -> None:
    assert set(INDEX["required_keys"]) <= set(ENTRY) <= set(INDEX["repository_keys"])
    for package in ENTRY["packages"].values():
        assert set(package) <= set(INDEX["package_keys"])
        assert set(package["tags"]) <= set(INDEX["tags"])
        assert 1 <= len(package["tags"]) <= INDEX["most_tags"]


def test_the_index_names_packages_that_exist_with_what_they_need_of_each_other() -> None:
    assert set(MANIFESTS) - set(ENTRY["packages"]) == {"vdsim_record"}
    for name, package in ENTRY["packages"].items():
        tree = MANIFESTS[name]
        needed = {
            item.text for kind in ("depend", "exec_depend") for item in tree.getroot().iter(kind)
        }
        assert set(package.get("index_dependencies", [])) == needed & set(ENTRY["packages"]), name


def test_the_image_is_made_of_autowares_own_and_has_what_our_packages_need() -> None:
    text = (OVERLAY / "Dockerfile").read_text(encoding="utf-8")
    assert re.findall(r"^ARG AUTOWARE=(.*)$", text, re.MULTILINE) == [IMAGES["registry"]]
    stages = re.findall(r"^FROM \$\{AUTOWARE\}:([\w-]+)-\$\{ROS_DISTRO\}", text, re.MULTILINE)
    assert sorted(stages) == IMAGES["stages"]
    assert IMAGES["installed"] in text
    installed = set(re.findall(r"\bpython3-\w+", text))
    reached, todo = set(), ["vdsim_autoware"]
    while todo:
        reached.add(name := todo.pop())
        names = {item.text or "" for item in MANIFESTS[name].getroot().iter("exec_depend")}
        todo += sorted((names & set(MANIFESTS)) - reached)
        missing = {each for each in names if each.startswith("python3-")} - installed
        assert missing == set(), name
    assert "--packages-up-to vdsim_autoware" in text


def test_the_compose_file_starts_the_planning_simulation_with_our_car() -> None:
    [service] = yaml.safe_load((OVERLAY / "compose.yaml").read_text())["services"].values()
    folder = OVERLAY / service["build"]["context"]
    assert folder.resolve() == ROOT
    assert (folder / service["build"]["dockerfile"]).is_file()
    command = service["command"][-1]
    assert "vehicle_model:=vdsim " in command
    assert f"map_path:={IMAGES['maps']}/" in command
    given = set(re.findall(r"(\w+):=", command))
    assert given <= set(RELEASES[-1].facts["launch_arguments"]["planning_simulator.launch.xml"])
    overlay = re.search(r"source (\S+)/setup.bash", command)
    assert overlay is not None
    assert f"--install-base {overlay[1]}" in (OVERLAY / "Dockerfile").read_text(encoding="utf-8")


# ---- the shape -----------------------------------------------------------------------------------


def read_mesh() -> dict[str, list[list[tuple[float, ...]]]]:
    """The triangles of each part of the mesh that RViz shows."""
    [name] = re.findall(
        r'filename="package://vdsim_description/(\S+)"',
        (OVERLAY / "vdsim_description/urdf/vehicle.xacro").read_text(encoding="utf-8"),
    )
    points: list[tuple[float, ...]] = []
    parts: dict[str, list[list[tuple[float, ...]]]] = {}
    for line in (OVERLAY / "vdsim_description" / name).read_text(encoding="utf-8").splitlines():
        kind, *words = line.split()
        if kind == "v":
            points.append(tuple(map(float, words)))
        elif kind == "o":
            parts[words[0]] = triangles = []
        elif kind == "f":
            triangles.append([points[int(word) - 1] for word in words])
    return parts


MESH = read_mesh()


@pytest.mark.parametrize("part", MESH)
def test_each_part_of_the_mesh_is_closed_and_seen_from_outside(part: str) -> None:
    edges = [(triangle[n], triangle[(n + 1) % 3]) for triangle in MESH[part] for n in range(3)]
    assert len(edges) == len(set(edges))
    assert {(two, one) for one, two in edges} == set(edges)
    volume = sum(
        a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
        for a, b, c in MESH[part]
    ) / 6.0  # fmt: skip
    assert volume > 0.01


def test_the_mesh_has_the_dimensions_that_autoware_plans_with() -> None:
    info = yaml.safe_load(INFO.read_text())["/**"]["ros__parameters"]

    def least_and_most(names: list[str], axis: int) -> tuple[float, float]:
        values = [point[axis] for name in names for tri in MESH[name] for point in tri]
        return min(values), max(values)

    whole = list(MESH)
    front = info["wheel_base"] + info["front_overhang"]
    half = 0.5 * info["wheel_tread"]
    assert least_and_most(whole, 0) == pytest.approx((-info["rear_overhang"], front), abs=1e-3)
    sides = (-half - info["right_overhang"], half + info["left_overhang"])
    assert least_and_most(whole, 1) == pytest.approx(sides, abs=1e-3)
    assert least_and_most(whole, 2) == pytest.approx((0.0, info["vehicle_height"]), abs=1e-3)
    assert len(MESH) == 5
    radius = info["wheel_radius"]
    for name in whole[1:]:
        assert least_and_most([name], 2) == pytest.approx((0.0, 2.0 * radius), abs=1e-3)
