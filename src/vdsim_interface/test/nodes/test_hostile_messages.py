"""What a node of ours does with messages that cannot be read, or are too large, on real ROS."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool
from vdsim_interface.extras.doctor.ros.health import GraphHealth
from vdsim_interface.ros.messages.joy_wall import JOY_WALL
from vdsim_interface.ros.messages.message_info import with_info
from vdsim_interface.ros.node_main import _events_executor
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import AuxiliaryCommand

KEPT = QoSProfile(depth=10)
HEADER_ALONE = bytes(4)
NAMES = AuxiliaryCommand(names=["x"] * 100_000)


class Listener(CheckedNode, Node):
    """Subscribes in the three ways that nodes of ours have."""

    def __init__(self) -> None:
        super().__init__("listener")
        self.heard: dict[str, list[Any]] = {"auxiliary": [], "stop": [], "joy": []}
        on_stop = with_info(lambda message, info: self.heard["stop"].append(message.data))
        on_joy = self.heard["joy"].append
        self.create_subscription(AuxiliaryCommand, "auxiliary", self._on_auxiliary, KEPT)
        self.create_subscription(Bool, "stop", on_stop, KEPT)
        self.create_subscription(Joy, "joy", on_joy, KEPT, **JOY_WALL)

    def _on_auxiliary(self, message: AuxiliaryCommand) -> None:
        self.heard["auxiliary"].append(list(message.names))


class Bench:
    """The listener, who talks to it, and the executor of a program of ours."""

    def __init__(self, make: Any) -> None:
        self.lab = Lab()
        self.node = Listener()
        self.executor = make()
        self.executor.add_node(self.node)

    def say(self, kind: type, topic: str, *messages: Any) -> None:
        """Publish, and let the listener hear."""
        publisher = self.lab.publisher(kind, topic, KEPT)
        for message in messages:
            publisher.publish(message)

    def until(self, condition: Any, what: str) -> None:
        def turned() -> Any:
            self.executor.spin_once(timeout_sec=0.01)
            return condition()

        self.lab.until(turned, what)

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        self.lab.close()


@pytest.fixture(params=[SingleThreadedExecutor, _events_executor])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    made = Bench(request.param)
    yield made
    made.close()


def test_a_list_of_many_texts_is_discarded_and_the_next_message_is_heard(bench: Bench) -> None:
    bench.say(AuxiliaryCommand, "auxiliary", NAMES, HEADER_ALONE, AuxiliaryCommand(names=["horn"]))
    bench.until(lambda: bench.node.heard["auxiliary"], "the message after it")
    assert bench.node.heard["auxiliary"] == [["horn"]]
    assert bench.node.discarded.total == 2


def test_a_stop_is_heard_among_what_cannot_be_read(bench: Bench) -> None:
    bench.say(Bool, "stop", HEADER_ALONE, Bool(data=True), HEADER_ALONE)
    bench.until(lambda: bench.node.discarded.total == 2, "what cannot be read")
    assert bench.node.heard["stop"] == [True]


def test_a_gamepad_that_cannot_be_read_is_one_without_axes(bench: Bench) -> None:
    too_many = Joy(axes=array("f", bytes(8 << 20)), buttons=[1])
    bench.say(Joy, "joy", HEADER_ALONE, too_many, Joy(buttons=[1]))
    bench.until(lambda: len(bench.node.heard["joy"]) == 3, "all three")
    assert [list(message.buttons) for message in bench.node.heard["joy"]] == [[], [], [1]]
    assert bench.node.discarded.total == 2


def test_a_stop_button_behind_a_hundred_thousand_axes_is_read(bench: Bench) -> None:
    bench.say(Joy, "joy", Joy(axes=array("f", bytes(400_000)), buttons=[0, 1]))
    bench.until(lambda: bench.node.heard["joy"], "it")
    assert list(bench.node.heard["joy"][0].buttons) == [0, 1]


def test_what_is_discarded_is_in_diagnostics(bench: Bench) -> None:
    health = GraphHealth(bench.node, ("auxiliary",))
    bench.say(AuxiliaryCommand, "auxiliary", NAMES)
    bench.until(lambda: bench.node.discarded.total, "that it is discarded")
    line = health.line()
    assert line.level == DiagnosticStatus.WARN
    assert "auxiliary: discarded a message of" in line.message
    assert {value.key: value.value for value in line.values}["discarded"] == "1"
