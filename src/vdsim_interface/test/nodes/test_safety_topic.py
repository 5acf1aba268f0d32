"""What safety_status says, and how often, in the test's own time."""

from collections.abc import Iterator
from typing import Any

import pytest
from std_msgs.msg import Bool
from vdsim_interface.extras.stages.nodes.safety_state_machine import SafetyStateMachineNode
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.ros.messages.conversions import seconds_of, time_message, vehicle_command
from vdsim_interface.ros.ros_time import SimulatedTime
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.values import ControlLevel, Mode
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import VehicleControlCommand, VehicleStateReport

PERIOD_S = 0.01


class Told:
    """A node that is ticked by the test, and the safety_status that it tells."""

    def __init__(self, kind: type[StageNode], *parameters: str) -> None:
        given = ("platform:=fake", *parameters)
        self.lab = Lab(*(word for each in given for word in ("-p", each)))
        self.now = 1000.0
        self.node: Any = self.lab.add(kind())
        self.node.now = lambda: self.now
        self.node.ros_time = SimulatedTime()
        self.node.start()
        self.statuses: list[Any] = []
        self.node.safety_port._status._publisher.publish = self.statuses.append

    def run(self, duration_s: float) -> None:
        for _ in range(round(duration_s / PERIOD_S)):
            self.now += PERIOD_S
            self.node.tick(self.now)


@pytest.fixture(params=[VehicleInterface, SafetyStateMachineNode], ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest) -> type[StageNode]:
    made: type[StageNode] = request.param
    return made


@pytest.mark.parametrize(("rate_hz", "number"), [("10.0", 20), ("50.0", 100), ("1.0", 2)])
def test_it_is_told_at_its_rate(kind: type[StageNode], rate_hz: str, number: int) -> None:
    told = Told(kind, f"output.state_report_hz:={rate_hz}")
    try:
        told.run(1.0)
        told.statuses.clear()
        told.run(2.0)
        assert abs(len(told.statuses) - number) <= 1
    finally:
        told.lab.close()


@pytest.fixture
def driven() -> Iterator[Told]:
    """The whole interface, in which a person ends autonomy by the switch."""
    made = Told(VehicleInterface, "control_command:=vehicle", "safety.auto_engage:=true")
    yield made
    made.lab.close()


def engage(told: Told) -> None:
    convert = told.node.command_callback(vehicle_command, ControlLevel.VEHICLE)
    for _ in range(200):
        convert(VehicleControlCommand())
        told.run(PERIOD_S)
        if told.node.pipeline.mode is Mode.DISENGAGED:
            told.node.pipeline.safety_side.on_change_mode(True, told.now)
    assert told.statuses[-1].mode == VehicleStateReport.MODE_AUTONOMOUS


def test_an_activation_is_not_an_end_of_autonomy(driven: Told) -> None:
    engage(driven)
    driven.node.trigger_deactivate()
    ended = driven.statuses[-1]
    assert ended.last_disengage_reason
    driven.now += 5.0
    driven.statuses.clear()
    driven.node.trigger_activate()
    driven.run(0.5)
    assert {each.last_disengage_reason for each in driven.statuses} == {ended.last_disengage_reason}
    assert driven.statuses[-1].last_disengage_stamp == ended.last_disengage_stamp


def test_the_same_end_a_second_time_is_a_new_one(driven: Told) -> None:
    ends = []
    for _ in range(2):
        engage(driven)
        driven.node.safety_port._on_override(Bool(data=True))
        driven.run(PERIOD_S)
        ends.append(driven.statuses[-1])
        driven.node.safety_port._on_override(Bool(data=False))
    first, second = ends
    assert first.last_disengage_reason == second.last_disengage_reason != ""
    assert seconds_of(second.last_disengage_stamp) == pytest.approx(driven.now, abs=1e-6)
    assert seconds_of(first.last_disengage_stamp) < driven.now - 1.0


def test_the_stage_begins_with_no_command() -> None:
    told = Told(SafetyStateMachineNode, "control_command:=vehicle")
    try:
        node, traces = told.node, []
        node._output.publish = lambda message: traces.append(message.trace)
        command = VehicleControlCommand(stamp=time_message(told.now), long_accel_mps2=1.0)
        node._on_command(vehicle_command, ControlLevel.VEHICLE, command)
        node._on_filtered(command)
        told.run(0.1)
        assert (traces[-1].received.valid, traces[-1].controlled.valid) == (True, True)
        node.trigger_deactivate()
        traces.clear()
        node.trigger_activate()
        first = traces[0]
        assert (first.received.valid, first.controlled.valid) == (False, False)
        assert first.level == "none"
    finally:
        told.lab.close()
