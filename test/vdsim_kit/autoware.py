"""A client that knows Autoware's messages alone: what its control component sends and receives."""

from __future__ import annotations

import math
from typing import Any

from autoware_control_msgs.msg import Control
from autoware_vehicle_msgs.msg import (
    ControlModeReport,
    Engage,
    GearCommand,
    GearReport,
    HazardLightsCommand,
    HazardLightsReport,
    SteeringReport,
    TurnIndicatorsCommand,
    TurnIndicatorsReport,
    VelocityReport,
)
from autoware_vehicle_msgs.srv import ControlModeCommand
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from vdsim_kit.spinning import SpinningNode

VOLATILE, LATCHED = DurabilityPolicy.VOLATILE, DurabilityPolicy.TRANSIENT_LOCAL
STATUS = {
    "/vehicle/status/velocity_status": (VelocityReport, VOLATILE),
    "/vehicle/status/steering_status": (SteeringReport, VOLATILE),
    "/vehicle/status/gear_status": (GearReport, LATCHED),
    "/vehicle/status/turn_indicators_status": (TurnIndicatorsReport, LATCHED),
    "/vehicle/status/hazard_lights_status": (HazardLightsReport, LATCHED),
    "/vehicle/status/control_mode": (ControlModeReport, LATCHED),
}
COMMANDS = {
    "/control/command/control_cmd": Control,
    "/control/command/gear_cmd": GearCommand,
    "/control/command/turn_indicators_cmd": TurnIndicatorsCommand,
    "/control/command/hazard_lights_cmd": HazardLightsCommand,
    "/vehicle/command/manual_control_cmd": Control,
    "/vehicle/command/manual_gear_command": GearCommand,
    "/vehicle/engage": Engage,
}
DRIVE, REVERSE, PARK = GearReport.DRIVE, GearReport.REVERSE, GearReport.PARK


def seconds(stamp: Any) -> float:
    return stamp.sec + stamp.nanosec * 1e-9


class Autoware(SpinningNode):
    """Its control component: control_cmd at 33 Hz, gear_cmd at 10 Hz, the rest on demand."""

    def __init__(self) -> None:
        super().__init__("autoware")
        self.speed_mps = self.accel_mps2 = self.steer_rad = 0.0
        self.gear = PARK
        self.is_silent = False
        self.manual: tuple[float, float] | None = None
        self.heading_rad = 0.0
        self.latest: dict[str, Any] = {}
        self.stamps: dict[str, list[float]] = {name: [] for name in STATUS}
        self.diagnostics: dict[str, DiagnosticStatus] = {}
        self.topics = {
            name: self._node.create_publisher(kind, name, 1) for name, kind in COMMANDS.items()
        }
        for name, (kind, durability) in STATUS.items():
            qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=durability)
            self._node.create_subscription(kind, name, self._on_status(name), qos)
        self._node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        self._node.create_timer(0.03, self._publish_control)
        self._node.create_timer(0.1, self._publish_gear)

    def _publish_control(self) -> None:
        if not self.is_silent:
            self._publish(
                "/control/command/control_cmd", self.speed_mps, self.accel_mps2, self.steer_rad
            )
        if self.manual is not None:
            speed_mps, steer_rad = self.manual
            accel_mps2 = 1.0 if speed_mps > self.velocity else -1.0
            self._publish("/vehicle/command/manual_control_cmd", speed_mps, accel_mps2, steer_rad)

    def _publish(self, topic: str, speed_mps: float, accel_mps2: float, steer_rad: float) -> None:
        message = Control()
        message.stamp = self._node.get_clock().now().to_msg()
        message.longitudinal.velocity = speed_mps
        message.longitudinal.acceleration = accel_mps2
        message.longitudinal.is_defined_acceleration = True
        message.lateral.steering_tire_angle = steer_rad
        self.topics[topic].publish(message)

    def _publish_gear(self) -> None:
        self.topics["/control/command/gear_cmd"].publish(GearCommand(command=self.gear))

    def _on_status(self, name: str) -> Any:
        def on_message(message: Any) -> None:
            stamp = message.header.stamp if hasattr(message, "header") else message.stamp
            self.stamps[name].append(seconds(stamp))
            self.latest[name] = message
            if name.endswith("velocity_status") and len(self.stamps[name]) > 1:
                before, now = self.stamps[name][-2:]
                self.heading_rad += message.heading_rate * (now - before)

        return on_message

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self.diagnostics[status.name] = status

    def status(self, name: str) -> Any:
        return self.latest.get(f"/vehicle/status/{name}")

    @property
    def velocity(self) -> float:
        status = self.status("velocity_status")
        return math.nan if status is None else status.longitudinal_velocity

    @property
    def reported_gear(self) -> int | None:
        status = self.status("gear_status")
        return None if status is None else status.report

    @property
    def mode(self) -> int | None:
        status = self.status("control_mode")
        return None if status is None else status.mode

    def drive(self, speed_mps: float, accel_mps2: float, steer_rad: float = 0.0) -> None:
        self.speed_mps, self.accel_mps2, self.steer_rad = speed_mps, accel_mps2, steer_rad

    def request(self, mode: int) -> bool:
        answer = self.call(ControlModeCommand, "/control/control_mode_request", mode=mode)
        return bool(answer.success)

    def line(self, name: str) -> DiagnosticStatus | None:
        return self.diagnostics.get(f"/vehicle/autoware_interface: {name}")

    def says(self, name: str, level: bytes, words: str) -> bool:
        line = self.line(name)
        return line is not None and line.level == level and words in line.message

    def endpoints(self, topic: str) -> list[Any]:
        return list(self._node.get_publishers_info_by_topic(topic))

    def _known(self) -> str:
        return f"{self.latest} {[(s.name, s.message) for s in self.diagnostics.values()]}"
