"""The simulator's messages other than Ego Ctrl Cmd and Ego Vehicle Status: ports, encode, decode.

Those two belong to platform `morai`. The node `morai_bridge` offers the others in ROS.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from vdsim_interface.extras.morai.bridge_health import EndpointHealth, HealthLine, reject_kind
from vdsim_interface.extras.morai.equal_ports import refuse_equal_ports
from vdsim_interface.parameters.fields import Parameters, choice, flag, host, text, whole
from vdsim_interface.platforms.wire import Address, Datagram, Endpoint
from vdsim_interface.values import Notice
from vdsim_protocol import morai

ENDPOINT_OF: dict[type, str] = {
    morai.MultiEgoSetting: "multi_ego",
    morai.SetTrafficLight: "set_traffic_light",
    morai.SetIntersection: "set_intersection",
    morai.LampControl: "lamps",
    morai.ScenarioLoad: "scenario",
    morai.SensorControl: "sensor_control",
    morai.SaveSensorData: "save_sensor_data",
    morai.ObjectInfo: "objects",
    morai.TrafficLightStatus: "traffic_light",
    morai.CollisionData: "collisions",
    morai.NpcCollision: "npc_collisions",
    morai.IntersectionStatus: "intersection",
    morai.EgoGhostCmd: "ego_ghost",
    morai.NpcGhostCmd: "npc_ghost",
    morai.ImuData: "imu",
}
"""Every message of the bridge and its endpoint; the GPS, which sends text, has `gps`."""
GPS = "gps"

OutgoingMessage: TypeAlias = (
    morai.MultiEgoSetting
    | morai.SetTrafficLight
    | morai.SetIntersection
    | morai.LampControl
    | morai.ScenarioLoad
    | morai.SensorControl
    | morai.SaveSensorData
    | morai.EgoGhostCmd
    | morai.NpcGhostCmd
)
IncomingMessage: TypeAlias = (
    morai.ObjectInfo
    | morai.TrafficLightStatus
    | morai.CollisionData
    | morai.NpcCollision
    | morai.IntersectionStatus
    | morai.ImuData
    | morai.Gga
    | morai.Rmc
)


def _endpoints(direction: morai.Direction) -> tuple[str, ...]:
    tables = {message.table for message in morai.MESSAGES if message.direction is direction}
    return tuple(name for table, name in ENDPOINT_OF.items() if table in tables)


TO_SIMULATOR = _endpoints(morai.Direction.TO_SIMULATOR)
FROM_SIMULATOR = (*_endpoints(morai.Direction.FROM_SIMULATOR), GPS)
TITLES = {
    ENDPOINT_OF[message.table]: message.title
    for message in morai.MESSAGES
    if message.table in ENDPOINT_OF
} | {GPS: "GPS"}
"""The simulator's name of each endpoint's message."""


def _port(number: int, what: str) -> Any:
    return whole(number, f"UDP port {what}", at_least=1, at_most=65535)


@dataclass(frozen=True)
class PortParameters(Parameters):
    """The simulator's ports for requests, and the local ports for its messages."""

    PREFIX: ClassVar[str] = "ports"

    multi_ego: int = _port(7604, "of the simulator for Multi Ego Setting")
    set_traffic_light: int = _port(7607, "of the simulator for Set TrafficLight Ctrl")
    set_intersection: int = _port(9132, "of the simulator for Set Intersection Status")
    lamps: int = _port(9097, "of the simulator for Turn Signal Lamp Control")
    scenario: int = _port(9099, "of the simulator for Scenario Load")
    sensor_control: int = _port(9103, "of the simulator for Sensor Control")
    save_sensor_data: int = _port(9105, "of the simulator for Save Sensor Data")
    ego_ghost: int = _port(9095, "of the simulator for Ego Ghost Cmd")
    npc_ghost: int = _port(9101, "of the simulator for NPC Ghost Cmd")
    objects: int = _port(7505, "on which Object Info is received")
    traffic_light: int = _port(7502, "on which Get TrafficLight Status is received")
    collisions: int = _port(9092, "on which Collision Data is received")
    npc_collisions: int = _port(9112, "on which NPC Vehicle Collision Data is received")
    intersection: int = _port(9102, "on which Get Intersection Status is received")
    imu: int = _port(4001, "on which the IMU is received")
    gps: int = _port(3001, "on which the GPS is received")

    def check_together(self) -> None:
        """Check that each message has a port of its own, at either end."""
        for names in (TO_SIMULATOR, FROM_SIMULATOR):
            refuse_equal_ports(self, dict.fromkeys(names, ""))


