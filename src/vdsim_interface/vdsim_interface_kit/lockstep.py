"""The interface's real nodes in virtual time, one period after the other, without middleware.

Topics, time and the socket are the test's own. A message passes as the bytes that it is on its way
between processes, so every float has the message's precision. All that a period causes arrives
within it: what is left to differ between compositions is what the nodes make of it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.serialization import deserialize_message, serialize_message
from vdsim_interface.extras.stages.nodes import (
    low_pass_filter,
    platform_interface,
    safety_state_machine,
    velocity_controller,
)
from vdsim_interface.guard import link
from vdsim_interface.nodes import guarded_interface, vehicle_interface
from vdsim_interface.pipeline import rounds
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.spec import Address, Datagram
from vdsim_interface.platforms.vds1.contract_peer import Peer
from vdsim_interface.ros import stage_node, topics, vehicle_port
from vdsim_interface.ros.messages.message_info import with_info
from vdsim_interface.ros.ros_time import SimulatedTime
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.values import SafetyStatus

from vdsim_interface_kit.lockstep_guard import GuardStage
from vdsim_msgs.msg import CommandTrace
from vdsim_msgs.srv import ChangeMode
from vdsim_protocol import vds1

PERIOD_S = 0.01
SENT_NOW = {"source_timestamp": 0, "received_timestamp": 0}
"""Without middleware no message has waited."""
BEGIN_S = 1000.0
COMPOSITIONS: dict[str, tuple[type[StageNode], ...]] = {
    "single": (vehicle_interface.VehicleInterface,),
    "guarded": (guarded_interface.GuardedInterface,),
    "stages": (
        velocity_controller.VelocityControllerNode,
        low_pass_filter.LowPassFilterNode,
        safety_state_machine.SafetyStateMachineNode,
        platform_interface.PlatformInterfaceNode,
    ),
}
"""The nodes of each, in the order of the command's way."""


class Bus:
    """Topics by name: every subscriber has received a message when `publish` returns."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[tuple[type, Callable[[Any], None]]]] = defaultdict(list)

    def listen(self, kind: type, topic: str, callback: Callable[[Any], None]) -> None:
        """Subscribe."""
        self._listeners[topic].append((kind, callback))

    def publish(self, topic: str, message: Any) -> None:
        """Deliver to every subscriber, each with its own copy of the message."""
        data = serialize_message(message)
        for kind, callback in self._listeners[topic]:
            received = deserialize_message(data, kind)
            if isinstance(callback, with_info):
                callback(received, SENT_NOW)
            else:
                callback(received)

    def move(self, topic: str, other: str, owners: list[Any]) -> None:
        """Let these nodes' subscriptions receive another topic instead."""
        moved = [each for each in self._listeners[topic] if _owner(each[1]) in owners]
        for each in moved:
            self._listeners[topic].remove(each)
        self._listeners[other] += moved

    def hang_up(self) -> None:
        """Remove all subscribers."""
        self._listeners.clear()

    def listeners_n(self, topic: str) -> int:
        """How many listen."""
        return len(self._listeners[topic])


def _owner(callback: Any) -> object:
    """The node whose method a callback is; bound by functools.partial or not."""
    while hasattr(callback, "func"):
        callback = callback.func
    return getattr(callback, "__self__", None)


class Publisher:
    """One node's end of a topic."""

    def __init__(self, bus: Bus, topic: str) -> None:
        self._bus = bus
        self._topic = topic

    def publish(self, message: Any) -> None:
        """Publish a message."""
        self._bus.publish(self._topic, message)

    def get_subscription_count(self) -> int:
        """How many listen."""
        return self._bus.listeners_n(self._topic)


class Lockstep:
    """A schedule of which every poll is a tick, and nothing else is."""

    def __init__(self, period_s: float) -> None:
        assert period_s == PERIOD_S

    def on_arrival(self, now: float) -> bool:
        """Commands wait for the tick of their period."""
        return False

    def on_poll(self, now: float) -> bool:
        """Every poll."""
        return True

    def on_tick(self, now: float) -> None:
        """Nothing to remember."""


