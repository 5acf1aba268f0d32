"""The memory that a node may allocate after its start, and its parameter services."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.ros.exit_codes import MEMORY_EXIT
from vdsim_interface.ros.process.limits import ProcessParameters
from vdsim_interface_kit.components import install
from vdsim_protocol.data_limit import DataLimit, data_bytes

IN_A_PROCESS = """
from vdsim_protocol.data_limit import DataLimit
limit = DataLimit({growth_mb})
assert limit.update() == ""
try:
    held = bytearray({allocated_mb} << 20)
except MemoryError:
    print("refused")
print(limit.update())
print(limit.update())
"""


def run(growth_mb: int, allocated_mb: int) -> list[str]:
    """What a process with a limit prints after an allocation."""
    code = IN_A_PROCESS.format(growth_mb=growth_mb, allocated_mb=allocated_mb)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_an_allocation_beyond_the_limit_fails_and_the_process_goes_on() -> None:
    assert run(64, 100) == ["refused", "", ""]


def test_more_than_half_of_the_growth_is_said_once() -> None:
    first, second = run(64, 40)
    assert first.startswith("memory has grown by 40 of 64 MiB (process.data_growth_mb)")
    assert second == ""


def test_less_than_half_is_silent() -> None:
    assert run(64, 20) == ["", ""]


def test_zero_is_no_limit() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    limit = DataLimit(0)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    assert limit.update() == ""


def test_the_size_of_the_data_is_known() -> None:
    assert data_bytes() > 1 << 20


def test_a_wrong_value_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"process.parameter_services=on: must be one of"):
        ProcessParameters(parameter_services="on")


def said(code: str, *arguments: str, path: str = "") -> tuple[int, str]:
    """The exit code of a program, and what it prints."""
    environment = {**os.environ, "PYTHONPATH": f"{path}:{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment if path else None,
    )
    return done.returncode, done.stdout + done.stderr


OWN_WORK = """
from vdsim_protocol.data_limit import DataLimit
limit = DataLimit(64)
with limit.own_work():
    with limit.own_work():
        own = bytearray(100 << 20)
    more = bytearray(100 << 20)
print(repr(limit.update()))
held = bytearray(20 << 20)
try:
    foreign = bytearray(60 << 20)
except MemoryError:
    print("refused")
limit.lift()
last = bytearray(200 << 20)
print("lifted")
"""


def test_what_a_process_does_by_itself_does_not_count_and_is_not_limited() -> None:
    assert said(OWN_WORK) == (0, "''\nrefused\nlifted\n")


FILTER = """
import sys
import rclpy
from rclpy.parameter import Parameter
from vdsim_interface.ros.node_main import open_process
import MODULE as module
rclpy.init(args=sys.argv)
[node] = module.make()
open_process([node])
assert "scipy" not in sys.modules
node.trigger_deactivate()
[result] = node.set_parameters([Parameter("filter.long_accel.type", value="butterworth")])
assert result.successful, result.reason
node.trigger_activate()
assert "scipy" in sys.modules
print("active" if node.is_active else "inactive")
node.end()
"""


@pytest.mark.parametrize(
    "module", ["nodes.vehicle_interface", "extras.stages.nodes.low_pass_filter"]
)
def test_the_filter_can_be_switched_on_under_the_limit(module: str) -> None:
    arguments = ("--ros-args", "-p", "platform:=fake", "-p", "process.data_growth_mb:=32")
    code, text = said(FILTER.replace("MODULE", f"vdsim_interface.{module}"), *arguments)
    assert code == 0, text
    assert "active\n" in text
    assert "memory" not in text.lower()


COMPONENT = """
import sys
import rclpy
from vdsim_interface.extras.stages.nodes import component_container
from vdsim_interface.extras.stages.ros.container import Container
from vdsim_interface.extras.stages.ros.making import Wanted
from vdsim_interface.ros.node_main import make_executor, open_process
rclpy.init(args=sys.argv)
nodes = component_container.make(STAGES)
open_process(nodes)
executor = make_executor(nodes)
assert "scipy" not in sys.modules
nodes[0].trigger_deactivate()
number, node = Container(nodes).load("scientific", "", Wanted(), executor)
print(node.get_name(), "scipy.signal" in sys.modules, nodes[0].data_limit.update() == "")
for each in nodes:
    getattr(each, "end", lambda: None)()
"""
STAGES = ["velocity_controller", "low_pass_filter", "safety_state_machine", "platform_interface"]


@pytest.mark.parametrize("stages", [[], STAGES], ids=["interface", "stages"])
def test_a_component_may_import_what_it_likes_under_the_limit(
    stages: list[str], tmp_path: Path
) -> None:
    folder = install(tmp_path, names=("scientific",))
    arguments = ("--ros-args", "-p", "platform:=fake", "-p", "process.data_growth_mb:=32")
    code = COMPONENT.replace("STAGES", repr(stages))
    status, text = said(code, *arguments, path=str(folder))
    assert status == 0, text
    assert "scientific True True" in text


STACKS = """
import threading
from vdsim_protocol.data_limit import DataLimit, reserve_small_stacks
if SMALL:
    reserve_small_stacks()
limit = DataLimit(4)
try:
    threading.Thread(target=print, args=("runs",)).start()
except RuntimeError as error:
    print(error)
"""


@pytest.mark.parametrize(("small", "says"), [(True, "runs"), (False, "can't start new thread")])
def test_a_thread_starts_where_little_memory_is_left(small: bool, says: str) -> None:
    assert said(STACKS.replace("SMALL", str(small))) == (0, f"{says}\n")


HELD = """
import sys
from rclpy.node import Node
from vdsim_interface.ros import node_main
from vdsim_interface.ros.process.checked_node import CheckedNode
class Holding(CheckedNode, Node):
    held = None
    def hold(self):
        if self.data_limit is not None and self.held is None:
            self.held = bytearray(20 << 20)
    def end(self):
        print("last word", flush=True)
def make():
    node = Holding("holding")
    node.create_timer(0.05, node.hold)
    return [node]
node_main._MEMORY_CHECK_S, node_main._MEMORY_PATIENCE_S = 0.1, 0.5
sys.exit(node_main.run("holding", make, sys.argv))
"""


def test_a_process_whose_memory_does_not_come_back_ends_and_says_its_last_word() -> None:
    code, text = said(HELD, "--ros-args", "-p", "process.data_growth_mb:=32")
    assert code == MEMORY_EXIT, text
    assert "of 32 MiB (process.data_growth_mb) since the start" in text
    assert "last word" in text
    assert "holding: the memory that arrivals took is not free again within 0.5 s" in text
