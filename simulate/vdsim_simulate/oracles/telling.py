"""What is shown and told: modes, who commands, reasons; and what the product keeps in memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from vdsim_interface.arbitration.interface_parameters import DASHBOARD, STACK

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.stops import sent_between
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record

SILENT_S = 1.4
"""A link that is lost ends AUTONOMOUS within a second; then the mode is looked at."""
GIVES_UP_S = 1.5
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
        if not who:
            continue
        sent = [
            fact.time_s
            for fact in record.facts
            if fact.what == facts.COMMAND and (who == DASHBOARD or (fact.who or STACK) == who)
        ]
        for before_s, next_s in pairwise([since_s, *(t for t in sent if t > since_s), until_s]):
            last_s = min(next_s, until_s)
            if last_s - before_s > GIVES_UP_S and not _stands_still(record, before_s, last_s):
                text = f"{who} is shown to command without a command for {last_s - before_s:.2f} s"
                yield Violation(before_s + GIVES_UP_S, text)
                return


def _stands_still(record: Record, from_s: float, to_s: float) -> bool:
    names = ("interface", "shell", "safety")
    return any(a < to_s and b > from_s for name in names for a, b in record.intervals(name))


@oracle
def memory_does_not_grow(record: Record) -> Iterator[Violation]:
    """The interface's objects never hold more than full windows of all its monitors."""
    for time_s, items_n in record.kept:
        if items_n > MOST_N:
            text = f"{items_n} objects and values after {time_s:.0f} s; windows hold {MOST_N}"
            yield Violation(time_s, text)
            return