class Car:
    """A car that applies the packets, and the sockets connected to it.

    `claimed_mps`: the speed that it reports instead of its own; None: the truth.
    """

    def __init__(self) -> None:
        self.claimed_mps: float | None = None
        self.commands: list[vds1.Command] = []
        self._peer = Peer()
        self._wire: vds1.Command | None = None
        self._speed_mps = self._angle_rad = 0.0
        self._waiting: list[tuple[bytes, Address, str]] = []

    def move(self, now: float) -> None:
        """Apply the packet for one period (none: a driver brakes), then report."""
        wire, self._wire = self._wire, None
        drive_mps2, brake_mps2 = 0.0, 3.0
        if wire is not None:
            drive_mps2, brake_mps2 = 4.0 * wire.throttle * wire.gear, 8.0 * wire.brake + 0.2
            self._angle_rad += 0.3 * (wire.steering_tire_angle_rad - self._angle_rad)
        stopped_mps = min(brake_mps2 * PERIOD_S, abs(self._speed_mps))
        self._speed_mps += drive_mps2 * PERIOD_S - math.copysign(stopped_mps, self._speed_mps)
        speed_mps = self._speed_mps if self.claimed_mps is None else self.claimed_mps
        reports = self._peer.report(PeerMotion(speed_mps, self._angle_rad), now)
        self._waiting += [
            (datagram.data, source, datagram.endpoint) for datagram, source in reports
        ]

    def drain(self, now: float) -> Iterator[tuple[bytes, Address, str]]:
        """What has arrived."""
        del now
        while self._waiting:
            yield self._waiting.pop(0)

    def send(self, datagrams: tuple[Datagram, ...]) -> None:
        """Take packets."""
        for datagram in datagrams:
            packet = vds1.decode(datagram.data)
            assert isinstance(packet, vds1.Packet)
            assert isinstance(packet.body, vds1.Command)
            self._wire = packet.body
            self.commands.append(packet.body)

    def take_notices(self) -> tuple[()]:
        """No trouble."""
        return ()

    def bound(self) -> dict[str, Address]:
        """No socket."""
        return {}

    def close(self) -> None:
        """Nothing to close."""


class Composition:
    """A composition's nodes and its car. Needs an rclpy context, which is never spun.

    `is_traced`: whether `traces` is subscribed. To make and carry the trace of each period takes
    more time than all the rest of it.
    """

    def __init__(
        self,
        name: str,
        monkeypatch: pytest.MonkeyPatch,
        ros_time_of: Callable[[Any], Any] = lambda node: SimulatedTime(),
        *,
        is_traced: bool = False,
    ) -> None:
        self.bus, self.car, self.now = Bus(), Car(), BEGIN_S
        self.traces: list[CommandTrace] = []
        self.answers: list[bool] = []
        self.status: SafetyStatus | None = None
        self.lines: dict[str, DiagnosticStatus] = {}
        bus = self.bus

        def listen(
            node: StageNode,
            kind: type,
            topic: str,
            callback: Callable[[Any], None],
            qos: object,
            **options: Any,
        ) -> None:
            bus.listen(kind, topic, callback)

        monkeypatch.setattr(StageNode, "now", lambda node: self.now)
        monkeypatch.setattr(stage_node, "ros_time_of", ros_time_of)
        monkeypatch.setattr(StageNode, "create_checked_subscription", listen)
        monkeypatch.setattr(
            StageNode,
            "create_checked_publisher",
            lambda node, kind, topic, qos: Publisher(bus, topic),
        )
        monkeypatch.setattr(rounds, "TickSchedule", Lockstep)
        monkeypatch.setattr(vehicle_port, "Endpoints", lambda endpoints: self.car)
        if name == "guarded":
            guard = GuardStage(self.car, lambda: self.now)
            monkeypatch.setattr(link, "connect", guard.connect)
        self.nodes: list[Any] = [kind() for kind in COMPOSITIONS[name]]
        if name == "guarded":
            guard.shell = self.nodes[0]
            self.nodes.append(guard)
        for node in self.nodes:
            node.start()
        # Discard what was sent before every node had started.
        self.car.commands.clear()
        if is_traced:
            bus.listen(CommandTrace, topics.COMMAND_TRACE, self.traces.append)

    def select_by_safety_stage(self) -> None:
        """As the launch file does: the stages before it receive what safety_state_machine selects.

        The stack's own topics reach that node alone.
        """
        bus, before = self.bus, self.nodes[:2]
        for topic in (topics.HIGH_LEVEL_COMMAND, topics.VEHICLE_COMMAND):
            bus.move(topic, f"{topics.SELECTED}/{topic}", before)

    def period(self, *messages: tuple[str, Any]) -> None:
        """One period in which the car reports, then the stack publishes messages."""
        self.now += PERIOD_S
        self.car.move(self.now)
        *_, last = self.nodes
        last.poll(self.now)
        if isinstance(last, platform_interface.PlatformInterfaceNode):
            # Published in the tick, the motion would reach the controller one period late.
            last.vehicle_port.vehicle.publish_motion(last.side.report)
        for topic, message in messages:
            if topic == topics.CHANGE_MODE:
                self._change_mode(message)
            else:
                self.bus.publish(topic, message)
        for node in self.nodes:
            node._on_poll()

    def _change_mode(self, request: ChangeMode.Request) -> None:
        [port] = [node.safety_port for node in self.nodes if hasattr(node, "safety_port")]
        self.answers.append(port.on_change_mode(request, ChangeMode.Response()).success)

    def close(self) -> None:
        """End all nodes."""
        self.bus.hang_up()
        for node in self.nodes:
            node.end()
            node.destroy_node()
