"""A small driving stack for system tests: commands at a fixed rate, the latest of every report."""

from __future__ import annotations

import time
from typing import Any

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool

from vdsim_kit.spinning import SpinningNode
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


class Stack(SpinningNode):
    """Publishes and subscribes to the interface's topics, as a user's stack does."""

    def __init__(self, namespace: str = "/vehicle", rate_hz: float = 50.0) -> None:
        super().__init__("test_stack")
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
        self._node.create_timer(1.0 / rate_hz, self._publish)

    # ---- published -----------------------------------------------------------------------------

    def command(self, topic: str, message: Any) -> None:
        """Publish this periodically from now on."""
        self._command = (self._commands[topic], message)

    def drive(self, velocity_mps: float, curvature: float = 0.0, *, source: str = "") -> None:
        """Publish a high-level command periodically from now on; `source`: `autonomy/` of a mux."""
        message = HighLevelControlCommand(velocity_mps=velocity_mps, curvature=curvature)
        topic = f"{source}high_level_command"
        if topic not in self._commands:
            full_name = f"{self._namespace}/{topic}"
            self._commands[topic] = self._node.create_publisher(type(message), full_name, 1)
        self.command(topic, message)

    def fall_silent(self) -> None:
        """Stop publishing commands."""
        self._command = None

    def request(self, **fields: Any) -> None:
        """Send one VehicleStateCommand."""
        self._requests.publish(VehicleStateCommand(**fields))

    def override(self, active: bool) -> None:
        """Publish the driver's takeover, or its end."""
        self._override.publish(Bool(data=active))

    def change_mode(self, engage: bool) -> ChangeMode.Response:
        """Request to engage or disengage."""
        return self.call(ChangeMode, f"{self._namespace}/change_mode", request=int(engage))

    # ---- received ------------------------------------------------------------------------------

    @property
    def speed(self) -> float:
        """The latest speed [m/s]; NaN before the first report."""
        return self.odometry.velocity_mps if self.odometry else float("nan")

    @property
    def angle_rad(self) -> float:
        """The latest angle of the front wheels; NaN before the first report."""
        return self.odometry.front_wheel_angle_rad if self.odometry else float("nan")

    @property
    def gear(self) -> int | None:
        """The latest gear."""
        return self.state.gear if self.state else None

    @property
    def mode(self) -> int | None:
        """The latest mode."""
        return self.safety.mode if self.safety else None

    def rules(self) -> dict[str, str]:
        """The latest notice of each rule."""
        return {i.rule: i.reason for i in self.safety.interventions} if self.safety else {}

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
