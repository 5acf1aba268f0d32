"""A step of the system clock changes no packet, in any composition; nothing reads it for an age."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import rclpy
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.conversions import seconds_of
from vdsim_interface.ros.ros_time import RosTime
from vdsim_interface_kit.lockstep import PERIOD_S, Composition

import vdsim_interface
from vdsim_msgs.msg import HighLevelControlCommand, SafetyStatus, VehicleStateReport

ARGUMENTS = ("platform:=vds1", "control_command:=high_level", "safety.auto_engage:=true")
STEPS_S = {150: -0.02, 250: 0.7, 350: -60.0, 450: 3600.0}
PERIODS_N = 600
AHEAD_S = 1_700_000_000.0


class SystemClock:
    """The system clock of a machine whose other clock is the composition's time."""

    def __init__(self) -> None:
        self.ahead_s = AHEAD_S
        self.composition: Composition | None = None

    @property
    def now(self) -> float:
        """The clock of ages [s]."""
        return 1000.0 if self.composition is None else self.composition.now

    def conversion(self, node: object) -> RosTime:
        """One node's conversion."""
        return RosTime(
            lambda: round(1e9 * self.now), lambda: round(1e9 * (self.now + self.ahead_s))
        )


def drive(name: str, steps_s: dict[int, float]) -> tuple[list[str], list[SafetyStatus]]:
    """Drive while the clock steps; return the packets, and what safety_status said."""
    rclpy.init(args=["--ros-args", *(word for each in ARGUMENTS for word in ("-p", each))])
    states: list[SafetyStatus] = []
    clock = SystemClock()
    with pytest.MonkeyPatch.context() as monkeypatch:
        composition = Composition(name, monkeypatch, ros_time_of=clock.conversion)
        clock.composition = composition
        composition.bus.listen(SafetyStatus, topics.SAFETY_STATUS, states.append)
        try:
            for period_n in range(PERIODS_N):
                clock.ahead_s += steps_s.get(period_n, 0.0)
                command = HighLevelControlCommand(velocity_mps=5.0, curvature=0.01)
                composition.period((topics.HIGH_LEVEL_COMMAND, command))
        finally:
            composition.close()
            rclpy.try_shutdown()
    return [repr(packet) for packet in composition.car.commands], states


@pytest.mark.parametrize("name", ["single", "stages", "guarded"])
def test_a_step_of_the_system_clock_changes_no_packet(name: str) -> None:
    packets, states = drive(name, STEPS_S)
    undisturbed, _ = drive(name, {})
    assert packets == undisturbed
    assert states[-1].mode == VehicleStateReport.MODE_AUTONOMOUS
    assert states[-1].last_disengage_reason == ""
    # Stamps follow the clock.
    expected_s = 1000.0 + PERIODS_N * PERIOD_S + AHEAD_S + sum(STEPS_S.values())
    assert seconds_of(states[-1].stamp) == pytest.approx(expected_s, abs=0.2)


def test_ros_time_is_the_only_reader_of_the_system_clock() -> None:
    """`time.time`, and `now()` of a node's clock, would bring steps into ages."""
    root = Path(vdsim_interface.__file__).parent
    readers = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if reads_the_system_clock(ast.parse(path.read_text(encoding="utf-8")))
    }
    stamps_alone = {
        "ros/command_topics.py",
        "extras/events/event_file.py",
        "extras/teleop/ros/teleop_node.py",
        "extras/adapters/ros/node.py",
        "ros/intake_port.py",
        "ros/modes/twin.py",
        "extras/mux/nodes/command_mux.py",
        "extras/teleop/nodes/joy_device.py",
        "extras/morai/nodes/morai_bridge.py",
    }
    after_a_long_stall_alone = {"ros/messages/message_info.py"}
    simulated_alone = {
        "ros/stage_node.py",
        "extras/autohyu/nodes/autohyu_bridge.py",
    }
    judges_stamps = {"extras/doctor/ros/observer.py"}  # says which are stale; nothing drives by it
    known = stamps_alone | after_a_long_stall_alone | simulated_alone | judges_stamps
    assert readers == {"ros/ros_time.py"} | known


@pytest.mark.parametrize("path", ["ros/stage_node.py", "extras/autohyu/nodes/autohyu_bridge.py"])
def test_a_stage_reads_the_ros_clock_in_simulated_time_alone(path: str) -> None:
    root = Path(vdsim_interface.__file__).parent
    tree = ast.parse((root / path).read_text(encoding="utf-8"))
    guarded = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "imulated" in ast.unparse(node.test)
    ]
    everywhere = sum(reads_the_system_clock(node) for node in ast.walk(tree) if is_call(node))
    inside = sum(
        reads_the_system_clock(node)
        for branch in guarded
        for statement in branch.body
        for node in ast.walk(statement)
        if is_call(node)
    )
    assert everywhere == inside > 0


@pytest.mark.parametrize(
    "code",
    [
        "import time\ntime.time()",
        "from time import time",
        "time.time_ns",
        "node.get_clock().now()",
        "import datetime\ndatetime.datetime.now()",
    ],
)
def test_the_search_finds_a_reader(code: str) -> None:
    assert reads_the_system_clock(ast.parse(code))


def is_call(node: ast.AST) -> bool:
    """Whether it is a call by an attribute: `a.b()`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


def reads_the_system_clock(tree: ast.AST) -> bool:
    """Whether code names the system clock."""
    for node in [tree] if is_call(tree) else ast.walk(tree):
        text = ast.unparse(node.func if isinstance(node, ast.Call) else node)
        if isinstance(node, ast.Attribute | ast.Call) and (
            text in ("time.time", "time.time_ns", "datetime.datetime.now", "datetime.now")
            or text.endswith(("get_clock().now", "clock.now"))
        ):
            return True
        if isinstance(node, ast.ImportFrom) and node.module == "time":
            return any(name.name in ("time", "time_ns") for name in node.names)
    return False
