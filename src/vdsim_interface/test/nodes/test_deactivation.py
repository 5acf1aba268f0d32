"""The single node, deactivated: who looks later sees that nobody drives any more."""

from collections.abc import Iterator
from typing import Any

import pytest
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.ros import topics
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import CommandTrace, SafetyStatus, VehicleControlCommand, VehicleStateReport

ARGUMENTS = ("platform:=fake", "control_command:=vehicle", "safety.auto_engage:=true")
LATCHED = {topics.SAFETY_STATUS: SafetyStatus, topics.STATE_REPORT: VehicleStateReport}
MODE_MANUAL, MODE_AUTONOMOUS = VehicleStateReport.MODE_MANUAL, VehicleStateReport.MODE_AUTONOMOUS


@pytest.fixture
def lab() -> Iterator[Lab]:
    made = Lab(*(word for each in ARGUMENTS for word in ("-p", each)))
    yield made
    made.close()


def test_the_end_of_autonomy_is_told_on_every_topic(lab: Lab) -> None:
    node: Any = lab.add(VehicleInterface())
    texts: list[str] = []
    node.notice_log.write = lambda notices, now: texts.extend(each.text for each in notices)
    node.start()
    lab.listen(SafetyStatus, topics.SAFETY_STATUS, topics.REPORT_QOS)
    lab.listen(CommandTrace, topics.COMMAND_TRACE, topics.RELIABLE_QOS)
    status, traces = lab.heard[topics.SAFETY_STATUS], lab.heard[topics.COMMAND_TRACE]
    commands = lab.publisher(VehicleControlCommand, topics.VEHICLE_COMMAND, topics.COMMAND_QOS)

    def engaged() -> bool:
        commands.publish(VehicleControlCommand())
        return bool(status) and bool(traces) and status[-1].mode == MODE_AUTONOMOUS

    lab.until(engaged, "autonomous mode")
    texts.clear()
    node.trigger_deactivate()
    assert any("deactivated" in text for text in texts), texts
    lab.until(lambda: status[-1].mode == MODE_MANUAL, "the status tells the end")
    lab.until(lambda: traces[-1].mode == MODE_MANUAL, "the trace tells the end")
    assert status[-1].last_disengage_reason

    for topic, kind in LATCHED.items():
        lab.listen(kind, topic, topics.REPORT_QOS)  # one who comes late
        lab.until(lambda topic=topic: lab.heard[topic], f"{topic} is latched")
        assert [message.mode for message in lab.heard[topic]] == [MODE_MANUAL], topic
