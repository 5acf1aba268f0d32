"""Publishes what the vehicle reports of its motion and body: odometry, state report, odom, imu, tf.

While no report arrives only a change of mode is published, which the interface itself decides.
The caller passes fresh reports only.
"""

from __future__ import annotations

import math
from dataclasses import replace

from nav_msgs.msg import Odometry as NavOdometry
from sensor_msgs.msg import Imu
from tf2_msgs.msg import TFMessage

from vdsim_interface.ros import topics
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.messages.imu import imu_covariances, imu_message
from vdsim_interface.ros.messages.odometry_covariances import odometry_covariances
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.platform_node import PlatformNode
from vdsim_interface.values import Mode, StateReport, VehicleReport
from vdsim_msgs.msg import VehicleOdometry, VehicleStateReport


class VehiclePublisher:
    """The publishers of one vehicle."""

    def __init__(self, node: PlatformNode, output: OutputParameters) -> None:
        self._node = node
        self._output = output
        self._odometry = node.create_checked_publisher(
            VehicleOdometry, topics.ODOMETRY, topics.SENSOR_QOS
        )
        self._state = node.create_checked_publisher(
            VehicleStateReport, topics.STATE_REPORT, topics.REPORT_QOS
        )
        self._nav = node.create_checked_publisher(
            NavOdometry, topics.NAV_ODOMETRY, topics.RELIABLE_QOS
        )
        self._imu = node.create_checked_publisher(Imu, topics.IMU, topics.SENSOR_QOS)
        self._tf = node.create_checked_publisher(TFMessage, topics.TF, topics.RELIABLE_QOS)
        self._published_state: StateReport | None = None
        self._published_state_s = self._published_stamp_s = -math.inf
        self._published_report: VehicleReport | None = None
        self._covariances = odometry_covariances(node.spec, 0, output)
        self._imu_covariances = imu_covariances(node.spec, 0, output)
        self._wire_version = 0
        self._subscribed = {"nav": False, "imu": False, "tf": False}

    def update_subscribers(self) -> None:
        """Check which of the larger messages have a subscriber; for about 1 Hz."""
        self._subscribed["nav"] = self._nav.get_subscription_count() > 0
        self._subscribed["imu"] = self._imu.get_subscription_count() > 0
        has_subscriber = self._tf.get_subscription_count() > 0
        self._subscribed["tf"] = self._output.publish_tf and has_subscriber

    def publish_motion(self, report: VehicleReport) -> None:
        """Publish a fresh report's motion, once."""
        if report is self._published_report:
            return
        self._published_report = report
        stamp = self._node.ros_time.stamp
        self._odometry.publish(conversions.odometry_message(report.odometry(), stamp))
        if report.wire_version != self._wire_version:
            spec, version = self._node.spec, report.wire_version
            self._wire_version = version
            self._covariances = odometry_covariances(spec, version, self._output)
            self._imu_covariances = imu_covariances(spec, version, self._output)
        if self._subscribed["nav"] or self._subscribed["tf"]:
            frames = self._output.frames
            odometry = conversions.nav_odometry_message(report, frames, self._covariances, stamp)
            if self._subscribed["nav"]:
                self._nav.publish(odometry)
            if self._subscribed["tf"]:
                self._tf.publish(conversions.transform_message(odometry))
        if self._subscribed["imu"]:
            frame, covariances = self._output.imu_frame_id, self._imu_covariances
            self._imu.publish(imu_message(report, frame, covariances, stamp))

    def publish_state(self, report: StateReport, stamp_s: float, now: float) -> None:
        """Publish the state report at its rate, and at once when it changes."""
        due = self._output.is_due(now - self._published_state_s, self._node.parameters.period_s)
        if report != self._published_state or due:
            self._published_state, self._published_state_s = report, now
            self._published_stamp_s = stamp_s
            self._publish_state()

    def publish_mode(self, mode: Mode) -> None:
        """While no report arrives: publish a change of mode, with the last reported body."""
        published = self._published_state
        if published is not None and published.mode is not mode:
            self._published_state = replace(published, mode=mode)
            self._publish_state()

    def _publish_state(self) -> None:
        assert self._published_state is not None
        self._state.publish(
            conversions.state_report_message(
                self._published_state, self._published_stamp_s, self._node.ros_time.stamp
            )
        )