@dataclass(frozen=True)
class BridgeParameters(Parameters):
    """Addresses and frames."""

    sim_host: str = host("127.0.0.1", "host of the simulator: requests are sent there")
    listen_host: str = host("127.0.0.1", "address on which its messages are received")
    only_from_sim: bool = flag(True, "reject datagrams from hosts other than sim_host")
    frame_prefix: str = text("", "put before the frame, such as car_1/ where several cars drive")
    world_frame: str = text("odom", "frame of positions (ENU)")
    auto_mode_16: bool = flag(
        True, "Multi Ego Setting: the automatic mode is 16 (true) or 2 (false)"
    )
    release: str = choice(
        "21", "release of the simulator: the sign of the ghost's steering", tuple(morai.RELEASES)
    )
    ports: PortParameters = PortParameters()

    @property
    def steer_sign(self) -> float:
        """+1 where the simulator's positive side is left."""
        return 1.0 if morai.RELEASES[self.release].steer_positive == "left" else -1.0

    def check_together(self) -> None:
        """Check the ports of both ends against each other where both are one machine's."""
        refuse_equal_ports(
            self.ports,
            dict.fromkeys(TO_SIMULATOR, self.sim_host),
            dict.fromkeys(FROM_SIMULATOR, self.listen_host),
        )


class MoraiBridge:
    """Encodes requests to the simulator and decodes its messages. `health`: by endpoint."""

    def __init__(self, parameters: BridgeParameters) -> None:
        self._parameters = parameters
        self.health = {name: EndpointHealth() for name in FROM_SIMULATOR}

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Return one socket for each message."""
        p = self._parameters
        receiving = tuple(
            Endpoint(name, (p.listen_host, getattr(p.ports, name))) for name in FROM_SIMULATOR
        )
        sending = tuple(
            Endpoint(name, None, ((p.sim_host, getattr(p.ports, name)),)) for name in TO_SIMULATOR
        )
        return receiving + sending

    def encode(self, body: OutgoingMessage) -> Datagram:
        """Return the datagram of a request; raises EncodeError when a value is not allowed."""
        return Datagram(ENDPOINT_OF[type(body)], morai.encode(body))

    def receive(
        self, data: bytes, source: Address, endpoint: str, now: float
    ) -> tuple[tuple[IncomingMessage, ...], tuple[Notice, ...]]:
        """Decode a datagram: its messages, and notices of what was dropped; never raises."""
        bodies: list[IncomingMessage] = []
        notices = []
        health = self.health[endpoint]
        for outcome in self._outcomes(data, source, endpoint):
            if isinstance(outcome, _Dropped):
                text = f"{TITLES[endpoint]}: datagram from {source[0]}:{source[1]} dropped: "
                text += outcome.text
                health.on_rejected(outcome.reason, text)
                notices.append(Notice(reject_kind(endpoint, outcome.reason), text))
            else:
                health.on_received(now)
                bodies.append(outcome)
        return tuple(bodies), tuple(notices)

    def lines(self, now: float, period_s: float) -> tuple[HealthLine, ...]:
        """Return a line of diagnostics for each message from the simulator."""
        items = self.health.items()
        return tuple(health.line(TITLES[name], now, period_s) for name, health in items)

    def _outcomes(
        self, data: bytes, source: Address, endpoint: str
    ) -> "list[IncomingMessage | _Dropped]":
        if self._parameters.only_from_sim and source[0] != self._parameters.sim_host:
            return [_Dropped("source", "does not come from the simulator")]
        if endpoint == GPS and not data.startswith(b"#"):
            return [
                _Dropped(seen.reason.value, str(seen))
                if isinstance(seen, morai.NmeaReject)
                else seen
                for seen in morai.decode_nmea(data)
            ]
        packet = morai.decode(data)
        if isinstance(packet, morai.Reject):
            return [_Dropped(packet.reason.value, str(packet))]
        if ENDPOINT_OF.get(packet.kind.table) != endpoint:
            return [_Dropped("message", f"is {packet.kind.title}, which has another port")]
        return [packet.body]


@dataclass(frozen=True)
class _Dropped:
    """Why a datagram, or a part of it, is not used."""

    reason: str
    text: str
