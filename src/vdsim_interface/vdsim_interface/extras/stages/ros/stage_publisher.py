"""Publishes the values that the stages of a pipeline in one process exchange.

Stages in separate processes exchange the same topics, with the same content.
"""

from __future__ import annotations

from vdsim_interface.extras.stages.ros.sides import feedback_message, safe_command_message
from vdsim_interface.pipeline.output import PipelineOutput
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.conversions import vehicle_command_message
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.values import SafeCommand, VehicleFeedback
from vdsim_msgs.msg import PlatformReport, VehicleControlCommand
from vdsim_msgs.msg import SafeCommand as SafeCommandMsg


class StagePublisher:
    """The publishers of `stages/...`; nothing is converted for a topic without subscriber."""

    def __init__(self, node: StageNode) -> None:
        qos = topics.COMMAND_QOS
        self._controlled = node.create_checked_publisher(
            VehicleControlCommand, topics.CONTROLLED_COMMAND, qos
        )
        self._filtered = node.create_checked_publisher(
            VehicleControlCommand, topics.FILTERED_COMMAND, qos
        )
        self._safe = node.create_checked_publisher(SafeCommandMsg, topics.SAFE_COMMAND, qos)
        self._feedback = node.create_checked_publisher(
            PlatformReport, topics.PLATFORM_REPORT, topics.RELIABLE_QOS
        )
        self._node = node
        self._published: SafeCommand | None = None

    def publish_output(self, output: PipelineOutput) -> None:
        """Publish the stages' results of the latest period, once."""
        safe = output.safe
        if safe is self._published:
            return
        self._published = safe
        stamp = self._node.ros_time.stamp
        if safe.controlled is not None and self._controlled.get_subscription_count() > 0:
            self._controlled.publish(vehicle_command_message(safe.controlled, stamp))
        if safe.filtered is not None and self._filtered.get_subscription_count() > 0:
            self._filtered.publish(vehicle_command_message(safe.filtered, stamp))
        if self._safe.get_subscription_count() > 0:
            self._safe.publish(safe_command_message(safe, stamp))

    def publish_feedback(self, feedback: VehicleFeedback | None) -> None:
        """Publish the part of a report that the safety stage receives."""
        if feedback is not None and self._feedback.get_subscription_count() > 0:
            self._feedback.publish(feedback_message(feedback, self._node.ros_time.stamp))
