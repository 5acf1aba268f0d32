"""Plays the drive on a ROS graph and records what arrives."""

from __future__ import annotations

import math
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from autoware_vehicle_msgs.srv import ControlModeCommand
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.conductor import (
    Action,
    Call,
    Conductor,
    Join,
    Options,
    Publish,
)
from vdsim_autoware.conformance.record import Alarm, Arrival, Endpoint, Record
from vdsim_autoware.conformance.ros import messages
from vdsim_autoware.conformance.scenes import to_rest, whole_drive

_POLL_S = 0.004
_QUIET_S = 2.0
_DEPTH = 100
_NANO = 1e-9
_RELIABLE, _BEST_EFFORT = ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT
_LATCHED, _VOLATILE = DurabilityPolicy.TRANSIENT_LOCAL, DurabilityPolicy.VOLATILE


class Driver:
    """Autoware's side, as a node of its own. `commands`: how to provoke and to end each cause."""

    def __init__(
        self,
        namespace: str,
        options: Options,
        commands: Mapping[tuple[str, bool], str],
    ) -> None:
        self._prefix = namespace.rstrip("/")
        self._node = Node(
            f"autoware_conformance_{os.getpid()}",
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._commands = commands
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._calls: dict[str, Any] = {}
        self.record, self.options = Record(), options
        self._conductor = Conductor(self.record, options, whole_drive)
        self._publishers = {}
        for topic, kind in messages.COMMANDS.items():
            if topic in (names.MANUAL_CONTROL, names.MANUAL_GEAR) and not options.by_hand:
                continue
            # A latched publisher is matched by latched and by volatile subscriptions.
            durability = _VOLATILE if topic in messages.CONTROLS else _LATCHED
            qos = QoSProfile(depth=1, reliability=_RELIABLE, durability=durability)
            self._publishers[topic] = self._node.create_publisher(kind, self._name(topic), qos)
        self._client = self._node.create_client(ControlModeCommand, self._name(names.REQUEST))
        listen = self._node.create_subscription
        qos = QoSProfile(depth=_DEPTH, reliability=_BEST_EFFORT)
        listen(DiagnosticArray, "/diagnostics", self._on_diagnostics, qos)

    def close(self) -> None:
        """End the node, and what still runs of the caller's commands."""
        for process in self._running.values():
            process.terminate()
        self._executor.shutdown()
        self._node.destroy_node()

    def _name(self, topic: str) -> str:
        return f"{self._prefix}{topic}"

    # ---- the drive -------------------------------------------------------------------------------

    def discover(self, longest_s: float, stopped: Callable[[], bool]) -> None:
        """Wait until the graph has every end and does not change; then subscribe as it offers."""
        begin_s = changed_s = time.monotonic()
        known: tuple[Endpoint, ...] = ()
        while (now := time.monotonic()) - begin_s < longest_s and not stopped():
            seen = self._endpoints()
            if seen != known:
                known, changed_s = seen, now
            complete = {end.topic for end in seen} >= {page.topic for page in names.PAGES}
            if complete and now - changed_s > _QUIET_S:
                break
            self._executor.spin_once(timeout_sec=_POLL_S)
        self.record.endpoints = known
        for page in names.STATUSES:
            self._subscribe(page.topic, partial(self._on_status, page.topic))

    def run(self, stopped: Callable[[], bool]) -> bool:
        """Drive; False when `stopped` has ended it. The car stands in PARK at the end."""
        self._play(self._conductor, stopped)
        if self._conductor.is_done:
            return True
        self._conductor = Conductor(self.record, self.options, to_rest)
        self._play(self._conductor, lambda: False)
        return False

    def _play(self, conductor: Conductor, stopped: Callable[[], bool]) -> None:
        while not conductor.is_done and not stopped():
            self._executor.spin_once(timeout_sec=_POLL_S)
            self._see_ended(conductor)
            for action in conductor.step(time.monotonic()):
                self._do(action)

    def _do(self, action: Action) -> None:
        if isinstance(action, Publish):
            clock_ns = self._node.get_clock().now().nanoseconds
            stamp = messages.to_time(clock_ns + int(action.stamp_offset_s * 1e9))
            message = messages.command(action.topic, action.values, stamp)
            self._publishers[action.topic].publish(message)
        elif isinstance(action, Call):
            self._call(action)
        elif isinstance(action, Join):
            self._conductor.joined(action.topic, False)
            joined = partial(self._on_joined, action.topic)
            self._subscribe(action.topic, joined)
        else:
            self._start(action.cause, action.begins)

    def _call(self, action: Call) -> None:
        stamp = self._node.get_clock().now().to_msg()
        future = self._client.call_async(ControlModeCommand.Request(stamp=stamp, mode=action.mode))
        self._calls[action.name] = future

        def on_answer(done: Any) -> None:
            answer = bool(done.result().success)
            if self._calls.get(action.name) is done:  # not one that came too late
                self._conductor.answered(action.name, action.mode, answer)

        future.add_done_callback(on_answer)

    # ---- causes ----------------------------------------------------------------------------------

    def _start(self, cause: str, begins: bool) -> None:
        text = self._commands.get((cause, begins), "true")
        self._running[cause] = subprocess.Popen(text, shell=True)  # the caller's own command

    def _see_ended(self, conductor: Conductor) -> None:
        for cause, process in list(self._running.items()):
            if (code := process.poll()) is not None:
                del self._running[cause]
                conductor.provoked(cause, code)

    # ---- what arrives ----------------------------------------------------------------------------

    def _subscribe(self, topic: str, callback: Callable[[Any], None]) -> None:
        ends = self.record.ends(topic, names.PUBLISHER)
        loose = any(end.reliability == names.BEST_EFFORT for end in ends)
        latched = ends and all(end.durability == names.TRANSIENT_LOCAL for end in ends)
        qos = QoSProfile(
            depth=_DEPTH,
            reliability=_BEST_EFFORT if loose else _RELIABLE,
            durability=_LATCHED if latched else _VOLATILE,
        )
        self._node.create_subscription(messages.STATUSES[topic], self._name(topic), callback, qos)

    def _on_status(self, topic: str, message: Any) -> None:
        values, stamp_ns = messages.status(topic, message)
        clock_ns = self._node.get_clock().now().nanoseconds
        age_s = (clock_ns - stamp_ns) * _NANO if stamp_ns else math.nan
        arrival = Arrival(time.monotonic(), topic, values, stamp_ns * _NANO, age_s)
        self.record.arrived(arrival)

    def _on_joined(self, topic: str, _message: Any) -> None:
        self._conductor.joined(topic, True)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        now = time.monotonic()
        for line in message.status:
            level = int.from_bytes(line.level, "little")
            self.record.alarmed(Alarm(now, line.name, level, line.message))

    def _endpoints(self) -> tuple[Endpoint, ...]:
        node, own = self._node, self._node.get_name()
        found = set()
        for page in names.PAGES:
            name = self._name(page.topic)
            if page.end == names.SERVICE:
                kinds = dict(node.get_service_names_and_types()).get(name, [])
                served = self._client.service_is_ready() or page.type_name not in kinds
                found |= {Endpoint(page.topic, page.end, kind) for kind in kinds if served}
                continue
            infos = node.get_publishers_info_by_topic
            if page.end == names.SUBSCRIPTION:
                infos = node.get_subscriptions_info_by_topic
            for info in infos(name):
                if info.node_name != own:
                    qos = info.qos_profile
                    words = qos.reliability.name.lower(), qos.durability.name.lower()
                    found.add(Endpoint(page.topic, page.end, info.topic_type, *words))
        return tuple(sorted(found))
