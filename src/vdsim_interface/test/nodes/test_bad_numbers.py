"""A number that is not defined, on a topic between stages: the message is dropped, and told."""

import math
from collections.abc import Iterator
from typing import Any

import pytest
from vdsim_interface.extras.stages.nodes.low_pass_filter import LowPassFilterNode
from vdsim_interface.extras.stages.nodes.platform_interface import PlatformInterfaceNode
from vdsim_interface.extras.stages.nodes.safety_state_machine import SafetyStateMachineNode
from vdsim_interface.extras.stages.nodes.velocity_controller import VelocityControllerNode
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import PlatformReport, SafeCommand, VehicleControlCommand, VehicleStateCommand

UNDEFINED = 9


@pytest.fixture
def lab() -> Iterator[Lab]:
    made = Lab("-p", "platform:=fake")
    yield made
    made.close()


def started(lab: Lab, kind: Any) -> tuple[Any, list[str]]:
    """A node, and what it reports."""
    node: Any = lab.add(kind())
    texts: list[str] = []
    node.notice_log.write = lambda notices, now: texts.extend(each.text for each in notices)
    node.start()
    texts.clear()
    return node, texts


GEAR = SafeCommand(body=VehicleStateCommand(gear=UNDEFINED))
MODE = SafeCommand(mode=UNDEFINED)
AUTHORITY = SafeCommand(authority=UNDEFINED)
NOT_FINITE = SafeCommand(vehicle=VehicleControlCommand(long_accel_mps2=math.nan))


@pytest.mark.parametrize(
    ("kind", "message", "why"),
    [
        (VelocityControllerNode, GEAR, "9 is not a valid Gear"),
        (VelocityControllerNode, MODE, "9 is not a valid Mode"),
        (LowPassFilterNode, MODE, "9 is not a valid Mode"),
        (PlatformInterfaceNode, GEAR, "9 is not a valid Gear"),
        (PlatformInterfaceNode, MODE, "9 is not a valid Mode"),
        (PlatformInterfaceNode, AUTHORITY, "9 is not a valid Authority"),
        (PlatformInterfaceNode, NOT_FINITE, "the command is not finite"),
    ],
)
def test_a_safe_command_with_an_undefined_number(
    lab: Lab, kind: Any, message: SafeCommand, why: str
) -> None:
    node, texts = started(lab, kind)
    node._on_safe(message)
    assert texts == [f"stages/safe_command dropped: {why}"]


@pytest.mark.parametrize("field", ["gear", "blinker", "headlight", "wiper"])
def test_nothing_is_taken_of_a_report_with_an_undefined_number(lab: Lab, field: str) -> None:
    node, texts = started(lab, SafetyStateMachineNode)
    message = PlatformReport(driver_wheel=True)
    setattr(message.body, field, UNDEFINED)
    node._on_feedback(message)
    [text] = texts
    assert text.startswith("stages/platform_report dropped: 9 is not a valid ")
    status = node.side.status(node.now())
    assert status.report_age_s == math.inf
    assert dict(status.counts)["link_reject"] == 1
    assert not node.side.driver.wheel
