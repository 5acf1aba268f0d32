"""The driving stack of a trial: it publishes commands, and keeps what the interface says and when.

Every text that could be a reason is kept: notices and reasons of safety_status, diagnostics.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from diagnostic_msgs.msg import DiagnosticArray
from vdsim_kit.driving import AUTONOMOUS, Stack

from vdsim_msgs.msg import HighLevelControlCommand, SafetyStatus
from vdsim_msgs.srv import ChangeMode

RATE_HZ = 50.0


class Said(NamedTuple):
    """A text and when it came."""

    time_s: float
    text: str


class Driver(Stack):
    """A stack with a memory."""

    def __init__(self, namespace: str) -> None:
        self.modes: list[tuple[float, int]] = []
        self.said: list[Said] = []
        self._counts: dict[str, int] = {}
        self._texts = {"disengage": "", "link": ""}
        super().__init__(namespace, RATE_HZ)
        self.namespace = namespace
        self._stamp_offset_s: float | None = None
        self._period_s = 0.0
        self._further: dict[str, Any] = {}
        self.velocity_mps = self.curvature = 0.0
        self._published_s = 0.0
        self.listen(DiagnosticArray, "/diagnostics", self._on_diagnostics)
        self._mode_client = self._node.create_client(ChangeMode, f"{namespace}/change_mode")

    # ---- what it publishes -----------------------------------------------------------------------

    def cruise(self, velocity_mps: float, curvature: float) -> None:
        """Drive at this speed from now on."""
        self.velocity_mps, self.curvature = velocity_mps, curvature
        self.drive(velocity_mps, curvature)

    @property
    def current(self) -> Any:
        """What it publishes now."""
        return self._command

    def resume(self, command: Any) -> None:
        """Publish that again."""
        self._command = command

    def stamp_with(self, offset_s: float | None) -> None:
        """Stamp commands with a clock that is wrong by this; None: not at all, as before."""
        self._stamp_offset_s = offset_s

    def publish_every(self, period_s: float) -> None:
        """Publish commands this seldom; 0: at 50 Hz."""
        self._period_s = period_s

    def _publish(self) -> None:
        now = time.monotonic()
        if self._command is None or now - self._published_s < self._period_s:
            return
        self._published_s = now
        message = self._command[1]
        if isinstance(message, HighLevelControlCommand):
            stamp_s = 0.0
            if self._stamp_offset_s is not None:
                stamp_s = max(0.0, time.time() + self._stamp_offset_s)
            message.stamp.sec = int(stamp_s)
        super()._publish()

    def request_mode(self, engage: bool) -> None:
        """Ask for a mode without waiting for the answer."""
        if self._mode_client.service_is_ready():
            self._mode_client.call_async(ChangeMode.Request(request=int(engage)))

    def publisher(self, kind: type, topic: str) -> Callable[[Any], None]:
        """A further publisher of a topic of the interface."""
        made = self._node.create_publisher(kind, f"{self.namespace}/{topic}", 10)
        self._further[topic] = made
        publish: Callable[[Any], None] = made.publish
        return publish

    def withdraw(self, topic: str) -> None:
        """Destroy the further publisher of a topic."""
        self._node.destroy_publisher(self._further.pop(topic))

    def client(self, kind: type, name: str) -> Any:
        """A client of a service, once that is there."""
        made = self._node.create_client(kind, name)
        self.wait(made.service_is_ready, f"the service {name}")
        return made

    def services(self) -> list[str]:
        """The interface's services, as NAME:TYPE."""
        known = self._node.get_service_names_and_types()
        return [f"{n}:{t}" for n, [t, *_] in known if n.startswith(f"{self.namespace}/")]

    # ---- what it receives ------------------------------------------------------------------------

    def _on_safety(self, message: SafetyStatus) -> None:
        super()._on_safety(message)
        now = time.monotonic()
        if not self.modes or self.modes[-1][1] != message.mode:
            self.modes.append((now, message.mode))
        for item in message.interventions:
            if item.count > self._counts.get(item.rule, 0) or item.active:
                self.said.append(Said(now, f"{item.rule}: {item.reason}"))
            self._counts[item.rule] = item.count
        for name, text in (
            ("disengage", message.last_disengage_reason),
            ("link", message.vehicle_link_reason),
        ):
            if text and text != self._texts[name]:
                self.said.append(Said(now, text))
            self._texts[name] = text

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        now = time.monotonic()
        for status in message.status:
            if int.from_bytes(status.level, "little"):
                self.said.append(Said(now, f"{status.name}: {status.message}"))

    def said_since(self, time_s: float) -> str:
        """Every text since then, one a line."""
        return "\n".join(said.text for said in self.said if said.time_s >= time_s)

    def left_autonomy_since(self, time_s: float) -> bool:
        """Whether the mode was another one than AUTONOMOUS since then."""
        return any(since_s >= time_s and mode != AUTONOMOUS for since_s, mode in self.modes)

    def link_counts(self) -> dict[str, Any]:
        """What the interface counts on its STATE link."""
        link = self.link
        if link is None:
            return {}
        rejects = {item.reason: item.count for item in link.rejects}
        return {
            "accepted": link.accepted,
            "duplicated": link.duplicated,
            "rejected": link.rejected,
            **rejects,
        }
