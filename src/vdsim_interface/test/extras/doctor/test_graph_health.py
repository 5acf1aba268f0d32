"""The line `graph` of a node: named after the faults of real ends, and OK once they are gone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from vdsim_interface.extras.doctor.ros.health import GraphHealth
from vdsim_interface.ros import topics
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import HighLevelControlCommand

BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
TOPIC = f"/car/{topics.HIGH_LEVEL_COMMAND}"


class Bench:
    """A node with the interface's input, its line, and programs that come and go."""

    def __init__(self) -> None:
        self.lab = Lab()
        self.node = self.lab.add(Node("vehicle_interface", namespace="car"))
        self.node.create_subscription(
            HighLevelControlCommand, topics.HIGH_LEVEL_COMMAND, lambda _: None, topics.COMMAND_QOS
        )
        self.health = GraphHealth(self.node, (topics.HIGH_LEVEL_COMMAND, topics.NAV_ODOMETRY))

    def comes(self, name: str, kind: type, topic: str, qos: QoSProfile) -> Node:
        node = self.lab.add(Node(name))
        node.create_publisher(kind, topic, qos)
        return node

    def goes(self, node: Node) -> None:
        self.lab.nodes.remove(node)
        self.lab.executor.remove_node(node)
        node.destroy_node()

    def until_it_says(self, text: str, level: bytes) -> None:
        def says() -> bool:
            line: DiagnosticStatus = self.health.line()
            return line.level == level and text in line.message

        self.lab.until(says, text)


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.lab.close()


def test_a_fault_is_named_while_it_lasts(bench: Bench) -> None:
    bench.until_it_says("the ends of all topics fit", DiagnosticStatus.OK)
    planner = bench.comes("planner", HighLevelControlCommand, TOPIC, BEST_EFFORT)
    bench.until_it_says(
        f"/planner publishes {TOPIC} with reliability BEST_EFFORT", DiagnosticStatus.ERROR
    )
    bench.goes(planner)
    bench.until_it_says("the ends of all topics fit", DiagnosticStatus.OK)


def test_a_line_ends_with_the_next_look_after_its_cause(bench: Bench) -> None:
    """However many topics the node has: each call looks at one, and at what did not fit."""
    others = [f"topic_{index}" for index in range(50)]
    bench.health = GraphHealth(bench.node, (topics.HIGH_LEVEL_COMMAND, *others))
    planner = bench.comes("planner", HighLevelControlCommand, TOPIC, BEST_EFFORT)
    bench.until_it_says("with reliability BEST_EFFORT", DiagnosticStatus.ERROR)
    bench.goes(planner)
    bench.lab.until(lambda: bench.node.count_publishers(TOPIC) == 0, "it has gone")
    assert bench.health.line().level == DiagnosticStatus.OK


def test_another_name_is_named_and_logged_once(
    bench: Bench, capfd: pytest.CaptureFixture[str]
) -> None:
    bench.comes("planner", HighLevelControlCommand, "/high_level_command", topics.COMMAND_QOS)
    words = f"start /planner with --ros-args -r /high_level_command:={TOPIC}"
    bench.until_it_says(words, DiagnosticStatus.ERROR)
    bench.until_it_says(words, DiagnosticStatus.ERROR)
    assert capfd.readouterr().err.count(words) == 1


def test_a_source_that_the_node_subscribes_to_when_it_begins_is_no_other_name(
    bench: Bench, capfd: pytest.CaptureFixture[str]
) -> None:
    source = f"/car/keyboard/{topics.HIGH_LEVEL_COMMAND}"
    bench.comes("keyboard_teleop", HighLevelControlCommand, source, topics.COMMAND_QOS)
    bench.lab.until(lambda: bench.node.count_publishers(source) == 1, source)
    before = [bench.health.line() for _ in range(3)]
    bench.node.create_subscription(
        HighLevelControlCommand, source, lambda _: None, topics.COMMAND_QOS
    )
    bench.lab.until(lambda: bench.node.count_subscribers(source) == 1, source)
    lines = [*before, *(bench.health.line() for _ in range(12))]
    assert not any("keyboard" in line.message for line in lines)
    assert "keyboard" not in capfd.readouterr().err


OBSERVERS = ("vdsim_doctor_7", "vdsim_record", "rosbag2_recorder", "_ros2cli_8", "rviz2")


@pytest.mark.parametrize("observed", [TOPIC, "/high_level_command"], ids=["ours", "theirs"])
def test_who_only_looks_neither_hides_nor_changes_a_fault(bench: Bench, observed: str) -> None:
    """A doctor that came every three seconds kept the line empty for five minutes."""
    bench.comes("planner", HighLevelControlCommand, "/high_level_command", topics.COMMAND_QOS)
    words = f"/planner publishes /high_level_command and /car/vehicle_interface waits for {TOPIC}"
    bench.until_it_says(words, DiagnosticStatus.ERROR)
    before = bench.node.count_subscribers(observed)
    for name in OBSERVERS:
        observer = bench.lab.add(Node(name))
        observer.create_subscription(
            HighLevelControlCommand, observed, lambda _: None, topics.COMMAND_QOS
        )
    wanted = before + len(OBSERVERS)
    bench.lab.until(lambda: bench.node.count_subscribers(observed) == wanted, observed)
    lines = [bench.health.line() for _ in range(8)]
    assert all(line.message.count(words) == 1 for line in lines), lines


@pytest.mark.parametrize("name", ["_ros2cli_9", "rosbag2_player", "foxglove_bridge"])
def test_who_looks_on_and_publishes_counts(bench: Bench, name: str) -> None:
    """`ros2 topic pub` has a hidden node: its wrong topic is named, as anybody's."""
    bench.comes(name, HighLevelControlCommand, "/high_level_command", topics.COMMAND_QOS)
    bench.until_it_says(
        f"/{name} publishes /high_level_command and /car/vehicle_interface waits for {TOPIC}",
        DiagnosticStatus.ERROR,
    )
