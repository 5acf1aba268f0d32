"""ROS node morai_bridge: the simulator's other UDP messages as topics and services."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped
from rclpy.node import Node
from sensor_msgs.msg import Imu, NavSatFix
from vdsim_protocol.request_check import Checked, refusal

from vdsim_interface.extras.morai.bridge import (
    BridgeParameters,
    IncomingMessage,
    MoraiBridge,
    OutgoingMessage,
)
from vdsim_interface.extras.morai.ros import messages as convert
from vdsim_interface.extras.ros.fixed_parameters import seal
from vdsim_interface.platforms.endpoints import Endpoints
from vdsim_interface.platforms.host_lookup import with_addresses
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.status import OK, WARN, diagnostic, diagnostics
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_interface.ros.timers import every
from vdsim_interface.values.notice_log import NoticeLog
from vdsim_msgs import msg, srv
from vdsim_protocol import morai

POLL_S = 0.01
DIAGNOSTICS_S = 1.0


class TopicSpec(NamedTuple):
    """The topic of a message from the simulator. `frame`: empty for the world frame."""

    name: str
    message_type: type
    convert: Callable[..., convert.MoraiMessage]
    frame: str = ""


class ServiceSpec(NamedTuple):
    """A service type and the conversion of its request to a message for the simulator."""

    service_type: type
    convert: Callable[..., OutgoingMessage]


class ServiceResponse(Protocol):
    """The common fields of all service responses."""

    success: bool
    reason: str


_Request = TypeVar("_Request", bound=Checked)
_Response = TypeVar("_Response", bound=ServiceResponse)

TOPICS: dict[type[IncomingMessage], TopicSpec] = {
    morai.ObjectInfo: TopicSpec("morai/objects", msg.MoraiObjects, convert.objects_message),
    morai.CollisionData: TopicSpec(
        "morai/collisions", msg.MoraiCollisions, convert.collisions_message
    ),
    morai.NpcCollision: TopicSpec(
        "morai/npc_collisions",
        msg.MoraiNpcCollisions,
        convert.npc_collisions_message,
    ),
    morai.TrafficLightStatus: TopicSpec(
        "morai/traffic_light",
        msg.MoraiTrafficLight,
        convert.traffic_light_message,
    ),
    morai.IntersectionStatus: TopicSpec(
        "morai/intersection",
        msg.MoraiIntersection,
        convert.intersection_message,
    ),
    morai.ImuData: TopicSpec("morai/imu", Imu, convert.imu_message, "imu"),
    morai.Gga: TopicSpec("morai/gps", NavSatFix, convert.gps_message, "gps"),
    morai.Rmc: TopicSpec("morai/gps_velocity", TwistStamped, convert.gps_velocity_message),
}
SERVICES: dict[str, ServiceSpec] = {
    "morai/set_traffic_light": ServiceSpec(srv.MoraiSetTrafficLight, convert.set_traffic_light),
    "morai/set_intersection": ServiceSpec(srv.MoraiSetIntersection, convert.set_intersection),
    "morai/set_egos": ServiceSpec(srv.MoraiSetEgos, convert.set_egos),
    "morai/load_scenario": ServiceSpec(srv.MoraiLoadScenario, convert.load_scenario),
    "morai/save_sensor_data": ServiceSpec(srv.MoraiSaveSensorData, convert.save_sensor_data),
    "morai/move_sensor": ServiceSpec(srv.MoraiMoveSensor, convert.move_sensor),
    "morai/set_lamps": ServiceSpec(srv.MoraiSetLamps, convert.set_lamps),
    "morai/set_ego_ghost": ServiceSpec(srv.MoraiSetEgoGhost, convert.set_ego_ghost),
    "morai/set_npc_ghosts": ServiceSpec(srv.MoraiSetNpcGhosts, convert.set_npc_ghosts),
}


class MoraiBridgeNode(CheckedNode, Node):
    """One topic or service for each message."""

    IS_CLOSED = True

    def __init__(self) -> None:
        super().__init__("morai_bridge")
        self._settings = declare(self, BridgeParameters())
        seal(self)
        self._log = NoticeLog(self.get_logger())
        self._bridge = MoraiBridge(with_addresses(self._settings))
        self._sockets = Endpoints(self._bridge.endpoints())
        self._topics = {
            table: self.create_publisher(spec.message_type, spec.name, topics.RELIABLE_QOS)
            for table, spec in TOPICS.items()
        }
        for name, service in SERVICES.items():
            on_request = partial(self._on_request, self._converter(service))
            self.create_service(service.service_type, name, on_request)
        self._diagnostics = self.create_publisher(
            DiagnosticArray, topics.DIAGNOSTICS, topics.RELIABLE_QOS
        )
        every(self, POLL_S, self._on_poll)
        every(self, DIAGNOSTICS_S, self._on_diagnostics)
        self.get_logger().info(
            f"messages at {self._settings.listen_host}, requests to {self._settings.sim_host}"
        )

    def _converter(self, service: ServiceSpec) -> Callable[..., OutgoingMessage]:
        if service.convert is convert.set_ego_ghost:
            return partial(service.convert, steer_sign=self._settings.steer_sign)
        if service.convert is not convert.set_egos:
            return service.convert
        modes = morai.MultiEgoCtrlMode
        auto_mode = modes.AUTO_16 if self._settings.auto_mode_16 else modes.AUTO
        return partial(service.convert, auto_mode=auto_mode)

    def end(self) -> None:
        """Close the sockets."""
        self._sockets.close()

    def _on_poll(self) -> None:
        now, now_s = self.get_clock().now(), time.monotonic()
        self._log.write(self._sockets.take_notices(), now_s)
        for data, source, endpoint in self._sockets.drain(now_s):
            bodies, notices = self._bridge.receive(data, source, endpoint, now_s)
            self._log.write(notices, now_s)
            for body in bodies:
                self._publish(body, now.to_msg())

    def _publish(self, body: IncomingMessage, stamp: Time) -> None:
        spec = TOPICS[type(body)]
        frame = self._settings.frame_prefix + (spec.frame or self._settings.world_frame)
        self._topics[type(body)].publish(spec.convert(body, stamp, frame))

    def _on_diagnostics(self) -> None:
        lines = self._bridge.lines(time.monotonic(), DIAGNOSTICS_S)
        statuses = [
            diagnostic(
                line.name, WARN if line.warns else OK, line.text, line.values, node="morai_bridge"
            )
            for line in lines
        ]
        stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(diagnostics(statuses, stamp, self.get_namespace(), "morai"))

    def _on_request(
        self,
        to_message: Callable[[_Request], OutgoingMessage],
        request: _Request,
        response: _Response,
    ) -> _Response:
        if why := refusal(request):
            response.success, response.reason = False, why
            return response
        try:
            failed = self._sockets.send((self._bridge.encode(to_message(request)),))
        except morai.EncodeError as error:
            response.reason = str(error)
        else:
            response.reason = "the datagram could not be sent" if failed else ""
        response.success = not response.reason
        return response


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("morai_bridge", lambda: [MoraiBridgeNode()], arguments)


if __name__ == "__main__":
    sys.exit(main())
