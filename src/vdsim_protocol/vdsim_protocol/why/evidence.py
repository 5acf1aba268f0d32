"""What is known at one moment of the way from the stack to the car.

Everything has a value that means *not known*: nobody has to gather all of it. Ages in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

EMERGENCY_LOCK = "emergency_stop"
"""The emergency stop's name among the active locks of control_source."""
STACK = "autonomy"
"""The source whose topics are those of the interface itself."""
MODE_NAMES = ("MANUAL", "NOT_READY", "AUTONOMOUS", "DISENGAGED")
"""MODE_* of vdsim_msgs/VehicleStateReport, by number."""
SILENT_S = 1.0
"""safety_status comes at 10 Hz: after this time without one its publisher is silent [s]."""


STANDS_MPS = 0.1
"""A car that is slower stands, for what is said about it [m/s]."""


class Control(Enum):
    """STATE_* of vdsim_msgs/ControlSource."""

    NONE = 0
    SOURCE = 1
    HAND_OVER = 2
    SAFE_STOP = 3


class Rule(NamedTuple):
    """One kind of intervention that changes the command now: its name and its reason."""

    name: str
    reason: str


class Source(NamedTuple):
    """A source of commands; `age_s` -1: it has never sent one."""

    name: str
    age_s: float
    level: str = ""


class Answered(NamedTuple):
    """What the car makes of the acceleration that is sent, as means over the last second [m/s2]."""

    sent_mps2: float
    seen_mps2: float
    most_mps: float
    """The highest speed in that time."""


class ModeEnd(NamedTuple):
    """Why and how long ago [s] autonomy ended, or a request was refused; empty: never."""

    reason: str = ""
    age_s: float = float("inf")


NEVER = ModeEnd()


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What is known now."""

    namespace: str = "/vehicle"
    node: str = ""
    """What publishes safety_status; empty: not known."""
    status_age_s: float | None = None
    """Since the latest safety_status; None: none has come."""
    mode: str = ""
    """One of MODE_NAMES; empty: not known."""
    disengaged: ModeEnd = NEVER
    refused: ModeEnd = NEVER
    command_age_s: float | None = None
    """Since the latest command that the interface has taken; None: none has come."""
    is_command_stale: bool = False
    is_link_well: bool = True
    link_reason: str = ""
    active: tuple[Rule, ...] = ()
    """The rules that change the command now."""
    rejected: Rule | None = None
    """Why commands that arrive now are dropped."""
    answered: Answered | None = None
    blocked: str = ""
    """Why commands do not pass in this mode, by the trace; empty: they pass, or it is not known."""
    control: Control | None = None
    """Who drives; None: nobody arbitrates, or it is not known."""
    source: str = ""
    control_reason: str = ""
    sources: tuple[Source, ...] = ()
    locks: tuple[str, ...] = ()
    gear: str = ""
    has_hand_brake: bool = False
    speed_mps: float | None = None
    asked_mps: float | None = None
    """Requested speed, where the command has one [m/s]."""
    asked_mps2: float | None = None
    """Requested acceleration, where the command has one [m/s2]."""
    is_plant_paused: bool = False
    plant: str = "/plant"
    """The simulated car's node."""
    findings: tuple[Finding, ...] = ()
    """What does not fit in the ROS graph, the gravest first."""

    def rule(self, name: str) -> str | None:
        """The reason of a rule that is active now; None while it is not."""
        return next((each.reason for each in self.active if each.name == name), None)

    @property
    def interface(self) -> str:
        """The node that has the parameters of the safety side: of `processes` another one."""
        is_named = self.node.startswith("/")
        return self.node if is_named else f"{self.namespace}/vehicle_interface"

    @property
    def moves(self) -> bool:
        """Whether the car is known to move."""
        return self.speed_mps is not None and abs(self.speed_mps) > STANDS_MPS

    @property
    def is_asked_to_move(self) -> bool:
        """Whether a command is known to ask for motion."""
        return abs(self.asked_mps or 0.0) > 0.0 or (self.asked_mps2 or 0.0) > 0.0


class Finding(NamedTuple):
    """What a look at the graph has found: its kind, what, the cure, whether it is an error."""

    kind: str
    what: str
    cure: str
    is_error: bool
