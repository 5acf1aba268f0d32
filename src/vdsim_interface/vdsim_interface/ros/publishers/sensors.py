"""Publishes sensors: those of every platform, and those that the platform's SPEC declares.

A reading is made while its topic has a subscriber; without one a report costs nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus

from vdsim_interface.platforms.sources import table_of
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.status import OK, WARN, diagnostic
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.platform_node import PlatformNode
from vdsim_interface.sensors.declaration import BODY_FRAME, WORLD_FRAME, Sensor, refusal
from vdsim_interface.sensors.feed import SensorFeed
from vdsim_interface.sensors.message_form import message_type
from vdsim_interface.sensors.standard import standard_sensors
from vdsim_interface.values import Source, VehicleReport


class SensorOutput:
    """The topic of one sensor."""

    def __init__(self, node: PlatformNode, sensor: Sensor, frame: str) -> None:
        if sensor.topic_name in topics.OF_THE_INTERFACE:
            raise refusal(node.spec.name, sensor, "topic_name", "is a topic of the interface")
        try:
            kind = message_type(sensor.message)
            self.feed = SensorFeed(sensor, kind)
        except ValueError as error:
            raise refusal(node.spec.name, sensor, "message", str(error)) from error
        self._frame = frame
        self._node = node
        qos = topics.SENSOR_QOS_BY_NAME[sensor.qos]
        self._publisher: Any = node.create_checked_publisher(kind, sensor.topic_name, qos)
        self.subscribers_n = 0
        self._is_latched = sensor.qos == "latched"

    def update_subscribers(self) -> bool:
        """Count them; return whether readings are wanted. A latched one is kept for later."""
        self.subscribers_n = self._publisher.get_subscription_count()
        return self.subscribers_n > 0 or self._is_latched

    def publish(self, report: VehicleReport, now: float) -> None:
        """Publish the reading of a report, if there is one and it is due."""
        message = self.feed.take(report, now)
        if message is None:
            return
        if self.feed.has_header:
            message.header.stamp = self._node.ros_time.stamp(report.stamp_s)
            message.header.frame_id = self._frame
        self._publisher.publish(message)


class SensorPublisher:
    """The sensors of one vehicle."""

    def __init__(self, node: PlatformNode, output: OutputParameters) -> None:
        self._node = node
        self._packet = node.spec.packet
        standard = standard_sensors(output.origin, output.gnss_stdev_m)
        self._outputs = [
            SensorOutput(node, sensor, _frame_id(sensor.frame, output))
            for sensor in (*standard, *node.spec.sensors)
        ]
        self._wanted: list[SensorOutput] = []
        self._published: VehicleReport | None = None
        self._datagram = b""
        self._packet_error = ""

    def update_subscribers(self) -> None:
        """Check which sensors have a subscriber; for about 1 Hz."""
        self._wanted = [output for output in self._outputs if output.update_subscribers()]

    def publish(self, report: VehicleReport, datagram: bytes = b"") -> None:
        """Publish an accepted report's readings, once; `datagram`: as in `_with_details`."""
        if report is self._published:
            return
        self._published, self._datagram = report, datagram
        if self._wanted:
            report, now = self._with_details(report), self._node.now()
            for output in self._wanted:
                output.publish(report, now)

    def _with_details(self, report: VehicleReport) -> VehicleReport:
        """Decode the datagram of a report whose details stayed in the guard's process."""
        if not self._datagram or self._packet is None:
            return report
        try:
            details = self._packet(self._datagram)
        except Exception as error:  # whatever a platform's function raises
            self._packet_error = f"{type(error).__name__}: {error}"[:200]
            return report
        self._packet_error = ""
        return report._replace(details=details)

    def diagnostics(self, now: float) -> Iterator[DiagnosticStatus]:
        """Return one line for each sensor that the vehicle has."""
        report = self._published
        if report is None:
            return
        report = self._with_details(report)
        sources = dict(table_of(self._node.spec, report.wire_version, report.body.modelled).sensors)
        for output in self._outputs:
            feed = output.feed
            if sources[feed.sensor.name] is Source.ABSENT:
                continue
            if output not in self._wanted:
                feed.probe(report, report.stamp_s)
            state = feed.state(now, subscribers_n=output.subscribers_n)
            level = OK if state.is_good else WARN
            yield diagnostic(f"sensor {feed.sensor.name}", level, state.text, state.values)
        if self._packet_error:
            yield diagnostic("sensor packet", WARN, f"not decoded: {self._packet_error}")


def _frame_id(frame: str, output: OutputParameters) -> str:
    """The frame of a sensor's messages, with the prefix."""
    if frame == WORLD_FRAME:
        return output.frames[0]
    return output.frames[1] if frame == BODY_FRAME else output.frame_prefix + frame
