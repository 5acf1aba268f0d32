"""The double on a ROS graph: `python -m vdsim_autoware_kit.conformance_node FOLDER [FAULT ...]`.

A file FOLDER/CAUSE provokes that cause as long as it is there.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import rclpy
from autoware_vehicle_msgs.srv import ControlModeCommand
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.record import Endpoint
from vdsim_autoware.conformance.ros import messages

from vdsim_autoware_kit.conformance_double import Double, Status

PERIOD_S = 0.02
LONGEST_STEP_S = 0.1
DEPTH = 500  # the pages want 1; so deep, no message is lost of which the rate is counted


class DoubleNode(Node):
    """Thin: what arrives goes to the double, what it makes is published.

    A vehicle does not stand still as a process does on a loaded machine: what this one loses in one
    step over `LONGEST_STEP_S` does not pass for the double, whose time is behind the clock from
    then on.
    """

    def __init__(self, folder: Path, faults: frozenset[str]) -> None:
        super().__init__("conformance_double", start_parameter_services=False)
        self._folder, self.double = folder, Double(faults)
        self._outs: dict[str, Any] = {}
        self._ticked_s, self._behind_s = self._clock_s(), 0.0
        for end in self.double.endpoints():
            self._open(end)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self.create_timer(PERIOD_S, self._tick)

    def _open(self, end: Endpoint) -> None:
        if end.end == names.SERVICE:
            self.create_service(ControlModeCommand, end.topic, self._on_request)
            return
        qos = QoSProfile(
            depth=1 if end.end == names.PUBLISHER else DEPTH,
            reliability=ReliabilityPolicy[end.reliability.upper()],
            durability=DurabilityPolicy[end.durability.upper()],
        )
        if end.end == names.PUBLISHER:
            kind = messages.STATUSES[end.topic]
            self._outs[end.topic] = self.create_publisher(kind, end.topic, qos)
            return
        kind = messages.COMMANDS[end.topic]
        self.create_subscription(kind, end.topic, lambda m: self._on_command(end.topic, m), qos)

    def _clock_s(self) -> float:
        return float(self.get_clock().now().nanoseconds) * 1e-9

    def _time_s(self) -> float:
        """Return the time of the double."""
        now_s = self._clock_s()
        self._behind_s += max(now_s - self._ticked_s - LONGEST_STEP_S, 0.0)
        self._ticked_s = max(self._ticked_s, now_s - LONGEST_STEP_S)
        return now_s - self._behind_s

    def _on_command(self, topic: str, message: Any) -> None:
        self.double.now = max(self.double.now, self._time_s())
        stamp_s = message.stamp.sec + message.stamp.nanosec * 1e-9
        values: tuple[float, ...] = ()
        if topic == names.CONTROL:
            motion = message.longitudinal
            values = motion.velocity, motion.acceleration, message.lateral.steering_tire_angle
        else:
            values = (float(message.command),)
        self.double.receive(topic, values, stamp_s)

    def _on_request(self, request: Any, response: Any) -> Any:
        response.success = self.double.request(request.mode) is True
        return response

    def _tick(self) -> None:
        self.double.provoked = {cause for cause in names.CAUSES if (self._folder / cause).exists()}
        statuses, lines = self.double.step(self._time_s())
        self._ticked_s = self._clock_s()
        for status in statuses:
            stamp_s = status.stamp_s + self._behind_s if status.stamp_s else 0.0
            self._outs[status.topic].publish(self._message(status._replace(stamp_s=stamp_s)))
        if lines:
            array = DiagnosticArray()
            array.header.stamp = self.get_clock().now().to_msg()
            array.status = [
                DiagnosticStatus(name=line.name, level=bytes([line.level]), message=line.text)
                for line in lines
            ]
            self._diagnostics.publish(array)

    @staticmethod
    def _message(status: Status) -> Any:
        message = messages.STATUSES[status.topic]()
        stamp = messages.to_time(int(status.stamp_s * 1e9))
        if status.topic == names.VELOCITY_STATUS:
            message.header.stamp, message.header.frame_id = stamp, "base_link"
            speed, _, message.heading_rate = status.values
            message.longitudinal_velocity = speed
            return message
        message.stamp = stamp
        if status.topic == names.STEERING_STATUS:
            message.steering_tire_angle = status.values[0]
        elif status.topic == names.MODE_STATUS:
            message.mode = int(status.values[0])
        else:
            message.report = int(status.values[0])
        return message


def main() -> None:
    """Run until the process is ended."""
    rclpy.init(args=[])
    node = DoubleNode(Path(sys.argv[1]), frozenset(sys.argv[2:]))
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
