"""A node that looks at the graph and receives what drives the car, for some seconds."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from vdsim_protocol.why.steps import Step

from vdsim_interface.extras.doctor.ros.ends import ends_of, installed_hashes
from vdsim_interface.extras.doctor.ros.hearing import Hearing
from vdsim_interface.extras.doctor.ros.udp_ports import open_ports
from vdsim_interface.extras.doctor.snapshot import (
    COMMAND_TYPES,
    GEAR_REPORT_TYPE,
    GEAR_TYPES,
    Endpoint,
    Network,
    Reason,
    Received,
    Side,
    Snapshot,
    StackSeen,
)
from vdsim_interface.ros import topics
from vdsim_interface.ros.process.checked_node import PrivateNode
from vdsim_interface.values import Severity

_NANOSECONDS = 1e-9
_POLL_S = 0.02
_QUIET_S = 1.0
"""A graph that has not changed for this time is complete [s]."""
_SEVERITIES = {b"\x00": Severity.INFO, b"\x01": Severity.WARN}
# A best-effort subscription is matched by every publisher.
_ANY_QOS = QoSProfile(depth=50, reliability=ReliabilityPolicy.BEST_EFFORT)
_LATCHED_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_CLOCK_TYPE = "rosgraph_msgs/msg/Clock"
_STARTING = 2
"""MotionState.STARTING."""
_STACK: Mapping[tuple[str, str], Callable[[Any], dict[str, bool]]] = {
    ("/api/operation_mode/state", "autoware_adapi_v1_msgs/msg/OperationModeState"): (
        lambda message: {"is_autonomous_available": bool(message.is_autonomous_mode_available)}
    ),
    ("/control/vehicle_cmd_gate/is_paused", "tier4_control_msgs/msg/IsPaused"): (
        lambda message: {"is_gate_paused": bool(message.data)}
    ),
    ("/api/motion/state", "autoware_adapi_v1_msgs/msg/MotionState"): (
        lambda message: {"waits_for_start": message.state == _STARTING}
    ),
}
"""Topics by which Autoware says whether it lets the car drive, and what each says."""
_REPORTS = frozenset({"nav_msgs/msg/Odometry"})
"""Types of the vehicle's reports whose stamps are checked."""


@dataclass
class _Arrivals:
    """What arrived on one topic: how often, and the ages of the stamps [s]."""

    count: int = 0
    ages_s: list[float] = field(default_factory=list)
    unstamped: int = 0
    gear: int | None = None
    wants_motion: bool = False
    clock_s: float = -math.inf
    back_s: float = 0.0


def _stamp_of(message: Any) -> Any:
    header = getattr(message, "header", None)
    return getattr(message, "stamp", None) if header is None else header.stamp


def _installed(type_name: str) -> Any:
    """The class of a message; None where its package is not installed here."""
    try:
        package, _, name = type_name.split("/")
        return getattr(import_module(f"{package}.msg"), name)
    except (AttributeError, ImportError, ValueError):
        return None


