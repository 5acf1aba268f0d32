"""The vehicle interface behind the page: hears its topics, passes a person's requests on. Shell.

The names are those beside `joy_topic`: `/vehicle/dashboard/joy` is the page's own topic, so that
`/vehicle/safety_status`, `/vehicle/emergency_stop`, ... are the interface's. The trace is received
only while a page looks on, undecoded, and decoded when it is shown. So is the path that a stack
plans, `/vehicle/planned_path`, but it is received always: many are published once.
"""

# rclpy and the message packages carry no types.
# mypy: disable-error-code="import-untyped,no-untyped-call,attr-defined"

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from nav_msgs.msg import Path
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from std_msgs.msg import Bool
from std_srvs.srv import Trigger
from vdsim_protocol.why.heard import Heard
from vdsim_protocol.why.messages import body_of, in_control_of, status_of, way_of
from vdsim_protocol.why.typed import STARTER

from vdsim_msgs.msg import CommandTrace, ControlSource, SafetyStatus, VehicleStateReport
from vdsim_msgs.srv import ChangeMode
from vdsim_plant_node.interface.path import PlannedPath, planned
from vdsim_plant_node.interface.state import Json, StopRequest
from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.ros.joy_output import TOPIC

_PERIOD_S = 0.05
"""A stop that is not confirmed is published again after this time [s]."""
_WATCHED_S = 3.0
"""A page that has asked for nothing for this time does not look on any more [s]."""
_LARGEST_TRACE = 1 << 16
"""A longer one is none of the interface's [bytes]."""
_LARGEST_PATH = 1 << 18
"""About 3 000 poses; a longer path is named and not drawn [bytes]."""
_PATH_PERIOD_S = 0.5
"""A path is decoded at most this often: a long one takes some 10 ms [s]."""
_REPORT_QOS = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
_TRACE_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
_PATH_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
_STOP_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
_MODES = {
    "engage": ChangeMode.Request.REQUEST_ENGAGE,
    "disengage": ChangeMode.Request.REQUEST_DISENGAGE,
}


def namespace_beside(joy_topic: str) -> str:
    """The namespace of the interface that receives this Joy."""
    return joy_topic.removesuffix("/" + TOPIC) if joy_topic.endswith("/" + TOPIC) else ""


