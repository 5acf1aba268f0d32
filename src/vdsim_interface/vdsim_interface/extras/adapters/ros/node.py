"""Base of the adapters: commands out, limits and refusals back."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node

from vdsim_interface.extras.adapters.motion import Adapted, MotionAdapter
from vdsim_interface.extras.adapters.parameters import AdapterParameters
from vdsim_interface.extras.doctor.ros.health import GraphHealth
from vdsim_interface.extras.ros.fixed_parameters import seal
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.status import OK, WARN, diagnostic, diagnostics
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_interface.ros.timers import every
from vdsim_msgs.msg import HighLevelControlCommand, MotionLimits

COMMANDS = f"vehicle/{topics.HIGH_LEVEL_COMMAND}"
"""From the namespace in which stacks publish cmd_vel; the launch files put the interface there."""
LIMITS_PERIOD_S = 1.0
_RECENT_S = 3.0


class AdapterNode(CheckedNode, Node):
    """One message in, one command out. `topic`: where the message arrives.

    `adapt` converts a message of type `plain`; `content_of` takes it out of a `stamped` one.
    """

    def __init__(
        self,
        name: str,
        topic: str,
        plain: type,
        stamped: type,
        *,
        adapt: Callable[[MotionAdapter, Any, float], Adapted],
        content_of: Callable[[Any], Any],
    ) -> None:
        super().__init__(name)
        self._adapt, self._content_of = adapt, content_of
        self.settings = declare(self, AdapterParameters())
        seal(self)
        self.adapter = MotionAdapter(self.settings)
        self._adapted = Adapted(None)
        self._received_s: float | None = None
        self._commands = self.create_publisher(
            HighLevelControlCommand, COMMANDS, topics.COMMAND_QOS
        )
        self._limits = self.create_publisher(MotionLimits, "~/limits", topics.REPORT_QOS)
        self._diagnostics = self.create_publisher(
            DiagnosticArray, topics.DIAGNOSTICS, topics.RELIABLE_QOS
        )
        kind = stamped if self.settings.stamped else plain
        # A best-effort subscription is matched by reliable and best-effort publishers.
        self.create_subscription(kind, topic, self._on_message, topics.SENSOR_QOS)
        self._graph = GraphHealth(self, (topic, COMMANDS))
        every(self, LIMITS_PERIOD_S, self._on_slow)
        self._publish_limits()
        resolved = self.resolve_topic_name(topic), self.resolve_topic_name(COMMANDS)
        self.get_logger().info(f"{resolved[0]} ({kind.__name__}) -> {resolved[1]}")

    def _on_message(self, message: Any) -> None:
        now = time.monotonic()
        content = self._content_of(message) if self.settings.stamped else message
        before, self._adapted = self._adapted, self._adapt(self.adapter, content, now)
        self._received_s = now
        command = self._adapted.command
        if command is not None:
            self._commands.publish(
                HighLevelControlCommand(
                    stamp=self.get_clock().now().to_msg(),
                    velocity_mps=command.velocity_mps,
                    curvature=command.curvature_1pm,
                )
            )
        if before[1:] != self._adapted[1:]:
            self._publish_limits()
        if self._adapted.refusal and not before.refusal:
            self.get_logger().warning(f"command refused: {self._adapted.refusal}")

    def _publish_limits(self) -> None:
        settings = self.settings
        self._limits.publish(
            MotionLimits(
                stamp=self.get_clock().now().to_msg(),
                forward_speed_max_mps=settings.forward_speed_max_mps,
                backward_speed_max_mps=settings.backward_speed_max_mps,
                wheel_angle_max_rad=settings.vehicle.front_wheel_angle_max_rad,
                curvature_max_1pm=settings.curvature_max_1pm,
                lateral_accel_max_mps2=settings.lateral_accel_max_mps2,
                turning_speed_min_mps=settings.turning_speed_min_mps,
                limited=list(self._adapted.limited),
                refusal=self._adapted.refusal,
            )
        )

    def _on_slow(self) -> None:
        """At 1 Hz: limits, and the state of the commands as diagnostics."""
        self._publish_limits()
        since = self._received_s
        is_recent = since is not None and time.monotonic() - since < _RECENT_S
        refusal, limited = self._adapted.refusal, ", ".join(self._adapted.limited)
        if not is_recent:
            level, text = WARN, "nothing arrives"
        elif refusal:
            level, text = WARN, f"refused: {refusal}"
        else:
            level, text = OK, f"limited: {limited}" if limited else "passed on"
        lines = [diagnostic("command", level, text, node=self.get_name()), self._graph.line()]
        stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(diagnostics(lines, stamp, self.get_namespace(), ""))
