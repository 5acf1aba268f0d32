"""The topics of tier4_vehicle_msgs: actuation_cmd in, actuation_status out.

That package is in no distribution of ROS 2, so it is imported only where a parameter asks for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

from rclpy.node import Node
from vdsim_interface.parameters import ParameterError

from vdsim_autoware.adapter.actuation import Actuation
from vdsim_autoware.adapter.ros import topics as names
from vdsim_msgs.msg import VdsState


def _messages(parameter: str, value: object) -> Any:
    try:
        return import_module("tier4_vehicle_msgs.msg")
    except ModuleNotFoundError:
        raise ParameterError(parameter, value, "needs the package tier4_vehicle_msgs") from None


def subscribe_to_actuation(
    node: Node,
    on_command: Callable[[Actuation], None],
    now: Callable[[], float],
    topic: str = names.ACTUATION,
) -> None:
    """Subscribe to actuation_cmd."""

    def on_message(message: Any) -> None:
        pedals = message.actuation
        on_command(Actuation(now(), pedals.accel_cmd, pedals.brake_cmd, pedals.steer_cmd))

    kind = _messages("command", "actuation").ActuationCommandStamped
    node.create_subscription(kind, topic, on_message, names.COMMAND_QOS)


class ActuationStatus:
    """The publisher of actuation_status."""

    def __init__(self, node: Node) -> None:
        self._messages = _messages("actuation_status", True)
        self._publisher = node.create_publisher(
            self._messages.ActuationStatusStamped, names.ACTUATION_STATUS, names.MOTION_QOS
        )

    def publish(self, state: VdsState) -> bool:
        """Publish the pedals and the wheel angle in effect; False where they are not reported."""
        if not math.isfinite(state.throttle_applied + state.brake_applied):
            return False
        message = self._messages.ActuationStatusStamped()
        message.header.stamp = state.header.stamp
        message.status.accel_status = state.throttle_applied
        message.status.brake_status = state.brake_applied
        message.status.steer_status = state.steering_tire_angle_applied_rad
        self._publisher.publish(message)
        return True
