"""ROS node autohyu_bridge: AutoHYU's control topics <-> a VDS1 vehicle, at 100 Hz.

The contract defines the topic names; they are relative, so a namespace applies to all.
"""

from __future__ import annotations

import sys
import time

from rclpy.node import Node
from std_msgs.msg import Float32

from autohyu_msgs.msg import Reference, VehicleState
from vdsim_interface.extras.autohyu import AutohyuBridge, AutohyuParameters, chosen_torque_map
from vdsim_interface.extras.autohyu.ros import messages as autohyu_messages
from vdsim_interface.extras.autohyu.topics import (
    ACCEL,
    REFERENCE_POINT,
    STEER,
    TORQUE,
    VEHICLE_STATE,
    VEHICLE_STATE_FILTERED,
)
from vdsim_interface.extras.autohyu.torque_map import TorqueMap
from vdsim_interface.extras.ros.fixed_parameters import seal
from vdsim_interface.platforms.endpoints import Endpoints
from vdsim_interface.platforms.host_lookup import with_addresses
from vdsim_interface.ros import topics
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_interface.ros.ros_time import SimulatedTime, ros_time_of
from vdsim_interface.ros.timers import every
from vdsim_interface.values.notice_log import NoticeLog
from vdsim_msgs.msg import LinkStatus

NANOSECONDS = 1e-9
STATUS_PERIOD_S = 1.0


class AutohyuBridgeNode(CheckedNode, Node):
    """AutoHYU's topics, one socket, one timer."""

    IS_CLOSED = True

    def __init__(self) -> None:
        super().__init__("autohyu_bridge")
        self._settings = declare(self, AutohyuParameters())
        seal(self)
        self._ros_time = ros_time_of(self)
        self._log = NoticeLog(self.get_logger())
        self._bridge = AutohyuBridge(with_addresses(self._settings), self._torque_map())
        self._sockets = Endpoints(self._bridge.endpoints())
        self._reference = autohyu_messages.reference_message(self._settings.reference)
        self._create_topics()
        every(self, self._settings.period_s, self._on_tick)
        every(self, STATUS_PERIOD_S, self._on_slow)
        ((host, port),) = self._sockets.bound().values()
        link = self._settings.link
        self.get_logger().info(
            f"STATE at {host}:{port}, CMD to {link.plant_host}:{link.plant_port} "
            f"at {self._settings.rate_hz:g} Hz"
        )

    def _torque_map(self) -> TorqueMap:
        torque_map = chosen_torque_map(self._settings.pedals)
        if torque_map.straightened_percent >= 0.1:
            self.get_logger().info(
                f"torque map: corrected APS by up to {torque_map.straightened_percent:.1f} %"
            )
        return torque_map

    def _create_topics(self) -> None:
        subscribe = self.create_subscription
        subscribe(Float32, STEER, self._on_steer, topics.COMMAND_QOS)
        subscribe(Float32, TORQUE, self._on_torque, topics.COMMAND_QOS)
        subscribe(Float32, ACCEL, self._on_accel, topics.COMMAND_QOS)
        self._state = self.create_publisher(VehicleState, VEHICLE_STATE, topics.RELIABLE_QOS)
        self._filtered = None
        if self._settings.filtered.type != "off":
            self._filtered = self.create_publisher(
                VehicleState, VEHICLE_STATE_FILTERED, topics.RELIABLE_QOS
            )
        self._link = self.create_publisher(LinkStatus, topics.LINK_STATUS, topics.RELIABLE_QOS)
        latched = self.create_publisher(Reference, REFERENCE_POINT, topics.REPORT_QOS)
        latched.publish(self._reference)

    def now(self) -> float:
        """Time of the clock of ages [s]."""
        if isinstance(self._ros_time, SimulatedTime):
            return float(self.get_clock().now().nanoseconds) * NANOSECONDS
        return time.monotonic()

    def end(self) -> None:
        """Send the final command, which brakes, and close the socket."""
        self._sockets.send(self._bridge.stop(self.now()))
        self._sockets.close()

    def _on_steer(self, message: Float32) -> None:
        self._bridge.on_steer(message.data, self.now())

    def _on_torque(self, message: Float32) -> None:
        self._bridge.on_torque(message.data, self.now())

    def _on_accel(self, message: Float32) -> None:
        self._bridge.on_accel(message.data)

    def _on_tick(self) -> None:
        now = self.now()
        for data, source, _ in self._sockets.drain(now):
            self._log.write(self._bridge.on_datagram(data, source, now), now)
        output = self._bridge.tick(now)
        self._ros_time.update()
        self._sockets.send(output.datagrams)
        self._log.write(output.notices + self._sockets.take_notices(), now)
        frame, stamp = self._settings.frame_id, self._ros_time.stamp
        if output.state is not None:
            self._state.publish(
                autohyu_messages.vehicle_state_message(output.state, self._reference, frame, stamp)
            )
        if output.filtered is not None and self._filtered is not None:
            self._filtered.publish(
                autohyu_messages.vehicle_state_message(
                    output.filtered, self._reference, frame, stamp
                )
            )

    def _on_slow(self) -> None:
        now = self.now()
        link = self._settings.link
        self._link.publish(
            autohyu_messages.link_message(
                self._bridge.link(now),
                self._bridge.sent_rate_hz(now),
                f"{link.plant_host}:{link.plant_port}",
                self._settings.failsafe.state_timeout_s,
                self._ros_time.stamp(now),
                self._bridge.round_trip(now),
            )
        )


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("autohyu_bridge", lambda: [AutohyuBridgeNode()], arguments)


if __name__ == "__main__":
    sys.exit(main())
