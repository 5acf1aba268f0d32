"""No node of ours is without walls: each class, and each program that an installation has.

The classes are found in the sources, the programs in every setup.py: a new one is held to the same.
Each program is started as its users start it, and the services that it really offers are compared
with the table of docs/guard.md. Messages that cannot be read are sent to each of its topics; where
its parameters can be reached, requests that once ended or froze every node are sent to it.
"""

from __future__ import annotations

import ast
import contextlib
import os
import pty
import subprocess
import sys
import tempfile
import threading
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from generate.open_services import PARAMETERS, ROWS, Row
from generate.stop_inputs import STOP_INPUTS
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import ListParameters, SetParameters
from rclpy._rclpy_pybind11 import RCLError
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy
from vdsim_interface.ros import topics
from vdsim_interface_kit.open_services import open_services
from vdsim_interface_kit.teleop_ros import Lab
from vdsim_kit.endpoints import unlisted
from vdsim_kit.interface_processes import end
from vdsim_kit.ports import free_ports
from vdsim_kit.programs import ROOT, Program, is_of_ros, our_modules, programs
from vdsim_kit.promises import missing

MODULES = our_modules()
OF_ROS = {each.name: each for each in programs() if is_of_ros(each, MODULES)}
BASE = "CheckedNode"
RCLPY_NODES = {"Node", "LifecycleNode"}
OPEN = ("-p", "process.parameter_services:=in_process")
NOT_SERVING = {
    "vdsim_doctor",
    "vdsim_explain",
    "vdsim_status",
    "vdsim_why",
    "vdsim_autoware_conformance",
    "vdsim_record",
}
"""Programs with a node that look and end; their node has no service."""
ALONE = "vdsim_autoware/conformance/"
"""A kit that can leave this repository and imports nothing of it, so not the base either."""
VEHICLE_INFO = ROOT / "src/vdsim_autoware/config/vehicle_info.param.yaml"
VDS1 = ("-p", "platform:=vds1")
LINK = ("vds1.plant_port", "vds1.listen_port")


@dataclass(frozen=True)
class Start:
    """What a program needs to run in a test: ports, files, a guard, a terminal."""

    ports: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    has_guard: bool = False
    has_terminal: bool = False


AS_IT_IS = Start()
STARTS = {
    "guarded_interface": Start(ports=LINK, has_guard=True),
    "vehicle_interface": Start(ports=LINK, arguments=VDS1),
    "component_container": Start(ports=LINK, arguments=VDS1),
    "platform_interface": Start(ports=LINK, arguments=VDS1),
    "keyboard_teleop": Start(has_terminal=True),
    "planning_simulator": Start(arguments=("--params-file", str(VEHICLE_INFO))),
    "autohyu_bridge": Start(ports=("link.plant_port", "link.listen_port")),
    "morai_bridge": Start(
        ports=tuple(f"ports.{name}" for name in ("objects", "traffic_light", "collisions"))
        + tuple(f"ports.{name}" for name in ("npc_collisions", "intersection", "imu", "gps"))
    ),
    "plant": Start(ports=("cmd_port",), arguments=("-p", "http:=off")),
}
LATCHED = QoSProfile(
    depth=10,
    reliability=QoSReliabilityPolicy.RELIABLE,
    durability=QoSDurabilityPolicy.TRANSIENT_LOCAL,
)
STOP_TYPES = {
    *("std_msgs/msg/Bool", "sensor_msgs/msg/Joy"),
    "tier4_vehicle_msgs/msg/VehicleEmergencyStamped",
}
NONSENSE = (bytes(4), b"\0\1\0\0" + b"\xff" * 200, b"\0\1\0\0" + b"\xff" * (1 << 20))
IN_FURTHER_REQUESTS = "send the others in further requests"
NOT_DECODED = ("/input/trajectory", "/input/trajectory_before_0_47")
"""What the planning simulator reads from the bytes by itself; a test of its own has it."""
STRANGER = [
    Parameter(name="x", value=ParameterValue(type=240)),
    Parameter(
        name="process.parameter_services",
        value=ParameterValue(type=8, double_array_value=array("d", bytes(8 * 100_000))),
    ),
    Parameter(name="use_sim_time", value=ParameterValue(type=1, bool_value=True)),
]


