"""A manager takes nodes down and up again: nothing is left over, nothing is there twice."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from rclpy.lifecycle import TransitionCallbackReturn
from vdsim_interface.arbitration.give_back import Latches
from vdsim_interface.extras.stages.nodes.low_pass_filter import LowPassFilterNode
from vdsim_interface.extras.stages.nodes.platform_interface import PlatformInterfaceNode
from vdsim_interface.extras.stages.nodes.safety_state_machine import SafetyStateMachineNode
from vdsim_interface.extras.stages.nodes.velocity_controller import VelocityControllerNode
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.ros import node_main, topics
from vdsim_interface.ros.process.session_record import SessionRecord
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.values import Session
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import SafetyStatus, VehicleStateCommand, VehicleStateReport

NODES = (
    VehicleInterface,
    VelocityControllerNode,
    LowPassFilterNode,
    SafetyStateMachineNode,
    PlatformInterfaceNode,
)
DONE = TransitionCallbackReturn.SUCCESS


@pytest.fixture
def lab() -> Iterator[Lab]:
    made = Lab("-p", "autostart:=false")
    yield made
    made.close()


def entities(node: Any) -> list[str]:
    """What listens, tells, serves and calls."""
    names = [entity.topic_name for entity in (*node.publishers, *node.subscriptions)]
    services = [entity.srv_name for entity in node.services]
    return sorted([*names, *services, *("a timer" for _ in node.timers)])


@pytest.mark.parametrize("kind", NODES)
def test_a_node_that_was_cleaned_up_begins_as_on_the_first_day(
    lab: Lab, kind: type[StageNode]
) -> None:
    node: Any = lab.add(kind())
    bare = entities(node)
    assert node.trigger_configure() == DONE
    configured = entities(node)
    assert len(configured) > len(bare)
    for _ in range(2):
        assert node.trigger_activate() == DONE
        assert node.is_active
        lab.run(0.1)
        assert node.trigger_deactivate() == DONE
        assert entities(node) == configured
        assert node.trigger_cleanup() == DONE
        assert entities(node) == bare
        lab.run(0.05)
        assert node.trigger_configure() == DONE
        assert entities(node) == configured


@pytest.mark.parametrize("kind", [VehicleInterface, SafetyStateMachineNode])
def test_an_emergency_stop_outlives_a_new_configuration(lab: Lab, kind: type[StageNode]) -> None:
    node: Any = lab.add(kind())
    assert node.trigger_configure() == DONE
    assert node.trigger_activate() == DONE
    node.intake.emergency_stop("test", node.now())
    for step in (node.trigger_deactivate, node.trigger_cleanup, node.trigger_configure):
        assert step() == DONE
    assert "emergency stop by test" in node.safety_port.gate.intake.refuses_engage
    assert node.intake.watches


@pytest.mark.parametrize("source", ["gamepad", "dashboard", "remote"])
def test_after_an_emergency_stop_no_source_engages(lab: Lab, source: str) -> None:
    """By its state command as little as by the service: give_back comes first."""
    node: Any = lab.add(VehicleInterface())
    assert node.trigger_configure() == DONE
    assert node.trigger_activate() == DONE
    node.intake.emergency_stop("test", node.now())
    requests: list[object] = []
    node.safety_port.side.on_state_command = lambda request, now: requests.append(request) or ()
    engage = VehicleStateCommand(mode=VehicleStateReport.MODE_AUTONOMOUS)
    node.intake_port._on_state(source, engage)
    assert not requests
    lab.listen(SafetyStatus, topics.SAFETY_STATUS, topics.REPORT_QOS)
    heard = lab.heard[topics.SAFETY_STATUS]
    lab.until(
        lambda: heard and "emergency stop by test" in heard[-1].last_refusal_reason, "the reason"
    )


@pytest.mark.parametrize("kind", [VehicleInterface, SafetyStateMachineNode, PlatformInterfaceNode])
@pytest.mark.parametrize("fails", [False, True])
def test_a_process_that_fails_leaves_its_record(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, kind: type[StageNode], fails: bool
) -> None:
    """It ends with its last, safe command; an emergency stop must not end with it."""
    discarded: list[SessionRecord] = []
    monkeypatch.setattr(SessionRecord, "discard", lambda record: discarded.append(record))
    node: Any = lab.add(kind())
    assert node.trigger_configure() == DONE
    assert node.trigger_activate() == DONE
    node.has_failed = fails
    node.end()
    assert bool(discarded) is not fails


def test_a_loop_that_raises_marks_its_nodes_as_failed(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    node: Any = lab.add(VehicleInterface())
    ended: list[bool] = []

    def spin(*_given: object) -> None:
        raise MemoryError

    monkeypatch.setattr(node_main.rclpy, "init", lambda **_given: None)
    monkeypatch.setattr(node_main.rclpy, "try_shutdown", lambda: None)
    monkeypatch.setattr(node_main, "ignore_repeated_signals", lambda: None)
    monkeypatch.setattr(node_main, "_Stop", lambda: None)
    monkeypatch.setattr(node_main, "_spin", spin)
    monkeypatch.setattr(node_main, "_end", lambda nodes: ended.append(nodes[0].has_failed))
    with pytest.raises(MemoryError):
        node_main.run("test", lambda: [node], [])
    assert ended == [True]


def test_the_emergency_stop_of_a_process_that_crashed_stays(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session("autonomy", {})

    def load(record: SessionRecord) -> Session:
        record.latches = Latches("test", "test requested the emergency stop")
        return session

    monkeypatch.setattr(SessionRecord, "load", load)
    node: Any = lab.add(VehicleInterface())
    assert node.trigger_configure() == DONE
    assert "emergency stop by test" in node.safety_port.gate.intake.refuses_engage
    saved: list[Latches] = []
    monkeypatch.setattr(SessionRecord, "save", lambda record, session, given: saved.append(given))
    assert node.trigger_activate() == DONE
    lab.until(lambda: saved, "a record")
    assert saved[-1].emergency == "test"


def test_a_configuration_that_fails_leaves_nothing(lab: Lab) -> None:
    class Failing(LowPassFilterNode):
        def configure_stage(self) -> None:
            super().configure_stage()
            raise OSError("no more handles")

    node: Any = lab.add(Failing())
    bare = entities(node)
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert entities(node) == bare


def test_what_others_made_of_the_node_stays(lab: Lab) -> None:
    """The process looks for signals by a timer of the node, made when that is configured."""
    node: Any = lab.add(LowPassFilterNode())
    assert node.trigger_configure() == DONE
    heartbeat = node.create_timer(0.1, lambda: None)
    assert node.trigger_cleanup() == DONE
    assert heartbeat in list(node.timers)


TAKEN_DOWN = """
import sys
from vdsim_interface.extras.stages.nodes import low_pass_filter
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.timers import every_real

def make():
    [node] = low_pass_filter.make()
    def take_down():
        timer.cancel()
        node.trigger_deactivate()
        node.trigger_cleanup()
        print("taken down", flush=True)
    timer = every_real(node, 0.3, take_down)
    return [node]

sys.exit(run("low_pass_filter", make))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_process_that_was_cleaned_up_still_ends(number: int) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", TAKEN_DOWN],
        stdout=subprocess.PIPE,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"taken down\n"
        child.send_signal(number)
        child.communicate(timeout=60.0)
        assert child.returncode == 0
    finally:
        child.kill()
        child.communicate()
