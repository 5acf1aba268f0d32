"""The messages of pedals and steering: actuation_cmd in, actuation_status out.

Two packages have them, with other names for the same numbers: tier4_vehicle_msgs, and the
autoware_vehicle_msgs that follows its release 1.12. Neither is in a distribution of ROS 2, so they
are imported only where a parameter asks for them. The other end of a topic decides which one is
used: both are never there at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from rclpy.node import Node
from vdsim_interface.parameters.fields import ParameterError

from vdsim_autoware.adapter.actuation import Actuation
from vdsim_autoware.adapter.ros import topics as names
from vdsim_msgs.msg import VdsState


class Dialect(NamedTuple):
    """One package: its messages, the field with the numbers, and the ending of their names."""

    package: str
    command: str
    of_command: str
    status: str
    of_status: str
    ending: str

    def type_name(self, message: str) -> str:
        """Return the name of a message in the graph."""
        return f"{self.package}/msg/{message}"

    def kind(self, message: str) -> Any:
        """Return the class of a message."""
        return getattr(import_module(f"{self.package}.msg"), message)


DIALECTS = (
    Dialect(
        "tier4_vehicle_msgs",
        *("ActuationCommandStamped", "actuation", "ActuationStatusStamped", "status", "status"),
    ),
    Dialect(
        "autoware_vehicle_msgs",
        *("ActuationCommandStamped", "actuation_command"),
        *("ActuationReportStamped", "actuation_report", "report"),
    ),
)
"""The released one first: it is used until another is seen."""


def installed_dialects() -> tuple[Dialect, ...]:
    """Return those whose messages are installed."""
    found = []
    for dialect in DIALECTS:
        try:
            dialect.kind(dialect.command)
            dialect.kind(dialect.status)
        except (AttributeError, ImportError):
            continue
        found.append(dialect)
    return tuple(found)


def spoken(
    present: Dialect, installed: Sequence[Dialect], seen: Collection[str], message: str
) -> Dialect:
    """Return the dialect for a topic whose other ends have these types."""
    fitting = [dialect for dialect in installed if dialect.type_name(_of(dialect, message)) in seen]
    return present if not fitting or present in fitting else fitting[0]


COMMAND, STATUS = "command", "status"


def _of(dialect: Dialect, message: str) -> str:
    return dialect.command if message == COMMAND else dialect.status


def _needed(parameter: str, value: object) -> tuple[Dialect, ...]:
    found = installed_dialects()
    if not found:
        why = "needs the package tier4_vehicle_msgs, or an autoware_vehicle_msgs with such messages"
        raise ParameterError(parameter, value, why)
    return found


def actuation_value(dialect: Dialect, message: Any, now: float) -> Actuation:
    """Return the numbers of a command; `now`: the time of receipt [s]."""
    pedals = getattr(message, dialect.of_command)
    return Actuation(now, pedals.accel_cmd, pedals.brake_cmd, pedals.steer_cmd)


def status_message(dialect: Dialect, accel: float, brake: float, steer: float) -> Any:
    """Return a status with these numbers, without a header."""
    message = dialect.kind(dialect.status)()
    numbers = getattr(message, dialect.of_status)
    for name, value in (("accel", accel), ("brake", brake), ("steer", steer)):
        setattr(numbers, f"{name}_{dialect.ending}", value)
    return message


class ActuationCommands:
    """The subscription to actuation_cmd; `follow` is called at about 1 Hz."""

    def __init__(
        self,
        node: Node,
        on_command: Callable[[Actuation], None],
        now: Callable[[], float],
        topic: str = names.ACTUATION,
    ) -> None:
        self._node, self._on_command, self._now, self._topic = node, on_command, now, topic
        self._installed = _needed("command", "actuation")
        self._subscribe(self._installed[0])

    def _subscribe(self, dialect: Dialect) -> None:
        def on_message(message: Any) -> None:
            self._on_command(actuation_value(dialect, message, self._now()))

        self.dialect = dialect
        self._subscription = self._node.create_subscription(
            dialect.kind(dialect.command), self._topic, on_message, names.COMMAND_QOS
        )

    def follow(self) -> None:
        """Subscribe to the messages of whoever publishes."""
        if len(self._installed) < 2:
            return
        topic = self._node.resolve_topic_name(self._topic)
        seen = {end.topic_type for end in self._node.get_publishers_info_by_topic(topic)}
        wanted = spoken(self.dialect, self._installed, seen, COMMAND)
        if wanted is not self.dialect:
            self._node.destroy_subscription(self._subscription)
            self._subscribe(wanted)
            self._node.get_logger().info(f"actuation_cmd: {wanted.package}")


class ActuationStatus:
    """The publisher of actuation_status; `follow` is called at about 1 Hz."""

    def __init__(self, node: Node, topic: str = names.ACTUATION_STATUS) -> None:
        self._node, self._topic = node, topic
        self._installed = _needed("actuation_status", True)
        self._announce(self._installed[0])

    def _announce(self, dialect: Dialect) -> None:
        self.dialect = dialect
        kind = dialect.kind(dialect.status)
        self._publisher = self._node.create_publisher(kind, self._topic, names.MOTION_QOS)

    def follow(self, commands: Dialect | None = None) -> None:
        """Publish the messages of whoever listens; while nobody does, those of the commands."""
        if len(self._installed) < 2:
            return
        topic = self._node.resolve_topic_name(self._topic)
        seen = {end.topic_type for end in self._node.get_subscriptions_info_by_topic(topic)}
        present = self.dialect if seen or commands is None else commands
        wanted = spoken(present, self._installed, seen, STATUS)
        if wanted is not self.dialect:
            self._node.destroy_publisher(self._publisher)
            self._announce(wanted)

    def send(self, accel: float, brake: float, steer: float, stamp: Any, frame: str = "") -> None:
        """Publish pedals and steering."""
        message = status_message(self.dialect, accel, brake, steer)
        message.header.stamp, message.header.frame_id = stamp, frame
        self._publisher.publish(message)

    def publish(self, state: VdsState) -> bool:
        """Publish the pedals and the wheel angle in effect; False where they are not reported."""
        pedals = state.throttle_applied, state.brake_applied
        if not math.isfinite(sum(pedals)):
            return False
        self.send(*pedals, state.steering_tire_angle_applied_rad, state.header.stamp)
        return True
