"""control_command stays at the level of the source in control, also after a restart."""

from collections.abc import Iterator

import pytest
import rclpy
from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from vdsim_interface.extras.mux.ros.command_level_sync import CommandLevelSync
from vdsim_interface.values import Command, HighLevelCommand, VehicleCommand
from vdsim_interface_kit.teleop_ros import Lab

SPEED, ACCELERATION = HighLevelCommand(0.0), VehicleCommand(0.0)


class Setup:
    """A level sync that gets 50 commands a second, and interfaces that start and end."""

    def __init__(self) -> None:
        self.lab = Lab()
        self.errors: list[str] = []
        self.sets = 0
        self.refuse = ""
        self.command: Command = ACCELERATION
        self.sync = CommandLevelSync(self.lab.probe, "vehicle_interface")
        self.lab.probe.create_timer(0.02, lambda: self.sync.update(self.command))
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
def setup() -> Iterator[Setup]:
    made = Setup()
    yield made
    made.lab.close()


def test_a_restarted_interface_gets_the_level_again(setup: Setup) -> None:
    setup.reaches("vehicle")
    setup.end()
    setup.lab.run(1.5)
    setup.interface = setup.start()
    setup.reaches("vehicle")


def test_a_restart_between_two_checks_is_found_by_reading_the_parameter(setup: Setup) -> None:
    setup.reaches("vehicle")
    setup.end()
    setup.interface = setup.start()
    setup.reaches("vehicle")


def test_a_level_that_another_node_has_set_is_corrected(setup: Setup) -> None:
    setup.reaches("vehicle")
    setup.interface.set_parameters([Parameter("control_command", value="raw")])
    setup.reaches("vehicle")


def test_an_unchanged_level_is_not_set_again(setup: Setup) -> None:
    setup.reaches("vehicle")
    setup.lab.run(2.5)
    assert setup.sets == 1
    setup.command = SPEED
    setup.reaches("high_level")
    assert setup.sets == 2


def test_a_refusal_is_logged_once_and_requested_again(setup: Setup) -> None:
    setup.refuse = "not now"
    setup.lab.until(lambda: setup.sets >= 3, "a third try")
    assert setup.errors == ["vehicle_interface keeps its command level: not now"]
    setup.refuse = ""
    setup.reaches("vehicle")
