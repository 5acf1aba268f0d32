"""Nodes of somebody else's package in the container: found, made, loaded, unloaded, refused."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from composition_interfaces.srv import ListNodes, LoadNode, UnloadNode
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from rclpy.task import Future
from std_msgs.msg import String
from vdsim_interface.extras.stages.nodes import component_container
from vdsim_interface.extras.stages.nodes.low_pass_filter import LowPassFilterNode
from vdsim_interface.extras.stages.ros.catalogue import ComponentError, find
from vdsim_interface.extras.stages.ros.container import Container
from vdsim_interface.extras.stages.ros.container_node import ContainerNode
from vdsim_interface.extras.stages.ros.making import Wanted
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.ros.node_main import make_executor
from vdsim_interface_kit import components
from vdsim_interface_kit.teleop_ros import Lab

UNLOADED_N = 20


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("theirs")
    components.install(folder)
    return components.install(folder, "their-others", ("plain",))


@pytest.fixture(autouse=True)
def _on_the_path(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(installed), *sys.path])


class Box:
    """A container with the interface, and a client of its services."""

    def __init__(self, kind: type = VehicleInterface) -> None:
        self.lab = Lab("-r", "__ns:=/vehicle", "-p", "platform:=fake")
        self.stage: Any = kind()
        self.stage.start()
        self.nodes: list[Any] = [self.stage]
        self.nodes.append(ContainerNode(Container(self.nodes, component_container.STAGES)))
        for node in self.nodes:
            self.lab.executor.add_node(node)

    def call(self, kind: Any, name: str, **fields: Any) -> Any:
        topic = f"/vehicle/component_container/_container/{name}"
        client = self.lab.probe.create_client(kind, topic)
        self.lab.until(client.service_is_ready, topic)
        future = client.call_async(kind.Request(**fields))
        self.lab.until(future.done, f"an answer of {name}")
        self.lab.probe.destroy_client(client)
        return future.result()

    def load(self, name: str, **fields: Any) -> Any:
        return self.call(LoadNode, "load_node", plugin_name=name, **fields)

    def unload(self, number: int) -> Any:
        return self.call(UnloadNode, "unload_node", unique_id=number)

    def listed(self) -> dict[int, str]:
        found = self.call(ListNodes, "list_nodes")
        return dict(zip(found.unique_ids, found.full_node_names, strict=True))

    def close(self) -> None:
        """As a process ends: all that is in its list of nodes."""
        self.lab.nodes.extend(reversed(self.nodes))
        self.lab.close()


@pytest.fixture
def box() -> Iterator[Box]:
    made = Box()
    yield made
    made.close()


def test_a_loaded_node_runs_until_it_is_unloaded(box: Box) -> None:
    assert box.listed() == {1: "/vehicle/vehicle_interface"}
    word = Parameter("word", value="good morning").to_parameter_msg()
    answer = box.load(
        "good",
        package_name="their-stages",
        node_name="other",
        node_namespace="/apart",
        remap_rules=["word:=/words"],
        parameters=[word],
        log_level=30,
    )
    assert (answer.success, answer.error_message) == (True, "")
    assert (answer.full_node_name, answer.unique_id) == ("/apart/other", 2)
    box.lab.listen(String, "/words", QoSProfile(depth=1))
    box.lab.until(lambda: box.lab.heard["/words"], "a message of the loaded node")
    assert box.lab.heard["/words"][0].data == "good morning"
    assert box.listed() == {1: "/vehicle/vehicle_interface", 2: "/apart/other"}
    assert box.unload(2).success
    assert box.listed() == {1: "/vehicle/vehicle_interface"}
    names = box.lab.probe.get_node_names_and_namespaces
    box.lab.until(lambda: ("other", "/apart") not in names(), "its end in the graph")
    again = box.load("good")
    assert (again.full_node_name, again.unique_id) == ("/vehicle/good", 3)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("broken", "broken: RuntimeError: no luck (__init__.py:"),
        ("number", "number: made a int, not a node"),
        ("leaves", "leaves: SystemExit: 3 (__init__.py:"),
        ("nothing", "nothing: their_stages:nothing is no class of nodes"),
        ("missing", "missing: AttributeError: module 'their_stages' has no attribute 'Missing'"),
        ("goood", "goood: no such component; did you mean good?"),
        ("plain", "plain: several packages have it, choose one of their_others/plain, "),
        (
            "vdsim_interface/low_pass_filter",
            "low_pass_filter: the stages of vdsim_interface",
        ),
        ("zzz/good", "zzz: no package with components; there are their_others, their_stages"),
    ],
)
def test_what_cannot_be_loaded_is_one_line_and_the_container_lives(
    box: Box, name: str, reason: str
) -> None:
    answer = box.load(name)
    assert not answer.success
    assert answer.error_message.startswith(reason)
    assert "\n" not in answer.error_message
    assert box.listed() == {1: "/vehicle/vehicle_interface"}
    assert box.stage.is_active
    names = box.lab.probe.get_node_names_and_namespaces()
    assert (name, "/vehicle") not in names, "nothing half-made is left"
    assert box.load("their_stages/good").success


def test_a_name_is_used_once(box: Box) -> None:
    first = box.load("good")
    second = box.load("good")
    assert second.error_message == "/vehicle/good: the container has a node of this name"
    assert list(box.listed().values()) == ["/vehicle/vehicle_interface", "/vehicle/good"]
    assert box.load("good", node_name="twin").success
    assert box.unload(first.unique_id).success


def test_a_stage_cannot_be_loaded_and_the_answer_says_what_to_do(box: Box) -> None:
    answer = box.load("low_pass_filter")
    assert answer.error_message == (
        "low_pass_filter: is a stage of the interface and starts with its process: use "
        "`component_container low_pass_filter ...`, or composition:=processes"
    )


@pytest.mark.parametrize("option", ["-r", "--remap"])
def test_a_name_for_the_process_is_that_of_the_container_alone(option: str) -> None:
    given = ["component_container", "good", "--ros-args", option, "__node:=mine", "-r", "a:=b"]
    words = ["component_container", "good", "--ros-args", "-r", "a:=b"]
    assert component_container.take_name(given) == ("mine", words)
    assert component_container.take_name(words) == ("", words)
    of_one = [*words, "-r", "good:__node:=other"]
    assert component_container.take_name(of_one) == ("", of_one)


def made(name: str, *words: str) -> list[str]:
    """The full names of the nodes that a container of this name makes."""
    lab = Lab("-r", "__ns:=/vehicle", "-p", "platform:=fake", *words)
    nodes: list[Any] = []
    try:
        nodes = component_container.make([], name)
        return [node.get_fully_qualified_name() for node in nodes]
    finally:
        lab.nodes.extend(reversed(nodes))
        lab.close()


def test_a_named_container_offers_its_services_and_the_interface_keeps_its_name() -> None:
    assert made("mine") == ["/vehicle/vehicle_interface", "/vehicle/mine"]
    assert made("") == ["/vehicle/vehicle_interface"]
    with pytest.raises(ValueError, match="__node:=vehicle_interface: a node in this container has"):
        made("vehicle_interface")


def test_parameters_of_the_container_alone_are_refused(tmp_path: Path) -> None:
    # As ComposableNodeContainer writes the parameters that it is given.
    file = tmp_path / "parameters.yaml"
    file.write_text("/vehicle/mine: {ros__parameters: {rate_hz: 50.0}}", encoding="utf-8")
    with pytest.raises(ParameterError, match=r"rate_hz=50\.0: mine has no parameters: set it for"):
        made("mine", "--params-file", str(file))


def test_the_container_has_its_own_name_for_itself(box: Box) -> None:
    answer = box.load("good", node_name="component_container")
    problem = "/vehicle/component_container: the container has a node of this name"
    assert answer.error_message == problem


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"log_level": 7}, "log_level=7: must be one of 0, 10, 20, 30, 40, 50"),
        ({"package_name": "x" * 100_000}, "x" * 1000),
        ({"package_name": "two\nlines"}, "two lines: no package with components"),
    ],
)
def test_a_hostile_request_is_one_short_line_and_leaves_no_node(
    box: Box, wrong: dict[str, Any], reason: str
) -> None:
    answer = box.load("good", **wrong)
    assert answer.error_message.startswith(reason)
    assert len(answer.error_message) <= 1000
    assert ("good", "/vehicle") not in box.lab.probe.get_node_names_and_namespaces()
    assert box.load("good").success


def test_options_need_a_class_that_takes_them(box: Box) -> None:
    answer = box.load("plain", package_name="their_others", node_name="other")
    assert answer.error_message.startswith("plain: takes no cli_args, so name, namespace, ")
    assert box.load("plain", package_name="their_others").success
    assert "bad" in box.load("good", remap_rules=["bad"]).error_message
    unknown = Parameter("colour", value="red").to_parameter_msg()
    assert box.load("good", extra_arguments=[unknown]).error_message == (
        "colour: no such extra argument of this container"
    )
    launchs = Parameter("use_intra_process_comms", value=True).to_parameter_msg()
    assert box.load("good", extra_arguments=[launchs]).success


def test_a_stage_and_an_unknown_id_cannot_be_unloaded(box: Box) -> None:
    assert box.unload(1).error_message == (
        "/vehicle/vehicle_interface: a stage of the interface ends with its process"
    )
    assert box.unload(9).error_message == "9: no such id; there are 1"
    assert box.stage.is_active


def test_nothing_is_loaded_or_unloaded_while_autonomy_drives(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = box.load("good").unique_id
    monkeypatch.setattr(
        box.stage, "frozen_because", lambda: "disengage first; it cannot change in mode AUTONOMOUS"
    )
    why = "disengage first; the nodes cannot change in mode AUTONOMOUS"
    assert box.load("good", node_name="other").error_message == why
    assert box.unload(loaded).error_message == why
    assert loaded in box.listed()
    monkeypatch.setattr(box.stage, "frozen_because", lambda: "")
    assert box.unload(loaded).success


def test_a_node_is_unloaded_while_its_timer_is_due() -> None:
    """In the executor of the processes, whose queue may hold an event of the node's timer."""
    lab = Lab("-p", "platform:=fake")
    stage: Any = VehicleInterface()
    stage.start()
    container = Container([stage])
    executor: Any = make_executor([stage, lab.probe])
    done: Any = Future()
    loaded: list[int] = []

    def load_or_unload() -> None:
        if len(container.nodes) == 1:
            number, _ = container.load("busy", "", Wanted(), executor)
            loaded.append(number)
            return
        time.sleep(0.01)
        container.unload(loaded[-1], executor)
        if len(loaded) == UNLOADED_N:
            done.set_result(True)

    try:
        lab.probe.create_timer(0.03, load_or_unload)
        executor.spin_until_future_complete(done, timeout_sec=60.0)
        assert done.done()
    finally:
        stage.end()
        stage.destroy_node()
        lab.close()


