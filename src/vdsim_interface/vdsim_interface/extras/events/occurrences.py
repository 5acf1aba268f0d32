"""What is recorded. Pure."""

from __future__ import annotations

from typing import NamedTuple

from vdsim_interface.safety.modes import ModeEvent
from vdsim_interface.values import Mode, NoticeKind, Severity, notice_kinds

START = "start"
ENGAGEMENT_BEGINS, ENGAGEMENT_ENDS = "engagement_begins", "engagement_ends"
ACTIVATION, DEACTIVATION = "activation", "deactivation"
OVERRIDE, TRANSITION_DEMAND, RELEASE = "override", "transition_demand", "release"
MANOEUVRE, EMERGENCY = "minimal_risk_manoeuvre", "emergency_stop"
CONTROL = "control"
REFUSED, FAULT = "refused_request", "severe_fault"
BEGIN, END = "begin", "end"

OF_THE_MODE = frozenset(
    {
        *(ENGAGEMENT_BEGINS, ENGAGEMENT_ENDS, ACTIVATION, DEACTIVATION),
        *(OVERRIDE, TRANSITION_DEMAND, RELEASE),
    }
)
"""Kinds of which each is one transition of the mode."""
LASTING = frozenset({MANOEUVRE, EMERGENCY})
"""Kinds that begin and end."""
_STOPS = frozenset({notice_kinds.EMERGENCY, notice_kinds.GATE_EMERGENCY})
_BY_REQUEST = frozenset({ModeEvent.DISENGAGE, ModeEvent.STOP})


class Occurrence(NamedTuple):
    """One thing that happened.

    `cause`: the name of a mode event, of a stop's source, of a notice, or of who commands.
    `by`: the call that caused it. `phase`: BEGIN or END of what lasts, else empty.
    `mode`: after it; empty where another process has it.
    `clock_s`: the latest time of the interface's clock [s]; None before the first.
    `repeated`: how many of the same kind and cause, in less than a second each, were left out since
    the one before.
    """

    kind: str
    cause: str
    text: str
    by: str = ""
    phase: str = ""
    mode_before: str = ""
    mode: str = ""
    clock_s: float | None = None
    parameters: str = ""
    repeated: int = 0


def kind_of(before: Mode, event: ModeEvent, after: Mode) -> str:
    """Return the kind of a transition of the mode. Total over all that can happen."""
    if after is Mode.AUTONOMOUS:
        return ACTIVATION
    if before is Mode.AUTONOMOUS:
        if event is ModeEvent.OVERRIDE:
            return OVERRIDE
        return DEACTIVATION if event in _BY_REQUEST else TRANSITION_DEMAND
    if after is Mode.NOT_READY:
        return ENGAGEMENT_BEGINS
    return ENGAGEMENT_ENDS if before is Mode.NOT_READY else RELEASE


def kind_of_notice(kind: NoticeKind) -> str:
    """Return the kind of occurrence that a notice is; empty: none of its own."""
    if kind.is_refusal:
        return REFUSED
    return FAULT if kind.severity is Severity.ERROR and kind not in _STOPS else ""
