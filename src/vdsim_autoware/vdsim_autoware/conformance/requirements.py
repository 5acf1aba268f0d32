"""All requirements, in the order of the pages, and their verdicts."""

from __future__ import annotations

from vdsim_autoware.conformance import command_requirements as command
from vdsim_autoware.conformance.conductor import Options
from vdsim_autoware.conformance.mode_requirements import REQUEST
from vdsim_autoware.conformance.record import Record
from vdsim_autoware.conformance.status_requirements import STATUS
from vdsim_autoware.conformance.verdict import Check, Judged, Level, Outcome, Requirement, Verdict

REQUIREMENTS: tuple[Requirement, ...] = (
    *command.CONTROL,
    *command.GEAR,
    *command.TURN,
    *command.HAZARD,
    *REQUEST,
    *STATUS,
)


def judge(record: Record, options: Options) -> tuple[Judged, ...]:
    """Judge a drive. Where the kit itself stood still, the vehicle is not to blame."""
    undisturbed = record.without_paused_parts()

    def verdict(check: Check) -> Verdict:
        found = check(record, options)
        return found if found.outcome is not Outcome.FAILED else check(undisturbed, options)

    return tuple(Judged(item, verdict(item.check)) for item in REQUIREMENTS)


def failures(judged: tuple[Judged, ...], *levels: Level) -> list[str]:
    """Return the ids of what failed; without levels: of every level."""
    return [
        item.requirement.id
        for item in judged
        if item.verdict.outcome is Outcome.FAILED
        and (not levels or item.requirement.level in levels)
    ]
