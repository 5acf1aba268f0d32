"""A stop reaches the node that latches it, through real topics and their queues.

tools/generate/stop_inputs.py has every input; the cores have their properties in
src/vdsim_interface/test/teleop/test_stop_inputs.py, the page in test_drive_socket.py.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from generate.stop_inputs import STOP_INPUTS
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool
from std_srvs.srv import Trigger
from vdsim_interface.arbitration.mux import EMERGENCY_LOCK
from vdsim_interface.extras.mux.nodes.command_mux import CommandMuxNode
from vdsim_interface.extras.stages.nodes.safety_state_machine import SafetyStateMachineNode
from vdsim_interface.extras.teleop.nodes.gamepad_teleop import GamepadTeleopNode
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.pipeline.stall_watch import STOP_AGE_S
from vdsim_interface.ros import topics
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.teleop.mapping_file import load_mapping
from vdsim_interface.values.notice_log import NoticeLog
from vdsim_interface_kit.teleop import GAMEPADS
from vdsim_interface_kit.teleop_ros import Lab
from vdsim_kit.programs import ROOT
from vdsim_plant_node.dataport.joy import STOP

from vdsim_msgs.msg import ControlSource

STANDS_STILL_N = 150
"""Messages of another sender while the process stands still."""
DASHBOARD = load_mapping(GAMEPADS / "game_controller.yaml")


@pytest.fixture
def lab() -> Iterator[Lab]:
    made = Lab("-p", "platform:=fake", "-p", "joy_config:=game_controller")
    yield made
    made.close()


def started(lab: Lab, kind: Callable[[], Node]) -> Node:
    node = lab.add(kind())
    start = getattr(node, "start", None)
    if start is not None:
        start()
    return node


def flood(lab: Lab, kind: type, topic: str, stop: Any, other: Any) -> None:
    """Publish the stop, and what another sender does, before the node runs again."""
    qos = QoSProfile(depth=1000)
    theirs = lab.publisher(kind, topic, qos)
    ours = lab.publisher(kind, topic, qos)
    for each in (theirs, ours):
        lab.until(lambda each=each: each.get_subscription_count() > 0, topic)
    ours.publish(stop)
    for _ in range(STANDS_STILL_N):
        theirs.publish(other)


def is_latched(lab: Lab) -> bool:
    """Whether control_source shows the emergency stop."""
    shown: list[ControlSource] = lab.heard[topics.CONTROL_SOURCE]
    return bool(shown) and EMERGENCY_LOCK in shown[-1].active_locks


ARBITERS = (VehicleInterface, SafetyStateMachineNode, CommandMuxNode)


@pytest.mark.parametrize("kind", ARBITERS)
def test_one_true_acts_among_the_false_messages_of_another_sender(
    lab: Lab, kind: type[Node]
) -> None:
    started(lab, kind)
    lab.listen(ControlSource, topics.CONTROL_SOURCE, topics.REPORT_QOS)
    flood(lab, Bool, topics.EMERGENCY_STOP, Bool(data=True), Bool(data=False))
    lab.until(lambda: is_latched(lab), "the emergency stop in control_source")


def pad(*, stops: bool, axes: int = 6) -> Joy:
    buttons = [0] * 21
    buttons[STOP] = int(stops)
    return Joy(axes=[float("nan") if stops else 0.0] * axes, buttons=buttons)


@pytest.mark.parametrize("kind", [VehicleInterface, SafetyStateMachineNode])
def test_the_button_of_the_page_acts_among_the_messages_of_another_pad(
    lab: Lab, kind: type[Node]
) -> None:
    started(lab, kind)
    lab.listen(ControlSource, topics.CONTROL_SOURCE, topics.REPORT_QOS)
    flood(lab, Joy, "dashboard/joy", pad(stops=True), pad(stops=False))
    lab.until(lambda: is_latched(lab), "the emergency stop in control_source")


def test_the_button_of_a_gamepad_acts_among_the_messages_of_another_one(lab: Lab) -> None:
    started(lab, GamepadTeleopNode)
    lab.listen(Bool, topics.EMERGENCY_STOP, topics.RELIABLE_QOS)
    flood(lab, Joy, topics.JOY, pad(stops=True), pad(stops=False))
    lab.until(lambda: Bool(data=True) in lab.heard[topics.EMERGENCY_STOP], "the emergency stop")


STOPS: dict[str, tuple[Callable[[], Node], type, str, Any]] = {
    "vehicle_interface": (VehicleInterface, Bool, topics.EMERGENCY_STOP, Bool(data=True)),
    "command_mux": (CommandMuxNode, Bool, topics.EMERGENCY_STOP, Bool(data=True)),
    "the page": (VehicleInterface, Joy, "dashboard/joy", pad(stops=True)),
    "gamepad_teleop": (GamepadTeleopNode, Joy, topics.JOY, pad(stops=True)),
}


@pytest.mark.parametrize("name", STOPS)
def test_a_stop_counts_for_two_seconds_while_the_process_stands_still(
    lab: Lab, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sent while nothing runs here: longer ago than that it does not act, and is reported."""
    make, kind, topic, stop = STOPS[name]
    started(lab, make)
    heard: list[str] = []
    monkeypatch.setattr(NoticeLog, "_write", lambda _self, _severity, text: heard.append(text))
    lab.listen(ControlSource, topics.CONTROL_SOURCE, topics.REPORT_QOS)
    lab.listen(Bool, topics.EMERGENCY_STOP, topics.RELIABLE_QOS)
    publisher = lab.publisher(kind, topic, QoSProfile(depth=10))
    lab.run(0.2)  # the node looks at the clock
    sent: list[Any] = lab.heard[topics.EMERGENCY_STOP]

    def has_acted() -> bool:
        return Bool(data=True) in sent if kind is Joy and name != "the page" else is_latched(lab)

    publisher.publish(stop)
    time.sleep(STOP_AGE_S + 0.2)
    lab.until(lambda: any("it was requested" in text for text in heard), "the reason")
    lab.run(0.3)
    assert not has_acted()

    def acts_after_half_a_second() -> bool:
        publisher.publish(stop)
        time.sleep(0.5)  # more than two seconds where the machine stalls: once more, then
        lab.run(0.3)
        return has_acted()

    lab.until(acts_after_half_a_second, "the emergency stop")


