"""What the checks look at: the ends of all topics, the network, the clock and what was received."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from vdsim_protocol.why.evidence import Evidence

from vdsim_interface.values import Severity

TYPE_OF_LEVEL: Mapping[str, str] = {
    "high_level": "vdsim_msgs/msg/HighLevelControlCommand",
    "vehicle": "vdsim_msgs/msg/VehicleControlCommand",
    "raw": "vdsim_msgs/msg/RawControlCommand",
}
"""By control_command."""
INTERFACE_TYPES = frozenset(TYPE_OF_LEVEL.values())
"""Commands of the vehicle interface itself: a node that subscribes to one is the interface, or
stands in front of it."""
CONTROL_TYPE = "autoware_control_msgs/msg/Control"
PEDAL_TYPES = frozenset(
    {
        "tier4_vehicle_msgs/msg/ActuationCommandStamped",
        "autoware_vehicle_msgs/msg/ActuationCommandStamped",
    }
)
AUTOWARE_TYPES = PEDAL_TYPES | {CONTROL_TYPE}
"""Commands of Autoware, for its adapter and for a planning simulator."""
GEAR_COMMAND_TYPE = "autoware_vehicle_msgs/msg/GearCommand"
GEAR_REPORT_TYPE = "autoware_vehicle_msgs/msg/GearReport"
GEAR_TYPES = frozenset({GEAR_COMMAND_TYPE, GEAR_REPORT_TYPE})
COMMAND_TYPES = (
    INTERFACE_TYPES
    | AUTOWARE_TYPES
    | {
        "geometry_msgs/msg/Twist",
        "geometry_msgs/msg/TwistStamped",
        "ackermann_msgs/msg/AckermannDrive",
        "ackermann_msgs/msg/AckermannDriveStamped",
    }
)
"""Types of the messages that drive the car, of the interface and of its adapters."""
MOTION_REPORT_TYPES = frozenset({"autoware_vehicle_msgs/msg/VelocityReport"})
"""What only a vehicle publishes: a node that subscribes to commands and publishes one is the
interface, such as a planning simulator, which has no command of `INTERFACE_TYPES`."""


STATUS_TYPE = "vdsim_msgs/msg/SafetyStatus"
"""Only a vehicle interface publishes one."""


_OBSERVERS = (
    *("_", "vdsim_doctor", "vdsim_record", "vdsim_why"),
    *("foxglove_bridge", "plotjuggler", "rosbag2_", "rqt", "rviz"),
)
"""Beginnings of the names of nodes that only look; `ros2 topic` hides its own by an underscore."""


def is_observer(node: str) -> bool:
    """Whether a node records or shows what others exchange: it is neither a vehicle nor a peer."""
    return node.rpartition("/")[2].startswith(_OBSERVERS)


class Side(Enum):
    """Which end of a topic."""

    PUBLISHER = "publishes"
    SUBSCRIPTION = "subscribes to"


class Qos(NamedTuple):
    """What an end offers or requests; an empty word is not known. Times in seconds, 0: none."""

    reliability: str = "RELIABLE"
    durability: str = "VOLATILE"
    deadline_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One end of a topic; `type_hash` is empty where the peer does not announce one."""

    node: str
    topic: str
    type_name: str
    side: Side
    qos: Qos = field(default_factory=Qos)
    type_hash: str = ""
    gid: bytes = b""

    @property
    def label(self) -> str:
        """The node, or what it is without a name."""
        return self.node or "a program without a ROS name"


@dataclass(frozen=True, kw_only=True)
class Received:
    """What arrived on one topic within `window_s`; ages at receipt, by the clock of the checks."""

    topic: str
    count: int
    window_s: float
    oldest_s: float = 0.0
    newest_s: float = 0.0
    has_stamps: bool = False
    unstamped: int = 0
    """Messages whose stamp is all zero."""
    gear: int | None = None
    """The last gear, of GearCommand and GearReport."""
    wants_motion: bool = False
    """Whether a command asked for speed or acceleration."""
    back_s: float = 0.0
    """The largest step back of the time in /clock."""

    @property
    def rate_hz(self) -> float:
        """Mean rate of arrival [Hz]."""
        return self.count / self.window_s if self.window_s > 0.0 else 0.0