class InterfaceLink:
    """The interface of one vehicle. Its state is the executor's; a lock guards what pages read."""

    def __init__(self, node: Node, namespace: str) -> None:
        self._node = node
        prefix = f"{namespace}/" if namespace else ""
        self._trace_topic = f"{prefix}command_trace"
        self._trace: Any = None
        self._latest: bytes | None = None
        self._watched_s = -math.inf
        self._path_topic = node.resolve_topic_name(f"{prefix}planned_path")
        self._path: PlannedPath | None = None
        self._latest_path: bytes | None = None
        self._path_s = -math.inf
        self._lock = threading.Lock()
        resolved = node.resolve_topic_name(f"{prefix}safety_status").rpartition("/")[0]
        self._stopping = StopRequest()
        self._state = Heard(resolved, node.get_fully_qualified_name(), os.environ.get(STARTER, ""))
        self._stop = node.create_publisher(Bool, f"{prefix}emergency_stop", _STOP_QOS)
        self._change_mode = node.create_client(ChangeMode, f"{prefix}change_mode")
        self._give_back = node.create_client(Trigger, f"{prefix}give_back")
        for kind, name, take in (
            (SafetyStatus, "safety_status", self._on_status),
            (ControlSource, "control_source", self._on_control),
            (VehicleStateReport, "state_report", self._on_body),
        ):
            node.create_subscription(kind, prefix + name, take, _REPORT_QOS)
        node.create_subscription(Path, f"{prefix}planned_path", self._on_path, _PATH_QOS, raw=True)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        node.create_timer(_PERIOD_S, self._tick, clock=steady)

    # --- from the data port's thread

    def view(self, *, speed_mps: float, is_paused: bool) -> Json | None:
        """What is known of it, for a page that looks on from now."""
        now = time.monotonic()
        self._watched_s = now
        latest, self._latest = self._latest, None
        way = None if latest is None else way_of(deserialize_message(latest, CommandTrace))
        with self._lock:
            self._state.on_speed(speed_mps, now)
            if way is not None:
                self._state.on_way(way, now)
            return self._state.view(now, speed_mps=speed_mps, is_paused=is_paused)

    def path(self) -> PlannedPath | None:
        """The latest path, for as long as somebody publishes it."""
        now = time.monotonic()
        if now - self._path_s >= _PATH_PERIOD_S:
            self._path_s = now
            latest, self._latest_path = self._latest_path, None
            if latest is not None:
                self._path = _path_of(latest)
            elif self._path and self._node.count_publishers(self._path_topic) == 0:
                self._path = None
        return self._path

    def is_heard(self) -> bool:
        """Whether it publishes."""
        with self._lock:
            return self._state.is_heard(time.monotonic())

    def stop(self) -> bool:
        """Request an emergency stop, again until it is confirmed."""
        with self._lock:
            self._stopping.ask(time.monotonic())
        self._stop.publish(Bool(data=True))
        count: int = self._stop.get_subscription_count()
        return count > 0

    def request(self, wanted: str, answered: Callable[[bool, str], None]) -> None:
        """Call the service; the answer comes on the executor's thread."""
        client: Any
        message: Any
        if wanted == "give_back":
            client, message = self._give_back, Trigger.Request()
        else:
            client, message = self._change_mode, ChangeMode.Request(request=_MODES[wanted])
        if not client.service_is_ready():
            answered(False, f"nobody offers {client.srv_name}: is the vehicle interface running?")
            return

        def on_done(future: Any) -> None:
            answer = future.result()
            text = answer.message if wanted == "give_back" else answer.reason
            answered(bool(answer.success), str(text))

        client.call_async(message).add_done_callback(on_done)

    # --- on the executor's thread

    def _on_status(self, message: SafetyStatus) -> None:
        with self._lock:
            self._state.on_status(status_of(message), time.monotonic())

    def _on_control(self, message: ControlSource) -> None:
        with self._lock:
            self._state.on_control(in_control_of(message), time.monotonic())

    def _on_body(self, message: VehicleStateReport) -> None:
        with self._lock:
            self._state.on_body(body_of(message))

    def _on_trace(self, message: bytes) -> None:
        if len(message) <= _LARGEST_TRACE:
            self._latest = message

    def _on_path(self, message: bytes) -> None:
        self._latest_path = message

    def _tick(self) -> None:
        """Repeat a stop that nobody has confirmed; receive the trace while a page looks on."""
        now = time.monotonic()
        with self._lock:
            is_due = self._stopping.is_due(self._state.locks, now)
        if is_due:
            self._stop.publish(Bool(data=True))
        is_watched = now - self._watched_s <= _WATCHED_S
        if is_watched and self._trace is None:
            self._trace = self._node.create_subscription(
                CommandTrace, self._trace_topic, self._on_trace, _TRACE_QOS, raw=True
            )
        elif not is_watched and self._trace is not None:
            self._node.destroy_subscription(self._trace)
            self._trace = self._latest = None


def _path_of(message: bytes) -> PlannedPath:
    if len(message) > _LARGEST_PATH:
        return PlannedPath(problem=f"too long: {len(message)} of {_LARGEST_PATH} bytes")
    path = deserialize_message(message, Path)
    points = [(pose.pose.position.x, pose.pose.position.y) for pose in path.poses]
    return planned(path.header.frame_id, points)


class InterfaceLinks:
    """Those of all vehicles of a plant, for its data port."""

    def __init__(
        self, node: Node, server: PlantServer, vehicle_ids: Sequence[int], joy_topic: str
    ) -> None:
        """`joy_topic` of the only vehicle; of several, below vehicle_N/."""
        several = len(vehicle_ids) > 1
        self._server = server
        self._links = {
            number: InterfaceLink(
                node, f"vehicle_{number}" if several else namespace_beside(joy_topic)
            )
            for number in vehicle_ids
        }

    def view(self, vehicle_id: int) -> Json | None:
        """What is known of the interface of a vehicle."""
        output = self._server.vehicle(vehicle_id).output
        return self._links[vehicle_id].view(
            speed_mps=output.motion.vx_mps, is_paused=self._server.paused
        )

    def path(self, vehicle_id: int) -> PlannedPath | None:
        """The path that is planned for a vehicle."""
        return self._links[vehicle_id].path()

    def is_heard(self, vehicle_id: int) -> bool:
        """Whether the interface of a vehicle publishes."""
        return self._links[vehicle_id].is_heard()

    def stop(self, vehicle_id: int) -> bool:
        """Request an emergency stop."""
        return self._links[vehicle_id].stop()

    def request(self, vehicle_id: int, wanted: str, answered: Callable[[bool, str], None]) -> None:
        """Ask for one of REQUESTS."""
        self._links[vehicle_id].request(wanted, answered)
