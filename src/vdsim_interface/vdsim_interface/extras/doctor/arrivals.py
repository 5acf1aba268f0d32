"""What arrives of the topics that the checks look at: counts, ages of stamps, gears, the stack.

The doctor takes what it receives, a reader of recordings what was received then. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vdsim_interface.extras.doctor.snapshot import (
    GEAR_REPORT_TYPE,
    GEAR_TYPES,
    Endpoint,
    Reason,
    Received,
    Side,
    Snapshot,
    StackSeen,
)
from vdsim_interface.values import Severity

_NANOSECONDS = 1e-9
CLOCK_TYPE = "rosgraph_msgs/msg/Clock"
LATCHED_TYPES = frozenset({GEAR_REPORT_TYPE})
"""Types of which the last message counts, however long ago it came."""
_REPORTS = frozenset({"nav_msgs/msg/Odometry"})
"""Types of the vehicle's reports whose stamps are checked."""
_STARTING = 2
"""MotionState.STARTING."""
STACK: Mapping[tuple[str, str], Callable[[Any], dict[str, bool]]] = {
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
PAUSED = "paused"
"""The message of the line `<car>: clock` of /diagnostics while a simulated car is paused."""
_CLOCK_LINE = ": clock"
_SEVERITIES = {b"\x00": Severity.INFO, b"\x01": Severity.WARN}


@dataclass
class Arrivals:
    """What arrived on one topic: how often, and the ages of the stamps [s]."""

    count: int = 0
    ages_s: list[float] = field(default_factory=list)
    unstamped: int = 0
    gear: int | None = None
    wants_motion: bool = False
    clock_s: float = -math.inf
    back_s: float = 0.0

    def take(self, message: Any, now_s: float) -> None:
        """Take a message. `now_s`: of the system clock, when it was received."""
        self.count += 1
        clock = getattr(message, "clock", None)
        if clock is not None:
            clock_s = clock.sec + clock.nanosec * _NANOSECONDS
            self.back_s = max(self.back_s, self.clock_s - clock_s)
            self.clock_s = clock_s
        gear = getattr(message, "command", getattr(message, "report", None))
        self.gear = gear if isinstance(gear, int) else self.gear
        motion = getattr(message, "longitudinal", None)
        if motion is not None and (motion.velocity or motion.acceleration > 0.0):
            self.wants_motion = True
        stamp = _stamp_of(message)
        if stamp is None:
            return
        if stamp.sec == 0 and stamp.nanosec == 0:
            self.unstamped += 1
            return
        self.ages_s.append(now_s - (stamp.sec + stamp.nanosec * _NANOSECONDS))

    def received(self, topic: str, window_s: float) -> Received:
        """What the checks look at."""
        return Received(
            topic=topic,
            count=self.count,
            window_s=window_s,
            oldest_s=max(self.ages_s, default=0.0),
            newest_s=min(self.ages_s, default=0.0),
            has_stamps=bool(self.ages_s),
            unstamped=self.unstamped,
            gear=self.gear,
            wants_motion=self.wants_motion,
            back_s=self.back_s,
        )


def _stamp_of(message: Any) -> Any:
    header = getattr(message, "header", None)
    return getattr(message, "stamp", None) if header is None else header.stamp


def watched(endpoints: Iterable[Endpoint]) -> dict[str, str]:
    """Return the topics whose messages the checks look at, each with its type."""
    graph = Snapshot(endpoints=tuple(endpoints))
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
        if end.type_name == CLOCK_TYPE
    }
    commands = {end.topic: end.type_name for end in graph.inputs}
    return {**commands, **gears, **reports, **clocks}


def stack_topics(endpoints: Iterable[Endpoint]) -> dict[str, str]:
    """Return the topics on which the stack speaks of itself, each with its type."""
    published = {(end.topic, end.type_name) for end in endpoints if end.side is Side.PUBLISHER}
    return {topic: kind for topic, kind in STACK if (topic, kind) in published}


def stack_says(seen: StackSeen, topic: str, type_name: str, message: Any) -> StackSeen:
    """Return what the stack says of itself, with one more of its messages."""
    return seen._replace(**STACK[topic, type_name](message))


class Diagnosed:
    """What /diagnostics says now."""

    def __init__(self) -> None:
        self._reasons: dict[str, Reason] = {}
        self._paused: dict[str, bool] = {}

    def take(self, message: Any) -> None:
        """Take a DiagnosticArray."""
        for status in message.status:
            severity = _SEVERITIES.get(status.level, Severity.ERROR)
            self._reasons.pop(status.name, None)
            if severity is not Severity.INFO:
                self._reasons[status.name] = Reason(status.name, severity, status.message)
            if status.name.endswith(_CLOCK_LINE):
                self._paused[status.name] = status.message == PAUSED

    def reasons(self, nodes: Iterable[str]) -> tuple[Reason, ...]:
        """The lines of nodes that are still there; a line without the name of a node counts."""
        there = set(nodes)
        return tuple(
            reason
            for reason in self._reasons.values()
            if (node := reason.name.partition(": ")[0]) in there or not node.startswith("/")
        )

    def is_paused(self, plant: str) -> bool:
        """Whether a simulated car says that its time stands still. `plant`: its node."""
        return self._paused.get(f"{plant}{_CLOCK_LINE}", False)
