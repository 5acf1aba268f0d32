"""A command that the safety stage passes on again is no younger; a stack's stamp counts not."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from vdsim_interface.extras.stages.nodes.low_pass_filter import LowPassFilterNode
from vdsim_interface.extras.stages.nodes.velocity_controller import VelocityControllerNode
from vdsim_interface.extras.stages.ros.front_stage_node import FrontStageNode
from vdsim_interface.ros import topics
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import HighLevelControlCommand, VehicleControlCommand

AGO_S = 0.3
FIRST = [
    (VelocityControllerNode, "high_level", topics.HIGH_LEVEL_COMMAND, HighLevelControlCommand),
    (LowPassFilterNode, "vehicle", topics.VEHICLE_COMMAND, VehicleControlCommand),
]


@contextmanager
def running(kind: type[FrontStageNode], *words: str) -> Iterator[Any]:
    lab = Lab(*words)
    try:
        node: Any = lab.add(kind())  # type: ignore[call-arg]
        node.start()
        node.stage.restart()
        yield node
    finally:
        lab.close()


@pytest.mark.parametrize(("kind", "level", "topic", "message"), FIRST, ids=["controller", "filter"])
@pytest.mark.parametrize("is_passed_on", [True, False])
def test_the_first_stage_counts_from_the_receipt_by_the_safety_stage(
    kind: type[FrontStageNode], level: str, topic: str, message: Any, is_passed_on: bool
) -> None:
    remap = ("-r", f"{topic}:={topics.SELECTED}/{topic}") if is_passed_on else ()
    with running(kind, "-p", f"control_command:={level}", *remap) as node:
        before_s = node.now()
        node._on_command(message(stamp=node.ros_time.stamp(before_s - AGO_S)))
        age_s = before_s - node.stage._command.stamp_s
        node._on_command(message(stamp=node.ros_time.stamp(before_s + 60.0)))
        assert node.stage._command.stamp_s <= node.now(), "of the future nothing comes"
    assert (abs(age_s - AGO_S) < 0.01) is is_passed_on
    assert (age_s <= 0.0) is not is_passed_on
