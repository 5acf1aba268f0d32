"""The table of oracles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import NamedTuple

from vdsim_simulate.record import Record
from vdsim_simulate.scene import scene_error


class Violation(NamedTuple):
    """Something that does not hold: when, and a sentence with figures."""

    time_s: float
    text: str
    oracle: str = ""


Oracle = Callable[[Record], Iterator[Violation]]
ORACLES: dict[str, Oracle] = {}
ABOVE_RAW: list[str] = []
"""Names of oracles that judge no raw commands."""


def oracle(check: Oracle) -> Oracle:
    """Enter an oracle into the table, by the name of the function."""
    if check.__name__ in ORACLES:
        raise ValueError(f"oracle {check.__name__}: the name is taken")
    ORACLES[check.__name__] = check
    return check


def above_raw(check: Oracle) -> Oracle:
    """Let an oracle judge no raw commands: what it states they do not promise (docs/safety.md).

    A rule of motion, a start or a hold: on the raw level that is the sender's own.
    """
    ABOVE_RAW.append(check.__name__)

    @wraps(check)
    def judges(record: Record) -> Iterator[Violation]:
        return iter(()) if record.scene.is_raw else check(record)

    return judges


def judge(record: Record) -> list[Violation]:
    """Return the first violation of each oracle, by time."""
    found = [violation for name in ORACLES if (violation := ask(name, record)) is not None]
    return sorted(found, key=lambda violation: violation.time_s)


def ask(name: str, record: Record) -> Violation | None:
    """Return the first violation of one oracle."""
    check = ORACLES[name]
    try:
        first = next(iter(check(record)), None)
    except Exception as error:
        scene = record.scene
        raise scene_error(scene, scene.ends_s, f"oracle {name}", error) from error
    return None if first is None else first._replace(oracle=name)
