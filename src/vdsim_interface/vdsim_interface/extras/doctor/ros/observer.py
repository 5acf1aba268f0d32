"""A node that looks at the graph and receives what drives the car, for some seconds."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from vdsim_protocol.why.steps import Step

from vdsim_interface.extras.doctor.arrivals import (
    LATCHED_TYPES,
    Arrivals,
    Diagnosed,
    stack_says,
    stack_topics,
    watched,
)
from vdsim_interface.extras.doctor.ros.ends import ends_of, installed_hashes, installed_type
from vdsim_interface.extras.doctor.ros.hearing import PLANT, Hearing
from vdsim_interface.extras.doctor.ros.udp_ports import network_of
from vdsim_interface.extras.doctor.snapshot import (
    COMMAND_TYPES,
    Endpoint,
    Side,
    Snapshot,
    StackSeen,
)
from vdsim_interface.ros import topics
from vdsim_interface.ros.process.checked_node import PrivateNode

_POLL_S = 0.02
_QUIET_S = 1.0
"""A graph that has not changed for this time is complete [s]."""
# A best-effort subscription is matched by every publisher.
_ANY_QOS = QoSProfile(depth=50, reliability=ReliabilityPolicy.BEST_EFFORT)
_LATCHED_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_NANOSECONDS = 1e-9


class Observer:
    """The doctor's own node. It publishes nothing and has no service."""

    def __init__(self) -> None:
        self.node = PrivateNode(f"vdsim_doctor_{os.getpid()}", enable_rosout=False)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._arrivals: dict[str, Arrivals] = {}
        self._diagnosed = Diagnosed()
        self._window_s = 0.0
        self._hearings: dict[str, Hearing] = {}
        self._stack = StackSeen()
        self.node.create_subscription(
            DiagnosticArray, topics.DIAGNOSTICS, self._diagnosed.take, _ANY_QOS
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
        ends = self._ends()
        for topic, type_name in watched(ends).items():
            kind = installed_type(type_name)
            if kind is None:
                continue  # the checks of names and QoS need no message
            arrivals = self._arrivals.setdefault(topic, Arrivals())
            callback = partial(self._on_message, arrivals)
            qos = _LATCHED_QOS if type_name in LATCHED_TYPES else _ANY_QOS
            if qos is _LATCHED_QOS and not self._is_latched(topic):
                qos = _ANY_QOS
            self.node.create_subscription(kind, topic, callback, qos)
        self._hear_stack(ends)
        for namespace, (interface, *_) in Snapshot(endpoints=tuple(ends)).interfaces.items():
            if namespace not in self._hearings:
                self._hearings[namespace] = Hearing(self.node, namespace, interface)
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
        return Snapshot(
            endpoints=tuple(ends),
            network=network_of(environ),
            own_gid=self._own_gid(),
            own_hashes=installed_hashes(COMMAND_TYPES),
            received=tuple(
                self._arrivals[topic].received(topic, self._window_s)
                for topic in sorted(self._arrivals)
            ),
            reasons=self._diagnosed.reasons(end.node for end in ends),
            stack=self._stack,
            evidence=tuple(
                each.evidence(is_paused=self._diagnosed.is_paused(PLANT))
                for each in self._hearings.values()
            ),
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

    def _hear_stack(self, ends: list[Endpoint]) -> None:
        """Subscribe to Autoware's own status, if it is published and its messages are installed."""
        for topic, type_name in stack_topics(ends).items():
            kind = installed_type(type_name)
            if kind is not None:
                callback = partial(self._on_stack, topic, type_name)
                self.node.create_subscription(kind, topic, callback, _LATCHED_QOS)

    def _on_stack(self, topic: str, type_name: str, message: Any) -> None:
        self._stack = stack_says(self._stack, topic, type_name, message)

    def _on_message(self, arrivals: Arrivals, message: Any) -> None:
        arrivals.take(message, self.node.get_clock().now().nanoseconds * _NANOSECONDS)