class StackSeen(NamedTuple):
    """What Autoware says of itself, where it does; None: it was not heard."""

    is_autonomous_available: bool | None = None
    """Of /api/operation_mode/state."""
    is_gate_paused: bool | None = None
    """Of /control/vehicle_cmd_gate/is_paused."""
    waits_for_start: bool | None = None
    """Whether /api/motion/state is STARTING: it waits for accept_start."""


class Reason(NamedTuple):
    """One line of /diagnostics that is not OK."""

    name: str
    severity: Severity
    text: str


@dataclass(frozen=True, kw_only=True)
class Network:
    """Where nodes are searched, and the UDP ports that this machine has open."""

    domain_id: int = 0
    discovery_range: str = "SUBNET"
    udp_ports: frozenset[int] = frozenset()
    wildcard_ports: frozenset[int] = frozenset()
    """Those of them that are open on all addresses."""


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """The graph at one moment, without the observer's own ends."""

    endpoints: tuple[Endpoint, ...] = ()
    network: Network = field(default_factory=Network)
    own_gid: bytes = b""
    """GID of an end of the observer: which middleware reads the graph."""
    own_hashes: Mapping[str, str] = field(default_factory=dict)
    """Type hashes of the messages that are installed here, by type name."""
    received: tuple[Received, ...] = ()
    reasons: tuple[Reason, ...] = ()
    stack: StackSeen = field(default_factory=StackSeen)
    evidence: tuple[Evidence, ...] = ()
    """What each vehicle interface itself says, for `vdsim_protocol.why`."""
    levels: Mapping[str, str] = field(default_factory=dict)
    """By node the control_command of an interface that was asked for it."""

    def ends(self, side: Side, topic: str | None = None) -> tuple[Endpoint, ...]:
        """Publishers or subscriptions, of one topic or of all."""
        return tuple(
            end
            for end in self.endpoints
            if end.side is side and (topic is None or end.topic == topic)
        )

    @property
    def topics(self) -> tuple[str, ...]:
        """Every topic, sorted."""
        return tuple(sorted({end.topic for end in self.endpoints}))

    @property
    def interfaces(self) -> Mapping[str, tuple[str, ...]]:
        """By namespace the nodes that publish the status of an interface: one, if all is well."""
        found: dict[str, list[str]] = {}
        for end in self.ends(Side.PUBLISHER):
            if end.type_name == STATUS_TYPE:
                found.setdefault(end.topic.rpartition("/")[0], []).append(end.label)
        return {name: tuple(sorted(nodes)) for name, nodes in sorted(found.items())}

    @property
    def vehicle_nodes(self) -> frozenset[str]:
        """The interface, and the adapters and multiplexers in front of it."""
        subscribers = self.ends(Side.SUBSCRIPTION)
        own = {end.node for end in subscribers if end.type_name in INTERFACE_TYPES}
        feeding = {
            end.node
            for end in self.ends(Side.PUBLISHER)
            if end.type_name in INTERFACE_TYPES | MOTION_REPORT_TYPES
        }
        adapting = {end.node for end in subscribers if end.type_name in COMMAND_TYPES}
        return frozenset(own | (feeding & adapting))

    @property
    def inputs(self) -> tuple[Endpoint, ...]:
        """The subscriptions of the vehicle's nodes to commands.

        A Twist is a command only to an adapter, which publishes the interface's commands: to a
        simulator it is the speed to start from.
        """
        vehicle = self.vehicle_nodes
        publishers = self.ends(Side.PUBLISHER)
        adapters = {end.node for end in publishers if end.type_name in INTERFACE_TYPES}
        return tuple(
            end
            for end in self.ends(Side.SUBSCRIPTION)
            if end.node in vehicle
            and end.type_name in COMMAND_TYPES
            and (end.node in adapters or end.type_name in INTERFACE_TYPES | AUTOWARE_TYPES)
        )


class Finding(NamedTuple):
    """What does not fit, and what to do about it."""

    kind: str
    severity: Severity
    what: str
    cure: str

    @property
    def sentence(self) -> str:
        """Both, in one line."""
        return f"{self.what}: {self.cure}"
