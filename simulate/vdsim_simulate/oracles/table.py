"""The table of oracles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from vdsim_simulate.record import Record


class Violation(NamedTuple):
    """Something that does not hold: when, and a sentence with figures."""

    time_s: float
    text: str
    oracle: str = ""


Oracle = Callable[[Record], Iterator[Violation]]
ORACLES: dict[str, Oracle] = {}


def oracle(check: Oracle) -> Oracle:
    """Enter an oracle into the table, by the name of the function."""
    if check.__name__ in ORACLES:
        raise ValueError(f"oracle {check.__name__}: the name is taken")
    ORACLES[check.__name__] = check
    return check


def judge(record: Record) -> list[Violation]:
    """Return the first violation of each oracle, by time."""
    found = []
    for name, check in ORACLES.items():
        first = next(iter(check(record)), None)
        if first is not None:
            found.append(first._replace(oracle=name))
    return sorted(found, key=lambda violation: violation.time_s)
