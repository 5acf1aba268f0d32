"""All requirements, in the order of the pages, and their verdicts."""

from __future__ import annotations

from vdsim_autoware.conformance import command_requirements as command
from vdsim_autoware.conformance.conductor import Options
from vdsim_autoware.conformance.mode_requirements import REQUEST
from vdsim_autoware.conformance.record import Record
from vdsim_autoware.conformance.status_requirements import STATUS
from vdsim_autoware.conformance.verdict import Judged, Level, Outcome, Requirement

REQUIREMENTS: tuple[Requirement, ...] = (
    *command.CONTROL,
    *command.GEAR,
    *command.TURN,
    *command.HAZARD,
    *REQUEST,
    *STATUS,
)


def judge(record: Record, options: Options) -> tuple[Judged, ...]:
    """Judge a drive."""
    return tuple(Judged(item, item.check(record, options)) for item in REQUIREMENTS)


def failures(judged: tuple[Judged, ...], *levels: Level) -> list[str]:
    """Return the ids of what failed; without levels: of every level."""
    return [
        item.requirement.id
        for item in judged
        if item.verdict.outcome is Outcome.FAILED
        and (not levels or item.requirement.level in levels)
    ]
