"""The page's keys and the browser's pad as sensor_msgs/Joy, for a vehicle interface."""

# rclpy and the message packages carry no types.
# mypy: disable-error-code="import-untyped,no-untyped-call,attr-defined"

from __future__ import annotations

from collections.abc import Sequence

from rclpy.node import Node
from sensor_msgs.msg import Joy

from vdsim_plant_node.dataport.joy import JoySample

TOPIC = "dashboard/joy"
_FRAME = "dashboard"


class JoyTopics:
    """One publisher a vehicle; used from the data port's thread."""

    def __init__(self, node: Node, vehicle_ids: Sequence[int], topic: str) -> None:
        """`topic` of the only vehicle; of several, below vehicle_N/."""
        several = len(vehicle_ids) > 1
        self._clock = node.get_clock()
        self._publishers = {
            number: node.create_publisher(Joy, f"vehicle_{number}/{TOPIC}" if several else topic, 5)
            for number in vehicle_ids
        }

    def is_subscribed(self, vehicle_id: int) -> bool:
        """Whether anybody takes what is published."""
        count: int = self._publishers[vehicle_id].get_subscription_count()
        return count > 0

    def publish(self, vehicle_id: int, sample: JoySample) -> None:
        """Publish the state of a pad."""
        message = Joy(axes=sample.axes, buttons=sample.buttons)
        message.header.stamp = self._clock.now().to_msg()
        message.header.frame_id = _FRAME
        self._publishers[vehicle_id].publish(message)
