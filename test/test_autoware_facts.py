"""Our launch files, remappings and types against what was read of each release of Autoware."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from launch.launch_description_sources import PythonLaunchDescriptionSource
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from vdsim_autoware.adapter.ros.actuation import DIALECTS
from vdsim_autoware.adapter.vehicle_info import VehicleInfo
from vdsim_autoware.facts.peer_facts import NOT_READ, Release, peer
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.ros import topics
from vdsim_autoware.ros.parameters import WITHOUT_USE
from vdsim_autoware_kit.node_loop import NodeLoop
from vdsim_interface.extras.doctor.ros.ends import installed_hashes
from vdsim_interface.parameters.flat import to_flat

from launch import LaunchContext

ROOT = Path(__file__).resolve().parents[1]
SIMULATOR = "autoware_simulator.launch.py"
FILES = {
    SIMULATOR: ROOT / "src/vdsim_autoware/launch" / SIMULATOR,
    "autoware.launch.py": ROOT / "src/vdsim_interface/launch/autoware.launch.py",
}
THEIRS = "simple_planning_simulator.launch.py"
RELEASES = peer("autoware").releases
AGREED = {
    "use_sim_time",
    "initial_engage_state",
    "vehicle_info_param_file",
    "raw_vehicle_cmd_converter_param_path",
}
"""Arguments of outer launch files that mean the same in ours."""
WITHOUT = {"input/vector_map"}
"""Topics that ours does not have: the slope comes from the trajectory (docs/autoware.md)."""


PEDALS = {
    dialect.type_name(name) for dialect in DIALECTS for name in (dialect.command, dialect.status)
}


def ids(release: Release) -> str:
    return release.name


def declared(file: str) -> set[str]:
    source = PythonLaunchDescriptionSource(str(FILES[file]))
    description = source.get_launch_description(LaunchContext())
    return {argument.name for argument in description.get_launch_arguments()}


def read(release: Release, key: str) -> Mapping[str, Any]:
    """The entries of a fact that were read."""
    facts = release.get(key) or {}
    return {name: value for name, value in facts.items() if value != NOT_READ}


@pytest.mark.parametrize("release", RELEASES, ids=ids)
def test_every_remapping_is_that_of_autoware(release: Release) -> None:
    ours = dict(topics.REMAPPINGS)
    older = ours.pop(topics.TRAJECTORY_BEFORE_0_47)
    for name, target in read(release, "remaps").items():
        if name in WITHOUT:
            continue
        names = {ours[name], older} if name == topics.TRAJECTORY else {ours[name]}
        assert target in names, name
    for mode, remaps in read(release, "motion_remaps").items():
        assert topics.MOTION_REMAPPINGS[mode] == remaps


@pytest.mark.parametrize("release", RELEASES, ids=ids)
def test_no_argument_of_an_outer_launch_file_is_taken_for_ours(release: Release) -> None:
    outer = {
        name
        for file, names in read(release, "launch_arguments").items()
        if file not in (THEIRS, "vehicle_interface.launch.xml")
        for name in names
    }
    assert outer
    for file in FILES:
        assert declared(file) & outer <= AGREED, file


@pytest.mark.parametrize("release", RELEASES, ids=ids)
def test_every_argument_that_autoware_passes_to_its_simulator_is_one_of_ours(
    release: Release,
) -> None:
    passed = set(read(release, "launch_arguments").get(THEIRS, ()))
    for included in read(release, "includes").values():
        for item in included:
            if str(item["file"]).endswith(THEIRS):
                passed |= set(item["arguments"])
    assert passed <= declared(SIMULATOR)


@pytest.mark.parametrize("release", RELEASES, ids=ids)
def test_every_parameter_of_the_sample_vehicle_is_known(release: Release) -> None:
    files = read(release, "parameter_files")
    known = {*to_flat(SimulatorParameters()), *to_flat(VehicleInfo()), *WITHOUT_USE}
    assert set(files["simulator_model.param.yaml"]) <= known
    assert set(files["vehicle_info.param.yaml"]) <= known


@pytest.fixture(scope="module", params=["DELAY_STEER_ACC_GEARED", "ACTUATION_CMD_VGR"])
def loop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[NodeLoop]:
    made = NodeLoop(request.param, tmp_path_factory.mktemp("maps"))
    yield made
    made.close()


@pytest.mark.parametrize("release", RELEASES, ids=ids)
def test_every_topic_has_the_type_of_the_release_and_connects(
    release: Release, loop: NodeLoop
) -> None:
    node = loop.node
    ours: dict[str, list[Any]] = {}
    for end in (*node.subscriptions, *node.publishers):
        ours.setdefault(end.topic_name, []).append(end)
    compared = 0
    for fact in release.get("topics") or ():
        relative = fact["simulator"]
        is_of_pedals = relative in (topics.ACTUATION, topics.ACTUATION_STATUS)
        takes_pedals = "/input/actuation_command" in ours
        if relative in WITHOUT or (is_of_pedals and not takes_pedals):
            continue
        if relative == topics.CONTROL and takes_pedals:
            continue
        if is_of_pedals and not installed_hashes([fact["type"]]):
            assert fact["type"] in (NOT_READ, *PEDALS)  # not released: no package here has them
            continue
        ends = ours[f"/{relative}"]
        if fact["type"] != NOT_READ:
            [end] = [end for end in ends if type_name(end.msg_type) == fact["type"]]
            if fact["hash"] != NOT_READ:
                assert installed_hashes([fact["type"]])[fact["type"]] == fact["hash"]
        else:
            end = ends[0]
        compared += 1
        # A subscription that asks for no more, and a publisher that offers no less.
        assert fact["reliability"] == "reliable"
        assert fact["durability"] == "volatile"
        if end in node.subscriptions:
            assert end.qos_profile.durability is DurabilityPolicy.VOLATILE
        else:
            assert end.qos_profile.reliability is ReliabilityPolicy.RELIABLE
    assert compared > 15


def type_name(kind: Any) -> str:
    package, _, rest = str(kind.__module__).partition(".")
    return f"{package}/{rest.partition('.')[0]}/{kind.__name__}"
