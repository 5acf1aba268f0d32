"""The table by which a car lets itself be driven: states, what is sent, what is awaited.

The first row is the state in which nobody drives through us, the last one that in which the stack
drives. A request to engage leaves the first row when its conditions hold, and is refused with its
reason when they do not. In every other row `send` is sent; when the conditions of `wait_for` hold,
the next row follows; when they do not within `within_ms`, the table returns to the first row, with
the reason `otherwise`, and at once when a condition fails that the row before has waited for, too.
In the last row the conditions must go on to hold: when one has not for
`within_ms`, which may be 0, autonomy ends with that reason. A request to disengage leads to the
first row.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from vdsim_can.car.rows import SignalName


class Comparison(str, Enum):
    """How a signal is compared."""

    EQUAL = "=="
    NOT_EQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="


EQUAL = Comparison.EQUAL
_HOLDS: Mapping[Comparison, Callable[[float, float], bool]] = {
    Comparison.NOT_EQUAL: lambda value, wanted: value < wanted or value > wanted,
    Comparison.LESS: operator.lt,
    Comparison.AT_MOST: operator.le,
    Comparison.GREATER: operator.gt,
    Comparison.AT_LEAST: operator.ge,
}


class Condition(NamedTuple):
    """A physical value of a received signal that a state waits for."""

    signal: SignalName
    comparison: Comparison
    value: float

    def holds(self, value: float) -> bool:
        """Return whether a physical value satisfies it; a nan satisfies none."""
        _, comparison, wanted = self
        if comparison is EQUAL:  # nearly all of them
            return value == wanted
        return _HOLDS[comparison](value, wanted)

    def __str__(self) -> str:
        return f"{self.signal} {self.comparison.value} {self.value:g}"


class Setting(NamedTuple):
    """A raw value of a sent signal."""

    signal: SignalName
    raw: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandshakeStep:
    """One row of the table. `drives`: the stack's command is sent, not the neutral one."""

    state: str
    send: tuple[Setting, ...] = ()
    wait_for: tuple[Condition, ...] = ()
    within_ms: float = 0.0
    otherwise: str = ""
    drives: bool = False
    line: int = 0