# ---- by the sources ------------------------------------------------------------------------------


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def test_every_node_class_has_the_base_before_the_one_of_rclpy() -> None:
    found, bare = 0, []
    for module in MODULES.values():
        if "rclpy" not in module.top_level_imports or module.path.startswith(ALONE):
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                bases = [_last(base) for base in node.bases]
                if RCLPY_NODES & set(bases):
                    found += 1
                    if BASE not in bases[: min(bases.index(b) for b in RCLPY_NODES & {*bases})]:
                        bare.append(f"{module.path}:{node.lineno} class {node.name}")
    assert found >= 12
    assert not bare, bare


def test_no_node_is_made_without_a_class_of_ours() -> None:
    made = [
        f"{module.path}:{node.lineno}"
        for module in MODULES.values()
        if "rclpy" in module.top_level_imports and not module.path.startswith(ALONE)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and _last(node.func) in {"create_node", *RCLPY_NODES}
    ]
    assert not made, made


def test_the_table_has_every_program_with_a_node() -> None:
    assert OF_ROS.keys() - NOT_SERVING == {row.program for row in ROWS}


# ---- by the processes ----------------------------------------------------------------------------


class Started:
    """A program in a process of its own, and the nodes of its namespace."""

    def __init__(self, row: Row, variant: str, folder: Path, *arguments: str) -> None:
        self.row = row
        self.namespace = f"/walls_{row.program}_{variant}"
        self.log = (folder / f"{row.program}_{variant}.log").open("w+")
        self.processes = []
        start = STARTS.get(row.program, AS_IT_IS)
        if start.has_guard:
            socket = folder / f"{variant}_guard" / "guard.sock"
            command = [sys.executable, "-m", "vdsim_interface.guard.vehicle_guard"]
            self._run([*command, "--socket", str(socket)])
            arguments = (*arguments, "-p", f"guard.socket:={socket}")
        for name, port in zip(start.ports, free_ports(len(start.ports)), strict=True):
            arguments = (*arguments, "-p", f"{name}:={port}")
        program: Program = OF_ROS[row.program]
        code = f"import sys\nfrom {program.module} import {program.function} as main\n"
        command = [sys.executable, "-c", f"{code}sys.exit(main())"]
        command += ["--ros-args", "-r", f"__ns:={self.namespace}", *start.arguments, *arguments]
        with contextlib.ExitStack() as stack:
            terminal = stack.enter_context(_terminal()) if start.has_terminal else None
            self._run(command, terminal)

    def _run(self, command: list[str], terminal: int | None = None) -> None:
        output: Any = self.log if terminal is None else terminal
        environment = {**os.environ, "TERM": "xterm"}
        self.processes.append(
            subprocess.Popen(
                command, stdin=terminal, stdout=output, stderr=self.log, env=environment
            )
        )

    def text(self) -> str:
        """What it has printed."""
        self.log.flush()
        return Path(self.log.name).read_text(encoding="utf-8")

    def is_alive(self) -> bool:
        """Whether all of it runs."""
        return all(process.poll() is None for process in self.processes)

    def nodes(self, lab: Lab) -> list[str]:
        """The names of its nodes, as the graph has them."""
        assert self.is_alive(), f"{self.row.program} has ended:\n{self.text()}"
        found = lab.probe.get_node_names_and_namespaces()
        return sorted(name for name, space in found if space.startswith(self.namespace))

    def end(self) -> None:
        """As Ctrl-C does."""
        end(self.processes)
        self.log.close()


@contextlib.contextmanager
def _terminal() -> Iterator[int]:
    """A terminal that somebody looks at."""
    ours, theirs = pty.openpty()

    def read() -> None:
        with contextlib.suppress(OSError):
            while os.read(ours, 65536):
                pass

    threading.Thread(target=read, daemon=True).start()
    try:
        yield theirs
    finally:
        os.close(theirs)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    made = Lab()
    yield made
    made.close()


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="vdsim-walls-") as path:
        yield Path(path)


def answer(lab: Lab, kind: Any, service: str, request: Any) -> Any:
    """What a service answers."""
    client = lab.probe.create_client(kind, service)
    try:
        lab.until(client.service_is_ready, service)
        future = client.call_async(request)
        lab.until(future.done, f"an answer of {service}")
        return future.result()
    finally:
        lab.probe.destroy_client(client)


