"""What is shown and told: modes, who commands, reasons; and what the product keeps in memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from vdsim_interface.arbitration.interface_parameters import DASHBOARD, STACK

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.calm import has_fault, unmatched
from vdsim_simulate.oracles.causes import NO_COMMAND, Cause, arbiter_acts, causes
from vdsim_simulate.oracles.people.engaging import SAFETY, STALLS_S
from vdsim_simulate.oracles.promises import autonomous_at
from vdsim_simulate.oracles.stops import sent_between
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record

SILENT_S = 1.4
"""A link that is lost ends AUTONOMOUS within a second; then the mode is looked at."""
GIVES_UP_S = 1.5
TOLD_S = 0.4
KINDS = {
    "no command": ("command_timeout",),
    "no STATE": ("link_timeout", "late_report", "slow_reports"),
    "the door is open": ("cabin_unsecured",),
    "the emergency stop is on": ("emergency", "emergency_stop"),
}
"""Notices of docs/safety.md, by cause."""
DID_NOT_RUN = "did not run"
ENDS_IT_FIRST = facts.DISENGAGE, facts.SWITCH_ON, facts.CLOCK
"""Of a process that stood still: an act that waited, and a time that jumped back, come first."""
MOST_N = 7000
"""Windows of monitors fill within seconds, to at most 5000 (measured); what is kept of every
message or frame exceeds this within seconds, too."""


@oracle
def every_refusal_has_a_reason(record: Record) -> Iterator[Violation]:
    """What is refused is refused with a reason in words."""
    for fact in record.facts:
        if fact.what == facts.ANSWER and fact.text.endswith("refused"):
            yield Violation(fact.time_s, f"{fact.text}, without a reason")


@oracle
def autonomous_means_that_packets_leave(record: Record) -> Iterator[Violation]:
    """While AUTONOMOUS is shown, packets leave."""
    out = record.intervals("interface") + record.intervals("shell") + record.intervals("safety")
    for (since_s, mode), (until_s, _) in pairwise([*record.shown, (record.scene.ends_s, "")]):
        if mode != "AUTONOMOUS":
            continue
        times = [packet.time_s for packet in sent_between(record, since_s, until_s)]
        for before_s, next_s in pairwise([since_s, *times, until_s]):
            stalled = any(a < next_s and b > before_s - SILENT_S for a, b in out)
            if next_s - before_s > SILENT_S and not stalled:
                text = f"no packet for {next_s - before_s:.2f} s while AUTONOMOUS is shown"
                yield Violation(before_s + SILENT_S, text)


@oracle
def who_is_shown_to_command_sends(record: Record) -> Iterator[Violation]:
    """Nobody is shown to command who has not sent for longer than any time-out.

    The page's pad sends on when its person has let go: it stops the car.
    """
    for (since_s, who), (until_s, _) in pairwise([*record.drivers, (record.scene.ends_s, "")]):
        if who in ("", DASHBOARD):
            continue
        sent = [
            fact.time_s
            for fact in record.facts
            if fact.what == facts.COMMAND and (fact.who or STACK) == who
        ]
        for before_s, next_s in pairwise([since_s, *(t for t in sent if t > since_s), until_s]):
            last_s = min(next_s, until_s)
            if last_s - before_s > GIVES_UP_S and not _keeps_control(record, before_s, last_s):
                text = f"{who} is shown to command without a command for {last_s - before_s:.2f} s"
                yield Violation(before_s + GIVES_UP_S, text)
                return


def _keeps_control(record: Record, from_s: float, to_s: float) -> bool:
    names = ("interface", "shell", "safety")
    if any(a < to_s and b > from_s for name in names for a, b in record.intervals(name)):
        return True
    # Who does not hear that autonomy has ended keeps control until a report says so.
    blind = [cause for cause in causes(record) if cause.of == "no STATE"]
    return any(cause.begins_s < to_s and cause.ends_s > from_s for cause in blind)


@oracle
def each_stop_is_told(record: Record) -> Iterator[Violation]:
    """A stop that begins in autonomy is reported with its cause; so is a long stall."""
    upsets = record.times(facts.KILLED, facts.STALLED, facts.STARTED, facts.CLOCK, facts.MEMORY)
    for cause in causes(record):
        kinds = KINDS.get(cause.of)
        due_s = cause.begins_s + TOLD_S
        if kinds is None or due_s > cause.ends_s or not autonomous_at(record, due_s - 0.1):
            continue
        if not autonomous_at(record, cause.begins_s - 0.1):
            continue
        if any(cause.begins_s - 1.0 < t < due_s for t in upsets):
            continue
        if any(a < due_s and b > cause.begins_s - 1.0 for a, b in unmatched(record)):
            continue
        if _is_beside_another(record, cause, due_s):
            continue
        from_s = cause.begins_s - TOLD_S
        if not any(from_s < t <= due_s and kind in kinds for t, kind, _ in record.told):
            yield Violation(due_s, f"nobody is told that {cause.of}")
    timeout_s = record.parameters.command_timeout_s + STALLS_S
    for begins_s, ends_s in record.intervals(SAFETY[record.scene.composition]):
        due_s = ends_s + TOLD_S
        runs = not any(begins_s - 1.0 < t < due_s for t in record.times(facts.KILLED))
        if ends_s - begins_s < timeout_s or not runs or due_s > record.scene.ends_s:
            continue
        told = [text for t, _, text in record.told if ends_s - 0.1 < t <= due_s]
        if not any(DID_NOT_RUN in text for text in told):
            yield Violation(due_s, f"nobody is told that a process {DID_NOT_RUN}")
        elif any(begins_s < t <= due_s for t in record.times(*ENDS_IT_FIRST)):
            continue
        elif autonomous_at(record, begins_s) and not _is_reason(told):
            text = f"a process {DID_NOT_RUN} for {ends_s - begins_s:.2f} s, and autonomy ends"
            yield Violation(due_s, f"{text} with another reason")


def _is_beside_another(record: Record, cause: Cause, due_s: float) -> bool:
    """Whether another stop stands anyway, or the arbiter stops the car by commands of its own."""
    for other in causes(record):
        if other is not cause and other.begins_s < due_s and other.ends_s > cause.begins_s - TOLD_S:
            return True
    # Reports that come late are as none, and were reported so when that began.
    late = has_fault(record, ("reports_late",), cause.begins_s, due_s)
    return late or (cause.of == NO_COMMAND and arbiter_acts(record, due_s))


def _is_reason(told: list[str]) -> bool:
    ended = [text for text in told if "AUTONOMOUS ->" in text]
    return not ended or any(DID_NOT_RUN in text for text in ended)


@oracle
def memory_does_not_grow(record: Record) -> Iterator[Violation]:
    """The interface's objects never hold more than full windows of all its monitors."""
    for time_s, items_n in record.kept:
        if items_n > MOST_N:
            text = f"{items_n} objects and values after {time_s:.0f} s; windows hold {MOST_N}"
            yield Violation(time_s, text)
            return
