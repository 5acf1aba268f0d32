"""A stack's own node in the interface's process: vdsim.launch.py and `ros2 component`.

The package of the node is really installed, into a folder on the search path.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from composition_interfaces.srv import LoadNode, UnloadNode
from std_msgs.msg import String
from vdsim_interface_kit import components
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.launched import Launched
from vdsim_kit.ports import free_ports
from vdsim_kit.processes import end, start
from vdsim_kit.wire_car import WireCar

CONTAINER = "/vehicle/component_container"
SERVICES = f"{CONTAINER}/_container"


@pytest.fixture(scope="module")
def search_path(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    installed = components.install(tmp_path_factory.mktemp("theirs"))
    return {"PYTHONPATH": os.pathsep.join((str(installed), os.environ.get("PYTHONPATH", "")))}


@pytest.fixture
def launched(tmp_path: Path, search_path: dict[str, str]) -> Iterator[Launched]:
    made = Launched(
        tmp_path,
        "vdsim",
        more_environment=search_path,
        platform="fake",
        composition="container",
        components="good",
        component_services="true",
    )
    yield made
    assert made.end() == 0, made.output


def component(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["ros2", "component", *words], capture_output=True, text=True, check=False, timeout=60.0
    )


def test_a_stage_of_somebody_else_runs_beside_ours(launched: Launched) -> None:
    launched.wait(lambda: "active: platform fake" in launched.output, "active")
    assert list(launched.pids()) == ["component_container"], "one process"
    assert "[vehicle.good]: good says hello" in launched.output
    stack = Stack()
    words: list[str] = []
    stack.listen(String, "/vehicle/word", lambda message: words.append(message.data))
    try:
        stack.wait(lambda: words, "its node runs")
        assert component("list").stdout == (
            f"{CONTAINER}\n  1  /vehicle/vehicle_interface\n  2  /vehicle/good\n"
        )
        stack.drive(4.0)
        stack.wait(lambda: stack.mode == AUTONOMOUS and stack.speed > 2.0, "driving")
        refused = component("load", CONTAINER, "their_stages", "good", "-n", "other")
        assert refused.returncode == 1
        # Upstream's command prints the answer as a sentence, in small letters.
        why = "disengage first; the nodes cannot change in mode autonomous"
        assert why in refused.stderr.lower()
        late = stack.call(UnloadNode, f"{SERVICES}/unload_node", unique_id=2)
        assert "disengage first" in late.error_message
        stack.fall_silent()
        stack.change_mode(engage=False)
        stack.wait(lambda: abs(stack.speed) < 0.05, "standing")

        def load(name: str) -> Any:
            return stack.call(
                LoadNode, f"{SERVICES}/load_node", plugin_name=name, node_name="other"
            )

        stack.wait(lambda: load("good").success, "nothing drives any more")
        assert "no luck" in load("broken").error_message
        assert component("unload", CONTAINER, "2").returncode == 0
        assert component("list", CONTAINER).stdout == (
            "1  /vehicle/vehicle_interface\n3  /vehicle/other\n"
        )
        stack.drive(4.0)
        stack.change_mode(engage=True)
        stack.wait(lambda: stack.mode == AUTONOMOUS and stack.speed > 1.0, "driving again")
    finally:
        stack.close()


def test_without_the_argument_there_is_no_service(
    tmp_path: Path, search_path: dict[str, str]
) -> None:
    arguments = {"platform": "fake", "composition": "container", "components": "good"}
    launched = Launched(tmp_path, "vdsim", more_environment=search_path, **arguments)
    stack = Stack()
    try:
        launched.wait(lambda: "active: platform fake" in launched.output, "active")

        def names() -> set[str]:
            return set(dict(stack._node.get_service_names_and_types()))

        stack.wait(lambda: "/vehicle/change_mode" in names(), "discovered")
        assert [name for name in names() if "_container" in name] == []
    finally:
        stack.close()
        launched.end()


def test_a_stage_of_ours_is_replaced(
    search_path: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", search_path["PYTHONPATH"])
    names = ("controller", "low_pass_filter", "safety_state_machine", "platform_interface")
    words = ("-r", "__ns:=/vehicle", "-p", "platform:=fake", "-p", "safety.auto_engage:=true")
    process = start(
        ["ros2", "run", "vdsim_interface", "component_container", *names, "--ros-args", *words]
    )
    stack = Stack()
    try:
        stack.drive(2.0)
        stack.wait(lambda: stack.mode == AUTONOMOUS and stack.speed > 3.0, "beyond the target")

        def nodes() -> set[str]:
            return {name for name, _ in stack._node.get_node_names_and_namespaces()}

        stack.wait(lambda: nodes() >= set(names), "their names")
        assert "velocity_controller" not in nodes()
    finally:
        stack.close()
        end(process)


def test_a_callback_that_fails_ends_the_process_with_a_safe_command(
    search_path: dict[str, str],
) -> None:
    command_port, state_port = free_ports(2)
    car = WireCar(command_port, state_port, 0.0)
    parameters = {
        "platform": "vds1",
        "vds1.plant_port": command_port,
        "vds1.listen_port": state_port,
        "safety.rig": "driverless",
    }
    words = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
    try:
        done = subprocess.run(
            ["ros2", "run", "vdsim_interface", "component_container", "dies", "--ros-args", *words],
            env={**os.environ, **search_path},
            capture_output=True,
            text=True,
            check=False,
            timeout=60.0,
        )
    finally:
        car.close()
    assert done.returncode != 0
    assert "RuntimeError: in a callback" in done.stderr
    assert car.packets[-1].brake > 0.0
    assert car.packets[-1].throttle == 0.0
