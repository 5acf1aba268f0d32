"""The three command topics of one source, or of the interface itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rclpy.node import Node

from vdsim_interface.ros import topics
from vdsim_interface.ros.messages import conversions
from vdsim_interface.values import LEVEL_OF, Command, ControlLevel
from vdsim_msgs.msg import HighLevelControlCommand, RawControlCommand, VehicleControlCommand


class CommandTopic(NamedTuple):
    """The way of the commands of one level: type and name of the topic, and both conversions."""

    kind: type
    topic: str
    message: Callable[[Any], Any]
    value: Callable[[Any, float], Command]


COMMANDS = {
    ControlLevel.HIGH_LEVEL: CommandTopic(
        HighLevelControlCommand,
        topics.HIGH_LEVEL_COMMAND,
        conversions.high_level_command_message,
        conversions.high_level_command,
    ),
    ControlLevel.VEHICLE: CommandTopic(
        VehicleControlCommand,
        topics.VEHICLE_COMMAND,
        conversions.vehicle_command_message,
        conversions.vehicle_command,
    ),
    ControlLevel.RAW: CommandTopic(
        RawControlCommand,
        topics.RAW_COMMAND,
        conversions.raw_command_message,
        conversions.raw_command,
    ),
}


def source_topic(source: str, topic: str) -> str:
    """The topic of a source, `gamepad/raw_command`; with no source the interface's own."""
    return f"{source}/{topic}" if source else topic


class CommandPublishers:
    """Publishes commands of any level, each on its topic, stamped with the node's clock."""

    def __init__(self, node: Node, source: str) -> None:
        self._clock = node.get_clock()
        self._publishers = {
            level: node.create_publisher(kind, source_topic(source, topic), topics.COMMAND_QOS)
            for level, (kind, topic, _, _) in COMMANDS.items()
        }

    def publish(self, command: Command) -> None:
        """Send it now."""
        level = LEVEL_OF[type(command)]
        message = COMMANDS[level].message(command)
        message.stamp = self._clock.now().to_msg()
        self._publishers[level].publish(message)


def listen_to_commands(
    node: Node, source: str, take: Callable[[str, Command], None], clock: Callable[[], float]
) -> None:
    """Subscribe to the three command topics of a source; `take` gets its name and the value."""
    for kind, topic, _, value in COMMANDS.values():

        def heard(message: Any, value: Callable[[Any, float], Command] = value) -> None:
            take(source, value(message, clock()))

        node.create_subscription(kind, source_topic(source, topic), heard, topics.COMMAND_QOS)
