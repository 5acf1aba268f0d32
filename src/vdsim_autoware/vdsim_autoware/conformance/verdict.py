"""What a check returns, and what a requirement is."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from vdsim_autoware.conformance.conductor import Options
from vdsim_autoware.conformance.record import Record


class Outcome(Enum):
    """`NOT_JUDGED` says why, and never counts as passed."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_JUDGED = "not judged"


class Level(Enum):
    """MUST: the page states it. SHOULD: its section Design recommends it, or it follows from it."""

    MUST = "MUST"
    SHOULD = "SHOULD"


class Verdict(NamedTuple):
    """`seen`: what was seen, or why it was not judged."""

    outcome: Outcome
    seen: str


Check = Callable[[Record, Options], Verdict]


class Requirement(NamedTuple):
    """One sentence of a page. `part`: the part of the drive that shows it."""

    id: str
    topic: str
    level: Level
    required: str
    how: str
    check: Check


class Judged(NamedTuple):
    """A requirement with its verdict."""

    requirement: Requirement
    verdict: Verdict


def passed(seen: str) -> Verdict:
    """Return a verdict that is fine."""
    return Verdict(Outcome.PASSED, seen)


def failed(seen: str) -> Verdict:
    """Return a verdict that is not."""
    return Verdict(Outcome.FAILED, seen)


def not_judged(why: str) -> Verdict:
    """Return that there is nothing to judge, and why."""
    return Verdict(Outcome.NOT_JUDGED, why)
