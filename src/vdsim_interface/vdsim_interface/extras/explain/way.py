"""The way of a command for a terminal: what changed it, by whose bound, and what to do. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vdsim_protocol.why.evidence import Evidence
from vdsim_protocol.why.steps import Changed, Step

from vdsim_interface.extras.explain.limits import PARAMETERS, Limit
from vdsim_interface.parameters.flat import declarations

_FIXED = {one.name for one in declarations(PARAMETERS) if one.restriction}
"""What no running interface changes."""


def step_lines(evidence: Evidence, way: Sequence[Step], bounds: Mapping[str, Limit]) -> list[str]:
    """A line for each step, and for each change its rule, bound, source and command."""
    lines = []
    for step in way:
        lines.append(f"{step.name}: {step.text}" if step.text else f"{step.name}:")
        for change in step.changes:
            lines += [f"  {change.line}", *_bound_lines(evidence, change, bounds)]
    return lines


def _bound_lines(evidence: Evidence, change: Changed, bounds: Mapping[str, Limit]) -> list[str]:
    lines = []
    for name in change.bounds:
        known = bounds.get(name)
        lines.append(f"    bound {known.line if known else name}")
        to_set = f"disengage, then: ros2 param set {evidence.interface} {name} VALUE"
        if name in _FIXED:
            to_set = "set it in the parameter file, and start the interface again"
        lines.append(f"    to change it, {to_set}")
    return lines


def mode_words(evidence: Evidence) -> str:
    """The mode by its name, and whether it is engaged."""
    engaged = {"AUTONOMOUS": "engaged", "NOT_READY": "engaging"}.get(evidence.mode, "not engaged")
    return f"mode {evidence.mode or 'not known'}, {engaged}"


def who_words(evidence: Evidence) -> str:
    """Who is in control, and why."""
    who = evidence.source or "nobody"
    return f"{who} ({evidence.control_reason})" if evidence.control_reason else who
