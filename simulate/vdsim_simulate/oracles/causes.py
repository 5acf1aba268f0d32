"""When a stop must stand, from what the simulator did and what the parameters say.

Each cause is an interval. It begins when the time-out has expired or the request was handled, and
ends when the next message was handled, or the person has acted. Nothing here asks the product.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from vdsim_simulate import record as facts
from vdsim_simulate.record import Record, once, rare

NO_COMMAND = "no command"


class Cause(NamedTuple):
    """One reason to stop, while it stands."""

    begins_s: float
    ends_s: float
    name: str
    of: str
    """A sentence for the story."""


@once
def causes(record: Record) -> tuple[Cause, ...]:
    """Return every cause of a stop, by its begin."""
    p = record.parameters
    ends_s = record.scene.ends_s
    found = [
        *silences(record.times(facts.COMMAND), p.command_timeout_s, ends_s, NO_COMMAND),
        *silences(record.times(facts.STATE), p.safety.report_timeout_s, ends_s, "no STATE"),
        *spans(record, facts.DOOR_OPEN, facts.DOOR_SHUT, "the door is open"),
        *emergencies(record),
    ]
    return tuple(sorted(found))


def silences(times_s: Iterable[float], timeout_s: float, ends_s: float, of: str) -> Iterable[Cause]:
    """The intervals in which the latest of a stream's messages is older than the time-out."""
    before_s = math.inf
    for time_s in (*times_s, ends_s):
        if time_s - before_s > timeout_s:
            yield Cause(before_s + timeout_s, time_s, "silence", of)
        before_s = time_s


def spans(record: Record, begin: str, end: str, of: str) -> Iterable[Cause]:
    """The intervals between two facts, neither of them an arrival."""
    began_s = None
    for fact in rare(record):
        if fact.what == begin and began_s is None:
            began_s = fact.time_s
        elif fact.what == end and began_s is not None:
            yield Cause(began_s, fact.time_s, begin, of)
            began_s = None
    if began_s is not None:
        yield Cause(began_s, record.scene.ends_s, begin, of)


def emergencies(record: Record) -> Iterable[Cause]:
    """From an emergency stop until a give_back is accepted, which needs a car that stands."""
    return spans(record, facts.EMERGENCY, facts.GIVEN_BACK, "the emergency stop is on")


def arbiter_acts(record: Record, before_s: float, *, emergencies_too: bool = True) -> bool:
    """Whether something let the arbiter stop the car by commands of its own, which never end.

    While it does, the stack may be silent.
    """
    acts = (facts.LOCKED, facts.JOY, facts.HELD, *((facts.EMERGENCY,) if emergencies_too else ()))
    sends = (facts.COMMAND, facts.NONSENSE)
    return any(
        fact.time_s < before_s and (fact.what in acts or (fact.what in sends and fact.who))
        for fact in rare(record)
    )


class Broken(NamedTuple):
    """A fault of the bus, while it stands."""

    begins_s: float
    ends_s: float
    kind: str
    what: str


def broken(record: Record) -> Iterator[Broken]:
    """Return the faults of the bus, by their begin."""
    told = rare(record)
    for number, fact in enumerate(told):
        if fact.what == facts.BROKEN:
            ends_s = next(
                (f.time_s for f in told[number:] if (f.what, f.who) == (facts.MENDED, fact.who)),
                record.scene.ends_s,
            )
            kind, _, what = fact.who.partition(" ")
            yield Broken(fact.time_s, ends_s, kind, what)
