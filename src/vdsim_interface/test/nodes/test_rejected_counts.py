"""A command that is rejected is counted alike, whether the interface is one node or four."""

import math
from collections.abc import Iterator
from typing import Any

import pytest
from vdsim_interface.extras.stages.nodes.safety_state_machine import SafetyStateMachineNode
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.ros import topics
from vdsim_interface.ros.command_topics import COMMANDS
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.values import ControlLevel, NoticeKind
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import HighLevelControlCommand, RawControlCommand, VehicleControlCommand

NAN = math.nan
BAD = {
    "high_level": (HighLevelControlCommand(velocity_mps=NAN), HighLevelControlCommand()),
    "vehicle": (VehicleControlCommand(long_accel_mps2=NAN), VehicleControlCommand()),
}


@pytest.fixture(params=sorted(BAD))
def level(request: pytest.FixtureRequest) -> Iterator[str]:
    lab = Lab("-p", f"control_command:={request.param}", "-p", "platform:=fake")
    yield request.param
    lab.close()


def sent_to_one_node(level: str) -> tuple[dict[NoticeKind, int], Any]:
    node: Any = VehicleInterface()
    node.start()
    callback = node.command_callback(COMMANDS[ControlLevel(level)].value, ControlLevel(level))
    for message in BAD[level]:
        callback(message)
    counts = dict(node.pipeline.safety_side.status(node.now()).counts)
    node.end()
    node.destroy_node()
    return counts, node.pipeline.safety_side._received_n


def sent_to_the_safety_stage(level: str) -> tuple[dict[NoticeKind, int], Any]:
    node: Any = SafetyStateMachineNode()
    node.start()
    for message in BAD[level]:
        node._on_command(COMMANDS[ControlLevel(level)].value, ControlLevel(level), message)
    assert node.side._received is not None
    assert node.side._received.is_finite()
    counts = dict(node.side.status(node.now()).counts)
    texts = node.safety_port._status._texts
    assert "is not finite" in texts["non_finite_command"]
    node.end()
    node.destroy_node()
    return counts, node.side._received_n


def test_the_counts_are_the_same(level: str) -> None:
    one, stages = sent_to_one_node(level), sent_to_the_safety_stage(level)
    kind = "non_finite_command"
    assert one[0][kind] == stages[0][kind] == 1
    assert one[1] == stages[1] == 2


@pytest.mark.parametrize("make", [VehicleInterface, SafetyStateMachineNode])
def test_a_command_of_another_level_is_counted(make: type[StageNode]) -> None:
    """Sent through its topic."""
    lab = Lab("-p", "control_command:=vehicle", "-p", "platform:=fake")
    try:
        node: Any = lab.add(make())
        node.start()
        commands = lab.publisher(RawControlCommand, topics.RAW_COMMAND, topics.COMMAND_QOS)
        texts = node.safety_port._status._texts

        def told() -> bool:
            commands.publish(RawControlCommand())
            return "wrong_level" in texts

        lab.until(told, "the wrong level is reported")
        expected = "raw_command ignored: control_command is vehicle"
        assert texts["wrong_level"] == expected
    finally:
        lab.close()
