"""The three command topics of one source, or of the interface itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

from rclpy.node import Node

from vdsim_interface.ros import topics
from vdsim_interface.ros.messages import conversions
from vdsim_interface.values import LEVEL_OF, Command, ControlLevel
from vdsim_msgs.msg import HighLevelControlCommand, RawControlCommand, VehicleControlCommand

CommandMessage: TypeAlias = HighLevelControlCommand | VehicleControlCommand | RawControlCommand


CommandConverter: TypeAlias = Callable[[CommandMessage, float], Command]


class CommandTopic(NamedTuple):
    """The topic of one command level: message type, name, and conversions to and from messages."""

    kind: type
    topic: str
    message: Callable[..., CommandMessage]
    value: CommandConverter


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
    """Return the topic of a source, `gamepad/raw_command`; of the interface for an empty source."""
    return f"{source}/{topic}" if source else topic


class CommandPublishers:
    """Publishes commands of every level on their topics, stamped with the node's clock."""

    def __init__(self, node: Node, source: str) -> None:
        self._clock = node.get_clock()
        self._publishers = {
            level: node.create_publisher(kind, source_topic(source, topic), topics.COMMAND_QOS)
            for level, (kind, topic, _, _) in COMMANDS.items()
        }

    def publish(self, command: Command) -> None:
        """Publish a command with the current time."""
        level = LEVEL_OF[type(command)]
        message = COMMANDS[level].message(command)
        message.stamp = self._clock.now().to_msg()
        self._publishers[level].publish(message)


def subscribe_to_commands(
    node: Node, source: str, on_command: Callable[[str, Command], None], clock: Callable[[], float]
) -> None:
    """Subscribe to the three command topics of a source; calls `on_command(source, command)`."""

    def on_message(value: CommandConverter, message: CommandMessage) -> None:
        on_command(source, value(message, clock()))

    for kind, topic, _, value in COMMANDS.values():
        callback = partial(on_message, value)
        node.create_subscription(kind, source_topic(source, topic), callback, topics.COMMAND_QOS)
