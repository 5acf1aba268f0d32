"""A small driving stack for system tests: commands at a fixed rate, the latest of every report."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool

from vdsim_msgs.msg import (
    HighLevelControlCommand,
    LinkStatus,
    RawControlCommand,
    SafetyStatus,
    VehicleControlCommand,
    VehicleOdometry,
    VehicleStateCommand,
    VehicleStateReport,
)
from vdsim_msgs.srv import ChangeMode

PATIENCE_S = 60.0
MANUAL, NOT_READY, AUTONOMOUS, DISENGAGED = range(4)
_SENSOR = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
_LATCHED = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
_COMMANDS = {
    "high_level_command": HighLevelControlCommand,
    "vehicle_command": VehicleControlCommand,
    "raw_command": RawControlCommand,
}


def free_ports(count: int) -> list[int]:
    """UDP ports of the loopback interface that nobody uses now."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Stack:
    """Drives through the interface's topics, as a user's stack does."""

    def __init__(
        self, namespace: str = "/vehicle", rate_hz: float = 50.0, domain_id: int | None = None
    ) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain_id)
        self._node = rclpy.create_node("test_stack", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._command: tuple[Any, Any] | None = None
        self._namespace = namespace
        self.odometry: VehicleOdometry | None = None
        self.odometry_s = 0.0
        self.state: VehicleStateReport | None = None
        self.safety: SafetyStatus | None = None
        self.link: LinkStatus | None = None
        self._commands = {
            topic: self._node.create_publisher(kind, f"{namespace}/{topic}", 1)
            for topic, kind in _COMMANDS.items()
        }
        self._requests = self._node.create_publisher(
            VehicleStateCommand, f"{namespace}/state_command", 10
        )
        self._override = self._node.create_publisher(Bool, f"{namespace}/driver_override", 10)
        listen = self._node.create_subscription
        listen(VehicleOdometry, f"{namespace}/odometry", self._on_odometry, _SENSOR)
        listen(VehicleStateReport, f"{namespace}/state_report", self._on_state, _LATCHED)
        listen(SafetyStatus, f"{namespace}/safety_status", self._on_safety, _LATCHED)
        listen(LinkStatus, f"{namespace}/link_status", self._on_link, 10)
        self._clients: dict[str, Any] = {}
        self._node.create_timer(1.0 / rate_hz, self._publish)

    # ---- what is said --------------------------------------------------------------------------

    def command(self, topic: str, message: Any) -> None:
        """Publish this from now on, at the rate."""
        self._command = (self._commands[topic], message)

    def drive(self, velocity_mps: float, curvature: float = 0.0) -> None:
        """Publish a high-level command from now on."""
        message = HighLevelControlCommand(velocity_mps=velocity_mps, curvature=curvature)
        self.command("high_level_command", message)

    def fall_silent(self) -> None:
        """Publish no command any more."""
        self._command = None

    def request(self, **fields: Any) -> None:
        """Send one VehicleStateCommand."""
        self._requests.publish(VehicleStateCommand(**fields))

    def override(self, active: bool) -> None:
        """Be the driver who takes over, or lets go."""
        self._override.publish(Bool(data=active))

    def change_mode(self, engage: bool) -> ChangeMode.Response:
        """Ask to engage or disengage."""
        return self.call(ChangeMode, "change_mode", ChangeMode.Request(request=int(engage)))

    def call(self, kind: Any, service: str, request: Any) -> Any:
        """Call a service and wait for its answer."""
        client = self._clients.get(service)
        if client is None:
            client = self._node.create_client(kind, f"{self._namespace}/{service}")
            self._clients[service] = client
        self.wait(client.service_is_ready, f"the service {service}")
        future = client.call_async(request)
        self.wait(future.done, f"an answer of {service}")
        return future.result()

    # ---- what is heard -------------------------------------------------------------------------

    @property
    def speed(self) -> float:
        """The latest speed [m/s]; NaN before the first report."""
        return self.odometry.velocity_mps if self.odometry else float("nan")

    @property
    def mode(self) -> int | None:
        """The latest mode."""
        return self.safety.mode if self.safety else None

    def rules(self) -> dict[str, str]:
        """What each rule said last."""
        return {i.rule: i.reason for i in self.safety.interventions} if self.safety else {}

    def wait(self, until: Callable[[], bool], what: str, limit_s: float = PATIENCE_S) -> None:
        """Spin until something holds; an assertion with what is known when it does not."""
        deadline = time.monotonic() + limit_s
        while not until():
            assert time.monotonic() < deadline, f"waited for {what}; {self._known()}"
            self._executor.spin_once(timeout_sec=0.05)

    def spin(self, duration_s: float) -> None:
        """Let time pass."""
        deadline = time.monotonic() + duration_s
        while time.monotonic() < deadline:
            self._executor.spin_once(timeout_sec=0.02)

    def close(self) -> None:
        """Leave."""
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()

    def _known(self) -> str:
        gear = self.state.gear if self.state else None
        return f"speed {self.speed}, mode {self.mode}, gear {gear}, rules {self.rules()}"

    def _publish(self) -> None:
        if self._command is not None:
            publisher, message = self._command
            publisher.publish(message)

    def _on_odometry(self, message: VehicleOdometry) -> None:
        self.odometry, self.odometry_s = message, time.monotonic()

    def _on_state(self, message: VehicleStateReport) -> None:
        self.state = message

    def _on_safety(self, message: SafetyStatus) -> None:
        self.safety = message

    def _on_link(self, message: LinkStatus) -> None:
        self.link = message