def test_a_container_that_does_not_know_who_drives_loads_nothing() -> None:
    box = Box(LowPassFilterNode)
    try:
        assert box.load("good").error_message == (
            "no stage of this container knows whether autonomy drives"
        )
    finally:
        box.close()


@pytest.mark.parametrize(
    ("names", "rule"),
    [
        (["good", "low_pass_filter"], ""),
        (["goood"], "goood: no such component; did you mean good?; stages are vehicle_interface, "),
        (["good", "good"], "good: given twice"),
        (["vehicle_interface", "low_pass_filter"], "low_pass_filter: vehicle_interface has all"),
    ],
)
def test_the_names_on_the_command_line_are_checked(names: list[str], rule: str) -> None:
    assert component_container.check(names).startswith(rule)
    assert bool(component_container.check(names)) is bool(rule)


def test_the_stages_come_first_and_end_first() -> None:
    lab = Lab("-p", "platform:=fake", "-p", "process.component_services:=true")
    try:
        named = component_container.make(["good", "platform_interface"])
        alone = component_container.make(["good"])
        for nodes in (named, alone):
            lab.nodes.extend(nodes)
        assert [node.get_name() for node in named] == [
            *("platform_interface", "good", "component_container")
        ]
        assert [node.get_name() for node in alone][:2] == ["vehicle_interface", "good"]
    finally:
        lab.close()


def test_the_services_need_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "composition_interfaces", None)
    lab = Lab()
    try:
        with pytest.raises(ParameterError, match="needs the package composition_interfaces"):
            ContainerNode(Container([]))
    finally:
        lab.close()


def test_without_any_component_the_reason_names_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", sys.path[1:])
    with pytest.raises(ComponentError, match=r"entry point in vdsim_interface\.components$"):
        find("good")
