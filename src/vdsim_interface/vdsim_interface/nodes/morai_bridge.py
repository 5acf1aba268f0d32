"""Node `morai_bridge`: the simulator's messages beside the ego vehicle, as topics and services."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.node import Node

from vdsim_interface.platforms.morai.bridge import BridgeParameters, MoraiBridge
from vdsim_interface.ros import topics
from vdsim_interface.ros.fixed_parameters import seal
from vdsim_interface.ros.host_lookup import with_addresses
from vdsim_interface.ros.messages import morai as convert
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.notice_log import NoticeLog
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.timers import every
from vdsim_interface.ros.udp_endpoints import UdpEndpoints
from vdsim_msgs import msg, srv
from vdsim_protocol import morai

POLL_S = 0.01
NANOSECONDS = 1e-9
TOPICS: dict[type, tuple[str, type, Callable[..., Any]]] = {
    morai.ObjectInfo: ("morai/objects", msg.MoraiObjects, convert.objects_message),
    morai.CollisionData: ("morai/collisions", msg.MoraiCollisions, convert.collisions_message),
    morai.NpcCollision: (
        "morai/npc_collisions",
        msg.MoraiNpcCollisions,
        convert.npc_collisions_message,
    ),
    morai.TrafficLightStatus: (
        "morai/traffic_light",
        msg.MoraiTrafficLight,
        convert.traffic_light_message,
    ),
    morai.IntersectionStatus: (
        "morai/intersection",
        msg.MoraiIntersection,
        convert.intersection_message,
    ),
}
SERVICES: dict[str, tuple[type, Callable[..., Any]]] = {
    "morai/set_traffic_light": (srv.MoraiSetTrafficLight, convert.set_traffic_light),
    "morai/set_intersection": (srv.MoraiSetIntersection, convert.set_intersection),
    "morai/set_egos": (srv.MoraiSetEgos, convert.set_egos),
    "morai/load_scenario": (srv.MoraiLoadScenario, convert.load_scenario),
    "morai/save_sensor_data": (srv.MoraiSaveSensorData, convert.save_sensor_data),
    "morai/move_sensor": (srv.MoraiMoveSensor, convert.move_sensor),
    "morai/set_lamps": (srv.MoraiSetLamps, convert.set_lamps),
}


class MoraiBridgeNode(Node):
    """A topic or a service a message."""

    def __init__(self) -> None:
        super().__init__("morai_bridge")
        self._settings = declare(self, BridgeParameters())
        seal(self)
        self._log = NoticeLog(self.get_logger())
        self._bridge = MoraiBridge(with_addresses(self._settings))
        self._sockets = UdpEndpoints(self._bridge.endpoints())
        self._topics = {
            table: self.create_publisher(kind, name, topics.RELIABLE_QOS)
            for table, (name, kind, _) in TOPICS.items()
        }
        for name, (kind, make) in SERVICES.items():
            self.create_service(kind, name, partial(self._on_order, self._maker(make)))
        every(self, POLL_S, self._on_poll)
        self.get_logger().info(
            f"messages at {self._settings.listen_host}, orders to {self._settings.sim_host}"
        )

    def _maker(self, make: Callable[..., Any]) -> Callable[..., Any]:
        if make is not convert.set_egos:
            return make
        modes = morai.MultiEgoCtrlMode
        return partial(make, auto_mode=modes.AUTO_16 if self._settings.auto_mode_16 else modes.AUTO)

    def end(self) -> None:
        """Close the sockets."""
        self._sockets.close()

    def _on_poll(self) -> None:
        now = self.get_clock().now()
        self._log.write(self._sockets.take_notices(), float(now.nanoseconds) * NANOSECONDS)
        for data, source, _ in self._sockets.drain():
            body, notices = self._bridge.take(data, source)
            self._log.write(notices, float(now.nanoseconds) * NANOSECONDS)
            if body is not None:
                to_message = TOPICS[type(body)][2]
                message = to_message(body, now.to_msg(), self._settings.world_frame)
                self._topics[type(body)].publish(message)

    def _on_order(self, make: Callable[..., Any], request: Any, response: Any) -> Any:
        try:
            failed = self._sockets.send((self._bridge.order(make(request)),))
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