class Observer:
    """The doctor's own node. It publishes nothing and has no service."""

    def __init__(self) -> None:
        self.node = PrivateNode(f"vdsim_doctor_{os.getpid()}", enable_rosout=False)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._arrivals: dict[str, _Arrivals] = {}
        self._reasons: dict[str, Reason] = {}
        self._window_s = 0.0
        self._hearings: dict[str, Hearing] = {}
        self._stack = StackSeen()
        self.node.create_subscription(
            DiagnosticArray, topics.DIAGNOSTICS, self._on_diagnostics, _ANY_QOS
        )

    def close(self) -> None:
        """End the node."""
        self._executor.shutdown()
        self.node.destroy_node()

    @property
    def executor(self) -> SingleThreadedExecutor:
        """For who calls a service by the node."""
        return self._executor

    def settle(self, longest_s: float) -> None:
        """Wait until the graph has not changed for a while, `longest_s` at most."""
        start = changed = time.monotonic()
        known: object = None
        while (now := time.monotonic()) - start < longest_s:
            seen = self._ends()
            if seen != known:
                known, changed = seen, now
            elif now - changed > _QUIET_S:
                return
            self._executor.spin_once(timeout_sec=_POLL_S)

    def receive(self, window_s: float) -> None:
        """Receive commands and reports for this time."""
        for topic, type_name in self._watched().items():
            kind = _installed(type_name)
            if kind is None:
                continue  # the checks of names and QoS need no message
            arrivals = self._arrivals.setdefault(topic, _Arrivals())
            callback = partial(self._on_message, arrivals)
            qos = _LATCHED_QOS if type_name == GEAR_REPORT_TYPE else _ANY_QOS
            if qos is _LATCHED_QOS and not self._is_latched(topic):
                qos = _ANY_QOS
            self.node.create_subscription(kind, topic, callback, qos)
        self._hear_stack()
        for namespace in Snapshot(endpoints=tuple(self._ends())).interfaces:
            self._hearings.setdefault(namespace, Hearing(self.node, namespace))
        start = time.monotonic()
        while (passed := time.monotonic() - start) < window_s:
            self._executor.spin_once(timeout_sec=_POLL_S)
        self._window_s = passed

    def steps(self) -> tuple[tuple[Step, ...], ...]:
        """The way of a command through each interface, in the order of the evidence."""
        return tuple(each.steps() for each in self._hearings.values())

    def snapshot(self, environ: Mapping[str, str]) -> Snapshot:
        """Everything that was seen."""
        ends = self._ends()
        opened = open_ports()
        network = Network(
            domain_id=int(environ.get("ROS_DOMAIN_ID") or 0),
            discovery_range=environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE") or "SUBNET",
            udp_ports=opened.ports,
            wildcard_ports=opened.on_all_addresses,
        )
        return Snapshot(
            endpoints=tuple(ends),
            network=network,
            own_gid=self._own_gid(),
            own_hashes=installed_hashes(COMMAND_TYPES),
            received=tuple(self._received(topic) for topic in sorted(self._arrivals)),
            reasons=self._reasons_of({end.node for end in ends}),
            stack=self._stack,
            evidence=tuple(each.evidence() for each in self._hearings.values()),
        )

    def _reasons_of(self, nodes: set[str]) -> tuple[Reason, ...]:
        """The lines of nodes that are still there; a line without the name of a node counts."""
        return tuple(
            reason
            for reason in self._reasons.values()
            if (node := reason.name.partition(": ")[0]) in nodes or not node.startswith("/")
        )

    # ---- inside ----------------------------------------------------------------------------------

    def _ends(self) -> list[Endpoint]:
        own = self.node.get_fully_qualified_name()
        return [
            end
            for topic, _ in self.node.get_topic_names_and_types()
            for end in ends_of(self.node, topic)
            if end.node != own
        ]

    def _own_gid(self) -> bytes:
        own = self.node.get_fully_qualified_name()
        ends = ends_of(self.node, topics.DIAGNOSTICS)
        return next((end.gid for end in ends if end.node == own), b"")

    def _is_latched(self, topic: str) -> bool:
        """Whether all publishers of a topic keep their last message for late subscriptions."""
        return all(
            end.qos.durability == "TRANSIENT_LOCAL"
            for end in ends_of(self.node, topic)
            if end.side is Side.PUBLISHER
        )

    def _watched(self) -> dict[str, str]:
        graph = Snapshot(endpoints=tuple(self._ends()))
        reports = {
            end.topic: end.type_name
            for end in graph.ends(Side.PUBLISHER)
            if end.node in graph.vehicle_nodes and end.type_name in _REPORTS
        }
        gears = {
            end.topic: end.type_name
            for end in graph.endpoints
            if end.node in graph.vehicle_nodes and end.type_name in GEAR_TYPES
        }
        clocks = {
            end.topic: end.type_name
            for end in graph.ends(Side.PUBLISHER)
            if end.type_name == _CLOCK_TYPE
        }
        commands = {end.topic: end.type_name for end in graph.inputs}
        return {**commands, **gears, **reports, **clocks}

    def _hear_stack(self) -> None:
        """Hear what Autoware says of itself, where it does and its messages are installed."""
        published = {
            (end.topic, end.type_name) for end in self._ends() if end.side is Side.PUBLISHER
        }
        for (topic, type_name), says in _STACK.items():
            kind = _installed(type_name) if (topic, type_name) in published else None
            if kind is not None:
                callback = partial(self._on_stack, says)
                self.node.create_subscription(kind, topic, callback, _LATCHED_QOS)

    def _on_stack(self, says: Callable[[Any], dict[str, bool]], message: Any) -> None:
        self._stack = self._stack._replace(**says(message))

    def _on_message(self, arrivals: _Arrivals, message: Any) -> None:
        arrivals.count += 1
        clock = getattr(message, "clock", None)
        if clock is not None:
            now_s = clock.sec + clock.nanosec * _NANOSECONDS
            arrivals.back_s = max(arrivals.back_s, arrivals.clock_s - now_s)
            arrivals.clock_s = now_s
        gear = getattr(message, "command", getattr(message, "report", None))
        arrivals.gear = gear if isinstance(gear, int) else arrivals.gear
        motion = getattr(message, "longitudinal", None)
        if motion is not None and (motion.velocity or motion.acceleration > 0.0):
            arrivals.wants_motion = True
        stamp = _stamp_of(message)
        if stamp is None:
            return
        if stamp.sec == 0 and stamp.nanosec == 0:
            arrivals.unstamped += 1
            return
        now_s = self.node.get_clock().now().nanoseconds * _NANOSECONDS
        arrivals.ages_s.append(now_s - (stamp.sec + stamp.nanosec * _NANOSECONDS))

    def _received(self, topic: str) -> Received:
        arrivals = self._arrivals[topic]
        ages_s = arrivals.ages_s
        return Received(
            topic=topic,
            count=arrivals.count,
            window_s=self._window_s,
            oldest_s=max(ages_s, default=0.0),
            newest_s=min(ages_s, default=0.0),
            has_stamps=bool(ages_s),
            unstamped=arrivals.unstamped,
            gear=arrivals.gear,
            wants_motion=arrivals.wants_motion,
            back_s=arrivals.back_s,
        )

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            severity = _SEVERITIES.get(status.level, Severity.ERROR)
            self._reasons.pop(status.name, None)
            if severity is not Severity.INFO:
                self._reasons[status.name] = Reason(status.name, severity, status.message)
