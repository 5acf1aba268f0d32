"""Two nodes that command the interface at once: named by the diagnostic and in one line."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from vdsim_interface.extras.stages.nodes.safety_state_machine import SafetyStateMachineNode
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.status import command_diagnostic
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import HighLevelControlCommand, VehicleControlCommand

TOPIC = topics.HIGH_LEVEL_COMMAND
CLASH = (
    "2 publishers on high_level_command: /a, /b; each replaces the other's commands: "
    "use one, or the command mux"
)


@pytest.mark.parametrize(
    ("age_s", "publishers", "level", "text"),
    [
        (math.inf, [], DiagnosticStatus.WARN, "nobody publishes on high_level_command"),
        (0.1, ["/a"], DiagnosticStatus.OK, "arrives"),
        (2.0, ["/a"], DiagnosticStatus.WARN, "silent for 2.00 s"),
        (0.1, ["/a", "/b"], DiagnosticStatus.WARN, CLASH),
        (2.0, ["/a", "/b"], DiagnosticStatus.WARN, f"{CLASH}; silent for 2.00 s"),
    ],
)
def test_the_command_line_says_what_is_wrong(
    age_s: float, publishers: list[str], level: bytes, text: str
) -> None:
    line = command_diagnostic(age_s, 0.5, publishers, TOPIC, "")
    assert (line.level, line.message) == (level, text)
    assert {pair.key: pair.value for pair in line.values}["publishers"] == str(len(publishers))


class Crowd:
    """The interface with the car inside its own process, and nodes that come and go.

    The log is read where it is printed: of two nodes of one name in a process, /rosout loses lines.
    """

    def __init__(self, capture: pytest.CaptureFixture[str], make: Callable[[], Node]) -> None:
        self._capture, self._log = capture, ""
        self.lab = Lab("-p", "platform:=fake", "-p", "output.diagnostics_hz:=5.0")
        self.lab.listen(DiagnosticArray, topics.DIAGNOSTICS, topics.RELIABLE_QOS)
        interface: Any = self.lab.add(make())
        interface.start()

    def comes(
        self,
        name: str,
        kind: type = HighLevelControlCommand,
        topic: str = TOPIC,
        qos: QoSProfile = topics.COMMAND_QOS,
    ) -> Node:
        node = self.lab.add(Node(name))
        node.create_publisher(kind, topic, qos)
        return node

    def goes(self, node: Node) -> None:
        self.lab.nodes.remove(node)
        self.lab.executor.remove_node(node)
        node.destroy_node()

    def line(self, name: str) -> Any:
        heard = self.lab.heard[topics.DIAGNOSTICS]
        lines = heard[-1].status if heard else []
        return next((line for line in lines if line.name == f"/vehicle_interface: {name}"), None)

    @property
    def command(self) -> Any:
        return self.line("command")

    def until_it_says(self, text: str) -> None:
        self.lab.until(lambda: self.command and text in self.command.message, text)

    def warnings(self) -> list[str]:
        self._log += self._capture.readouterr().err
        lines = [line for line in self._log.splitlines() if " publishers on " in line]
        assert all(line.startswith("[WARN]") for line in lines)
        return [line.split("]: ", 1)[1] for line in lines]


@pytest.fixture(params=[VehicleInterface, SafetyStateMachineNode])
def crowd(request: pytest.FixtureRequest, capfd: pytest.CaptureFixture[str]) -> Iterator[Crowd]:
    """The one node of `composition:=single`, and the stage that tells it in the others."""
    made = Crowd(capfd, request.param)
    yield made
    made.lab.close()


def test_both_are_named_and_the_log_says_it_once(crowd: Crowd) -> None:
    crowd.comes("a")
    crowd.comes("elsewhere", VehicleControlCommand, topics.VEHICLE_COMMAND)
    crowd.until_it_says("nothing was received yet")
    assert crowd.line("mode").message.startswith("MANUAL: ")
    second = crowd.comes("b")
    crowd.until_it_says(CLASH)
    assert crowd.command.level == DiagnosticStatus.WARN
    crowd.lab.until(crowd.warnings, "the line")
    crowd.lab.run(1.0)
    assert crowd.warnings() == [CLASH]
    crowd.goes(second)
    crowd.lab.until(lambda: CLASH not in crowd.command.message, "one alone again")
    crowd.lab.run(1.0)
    crowd.comes("b")
    crowd.lab.until(lambda: crowd.warnings() == [CLASH, CLASH], "the line again")


def test_a_publisher_that_is_not_received_is_named_with_the_reason(crowd: Crowd) -> None:
    crowd.comes("hasty", qos=QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))
    crowd.until_it_says("(not received: /hasty offers BEST_EFFORT, RELIABLE is required)")
    assert crowd.command.hardware_id == "fake"


@pytest.mark.parametrize(
    ("topic", "message", "hint"),
    [
        (
            TOPIC,
            HighLevelControlCommand(velocity_mps=math.nan),
            f"{TOPIC} has a publisher, and nothing was received yet "
            "(those that come are not finite)",
        ),
        (
            topics.VEHICLE_COMMAND,
            VehicleControlCommand(),
            f"nobody publishes on {TOPIC} (commands of another level come)",
        ),
    ],
    ids=["not finite", "another level"],
)
def test_what_comes_instead_of_commands_is_told(
    crowd: Crowd, topic: str, message: Any, hint: str
) -> None:
    publisher = crowd.lab.publisher(type(message), topic, topics.COMMAND_QOS)
    crowd.lab.probe.create_timer(0.05, lambda: publisher.publish(message))
    crowd.until_it_says(hint)
    assert hint.partition("(")[2].rstrip(")") in crowd.line("mode").message
