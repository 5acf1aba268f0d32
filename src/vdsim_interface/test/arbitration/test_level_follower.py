"""The interface keeps the level of the source in control, whatever happens to the interface."""

from collections.abc import Iterator

import pytest
import rclpy
from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from teleop_ros_kit import Lab
from vdsim_interface.ros.level_follower import LevelFollower
from vdsim_interface.values import Command, HighLevelCommand, VehicleCommand

DOMAIN_ID = 48
SPEED, ACCELERATION = HighLevelCommand(0.0), VehicleCommand(0.0)


class Told:
    """A follower that is told of 50 commands a second, and interfaces that come and go."""

    def __init__(self) -> None:
        self.lab = Lab(DOMAIN_ID)
        self.errors: list[str] = []
        self.sets = 0
        self.refuse = ""
        self.command: Command = ACCELERATION
        self.follower = LevelFollower(self.lab.probe, "vehicle_interface")
        self.lab.probe.create_timer(0.02, lambda: self.follower.follow(self.command))
        self.lab.probe.get_logger().error = self.errors.append
        self.interface = self.start()

    def start(self) -> Node:
        """An interface with real parameter services, at the level of its own parameters."""
        node = self.lab.add(rclpy.create_node("vehicle_interface"))
        node.declare_parameter("control_command", "high_level")
        node.add_on_set_parameters_callback(self._on_set)
        return node

    def end(self) -> None:
        self.lab.executor.remove_node(self.interface)
        self.lab.nodes.remove(self.interface)
        self.interface.destroy_node()

    def _on_set(self, changes: list[Parameter]) -> SetParametersResult:
        self.sets += len(changes)
        return SetParametersResult(successful=not self.refuse, reason=self.refuse)

    def reaches(self, level: str) -> None:
        def has() -> bool:
            return str(self.interface.get_parameter("control_command").value) == level

        self.lab.until(has, f"the interface at {level}")


@pytest.fixture
def told() -> Iterator[Told]:
    made = Told()
    yield made
    made.lab.close()


def test_an_interface_that_is_started_again_is_told_again(told: Told) -> None:
    told.reaches("vehicle")
    told.end()
    told.lab.run(1.5)
    told.interface = told.start()
    told.reaches("vehicle")


def test_a_restart_too_quick_to_be_seen_is_noticed_by_asking(told: Told) -> None:
    told.reaches("vehicle")
    told.end()
    told.interface = told.start()
    told.reaches("vehicle")


def test_a_level_that_somebody_else_has_set_is_put_right(told: Told) -> None:
    told.reaches("vehicle")
    told.interface.set_parameters([Parameter("control_command", value="raw")])
    told.reaches("vehicle")


def test_what_stays_as_it_is_is_not_set_again(told: Told) -> None:
    told.reaches("vehicle")
    told.lab.run(2.5)
    assert told.sets == 1
    told.command = SPEED
    told.reaches("high_level")
    assert told.sets == 2


def test_a_refusal_is_told_once_and_asked_for_again(told: Told) -> None:
    told.refuse = "not now"
    told.lab.until(lambda: told.sets >= 3, "a third try")
    assert told.errors == ["vehicle_interface keeps its command level: not now"]
    told.refuse = ""
    told.reaches("vehicle")