def attack(lab: Lab, started: Started, node: str) -> None:
    """Send what once ended and froze every node; it answers, briefly, and goes on."""
    own = f"{started.namespace}/{node}"
    request = SetParameters.Request(parameters=STRANGER)
    results = answer(lab, SetParameters, f"{own}/set_parameters", request).results
    for _ in range(10):
        if not any(result.reason.endswith(IN_FURTHER_REQUESTS) for result in results):
            break  # else the machine stood still in the time of the request
        results = answer(lab, SetParameters, f"{own}/set_parameters", request).results
    assert [result.successful for result in results] == [False, False, False]
    assert results[0].reason == "x: type 240 of a value: must be 0 to 9"
    assert results[1].reason.endswith("a list of 100000 items: must have at most 1000")
    assert results[2].reason.startswith("use_sim_time")
    names = answer(lab, ListParameters, f"{own}/list_parameters", ListParameters.Request()).result
    assert "process.parameter_services" in names.names
    beginning = ("parameter", started.row.program, node)
    assert not missing(beginning, ((*beginning, name) for name in names.names))
    assert started.is_alive(), started.text()


def talk_nonsense(lab: Lab, started: Started, node: str) -> None:
    """Send bytes of every kind to each topic of a node: it says what it discards, and goes on."""
    has_terminal = STARTS.get(started.row.program, AS_IT_IS).has_terminal  # no log is seen there
    listed = lab.probe.get_subscriber_names_and_types_by_node(node, started.namespace)
    for name, [kind, *_] in listed:
        if name.endswith(NOT_DECODED):
            continue
        package, folder, of = kind.split("/")
        message = getattr(import_module(f"{package}.{folder}"), of)
        publisher = lab.probe.create_publisher(message, name, LATCHED)
        before = discarded_n(started)

        def is_discarded(publisher: Any = publisher, before: int = before) -> bool:
            for data in NONSENSE:
                with contextlib.suppress(RCLError):  # Fast DDS knows the size of some types
                    publisher.publish(data)
            return discarded_n(started) > before or has_terminal

        lab.until(is_discarded, f"a word of {started.row.program} about {name}")
        lab.probe.destroy_publisher(publisher)
    assert started.is_alive(), started.text()


def discarded_n(started: Started) -> int:
    """Of how many topics a program says that it discards messages."""
    return started.text().count(" (1 so far)")


def stop_topics(lab: Lab, node: str, namespace: str) -> set[str]:
    """The topics of a node whose messages can carry a stop: a switch, or a gamepad."""
    listed = lab.probe.get_subscriber_names_and_types_by_node(node, namespace)
    return {name.removeprefix(f"{namespace}/") for name, kinds in listed if STOP_TYPES & {*kinds}}


def known_stops(program: str) -> set[str]:
    """Those that the table of stops has, and switches that never stop the car."""
    known = {row.topic for row in STOP_INPUTS if program in row.programs}
    return known | {topics.DRIVER_OVERRIDE}


@pytest.mark.parametrize("row", ROWS, ids=[row.program for row in ROWS])
def test_a_program_offers_what_the_table_says_and_survives_a_stranger(
    row: Row, lab: Lab, folder: Path
) -> None:
    variants = {"default": ()} if row.is_open else {"default": (), "open": OPEN}
    for variant, arguments in variants.items():
        started = Started(row, variant, folder, *arguments)
        try:
            wanted = set(row.nodes)
            lab.until(lambda: wanted <= {*started.nodes(lab)}, f"the nodes {wanted}")  # noqa: B023
            assert wanted == {*started.nodes(lab)}
            is_open = row.is_open or variant == "open"
            for node, others in row.nodes.items():
                expected = {*others, *(PARAMETERS if is_open else ())}
                offered = partial(open_services, lab.probe, node, started.namespace)
                lab.until(lambda: expected <= offered(), f"the services of {node}")  # noqa: B023
                lab.run(1.0)  # a service that is opened late must be seen
                assert offered() == expected
                assert stop_topics(lab, node, started.namespace) <= known_stops(row.program)
                assert not unlisted(lab.probe, node, started.namespace), "see vdsim_kit/endpoints"
                talk_nonsense(lab, started, node)
                if is_open:
                    attack(lab, started, node)
        finally:
            started.end()


def test_the_programs_are_really_found() -> None:
    assert {"plant", "vehicle_interface", "planning_simulator", "vdsim_doctor"} <= OF_ROS.keys()
    assert not {"vehicle_guard", "vdsim_realtime", "vdsim_sweep"} & OF_ROS.keys()
    assert (ROOT / "src").is_dir()