@pytest.mark.parametrize("qos", [topics.STOP_QOS, topics.JOY_QOS])
def test_no_stop_of_an_earlier_drive_reaches_a_process_that_starts(qos: QoSProfile) -> None:
    assert qos.durability is not DurabilityPolicy.TRANSIENT_LOCAL
    assert qos.depth >= STANDS_STILL_N


def test_page_plant_and_interface_mean_the_same_button() -> None:
    assert DASHBOARD.actions[Action.EMERGENCY_STOP].button == STOP
    script = ROOT / "src/vdsim_plant_node/vdsim_plant_node/dataport/web/pad.js"
    names, numbers = re.findall(
        r"export const \[([^]]+)\] = \[([^]]+)\]", script.read_text(encoding="utf-8")
    )[0]
    assert dict(zip(names.split(", "), map(int, numbers.split(", ")), strict=True))["B"] == STOP


def test_beside_a_mux_of_its_own_process_the_interface_latches_the_stop_until_give_back() -> None:
    """The commands of the mux end with a disengage; the emergency stop must not."""
    lab = Lab("-p", "platform:=fake", "-p", "arbitration.enabled:=false")
    try:
        interface = started(lab, VehicleInterface)
        assert isinstance(interface, VehicleInterface)
        started(lab, CommandMuxNode)
        lab.listen(ControlSource, topics.CONTROL_SOURCE, topics.REPORT_QOS)
        lab.until(lambda: lab.heard[topics.CONTROL_SOURCE], "the mux")
        flood(lab, Bool, topics.EMERGENCY_STOP, Bool(data=True), Bool(data=False))
        side = interface.pipeline.safety_side

        def blocks() -> bool:
            return "an emergency stop is latched" in side.blocked(interface.now())

        lab.until(lambda: is_latched(lab), "the emergency stop in control_source")
        lab.until(blocks, "the interface's own latch")
        side.on_change_mode(False, interface.now())
        lab.run(0.1)
        assert blocks(), "a disengage ends none"
        call = lab.probe.create_client(Trigger, topics.GIVE_BACK)
        lab.until(call.service_is_ready, "give_back")
        answer = call.call_async(Trigger.Request())
        lab.until(answer.done, "the answer")
        assert answer.result().success
        lab.until(lambda: not blocks(), "the release")
    finally:
        lab.close()


def test_the_table_names_each_input_once() -> None:
    named = [row.topic for row in STOP_INPUTS if row.topic]
    assert len(named) == len({*named})
    assert sum(row.is_emergency for row in STOP_INPUTS) == 7
