"""Marks: is an answer right, honest about not knowing, or wrong? Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from vdsim_protocol.why import Answer
from vdsim_protocol.why.causes import Level

from vdsim_simulate.exam.question import Key

UNKNOWN = "unknown"


class Mark(str, Enum):
    """Of one answer."""

    RIGHT = "right"
    UNKNOWN = "not known"
    WRONG = "wrong"


class Marked(NamedTuple):
    """A question's name, the answer that came first, and its mark."""

    name: str
    mark: Mark
    answer: Answer


def fits(key: Key, answer: Answer) -> bool:
    """Whether an answer names the cause, and says what it must."""
    return answer.cause in key.causes and bool(
        re.search(key.says, " ".join((*answer.lines, answer.evidence)), re.IGNORECASE)
    )


def mark(key: Key, answers: Sequence[Answer]) -> Mark:
    """The mark of the answer that comes first."""
    first = answers[0]
    if fits(key, first):
        return Mark.RIGHT
    return Mark.UNKNOWN if first.cause == UNKNOWN else Mark.WRONG


def names(key: Key, answers: Sequence[Answer]) -> bool:
    """Whether a cause is among those that are named, first or beside it."""
    return any(fits(key, answer) for answer in answers)


def is_silent(answer: Answer) -> bool:
    """Whether an answer names no cause: the car does what it is asked to."""
    return answer.level is Level.GOOD
