"""The three command topics of one source, or of the interface itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from vdsim_interface.nodes import conversions, topics
from vdsim_interface.values import Command, HighLevelCommand, RawCommand, VehicleCommand
from vdsim_msgs.msg import HighLevelControlCommand, RawControlCommand, VehicleControlCommand

COMMANDS: dict[type[Command], tuple[type, str, Callable[[Any], Any], Callable[..., Command]]] = {
    HighLevelCommand: (
        HighLevelControlCommand,
        topics.HIGH_LEVEL_COMMAND,
        conversions.high_level_command_message,
        conversions.high_level_command,
    ),
    VehicleCommand: (
        VehicleControlCommand,
        topics.VEHICLE_COMMAND,
        conversions.vehicle_command_message,
        conversions.vehicle_command,
    ),
    RawCommand: (
        RawControlCommand,
        topics.RAW_COMMAND,
        conversions.raw_command_message,
        conversions.raw_command,
    ),
}
"""For each kind of command: message type, topic, value -> message, message -> value."""


def source_topic(source: str, topic: str) -> str:
    """The topic of a source, `gamepad/raw_command`; with no source the interface's own."""
    return f"{source}/{topic}" if source else topic


class CommandPublishers:
    """Publishes commands of any level, each on its topic, stamped with the node's clock."""

    def __init__(self, node: Node, source: str) -> None:
        self._clock = node.get_clock()
        self._publishers = {
            kind: node.create_publisher(message, source_topic(source, topic), topics.COMMAND_QOS)
            for kind, (message, topic, _, _) in COMMANDS.items()
        }

    def publish(self, command: Command) -> None:
        """Send it now."""
        message = COMMANDS[type(command)][2](command)
        message.stamp = self._clock.now().to_msg()
        self._publishers[type(command)].publish(message)


def listen_to_commands(
    node: Node, source: str, take: Callable[[str, Command], None], clock: Callable[[], float]
) -> None:
    """Subscribe to the three command topics of a source; `take` gets its name and the value."""
    for message_type, topic, _, value in COMMANDS.values():

        def heard(message: Any, value: Callable[..., Command] = value) -> None:
            take(source, value(message, clock()))

        node.create_subscription(
            message_type, source_topic(source, topic), heard, topics.COMMAND_QOS
        )
