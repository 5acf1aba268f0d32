"""The tables of docs/threats.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

from workspace.testing.lanes import lane_named

from generate.paths import ROOT
from generate.safety_case import checks
from generate.tables import table
from generate.threats.rows import GROUPS, Entry

ATTACKS = ROOT / "tools" / "generate" / "threats" / "attacks.json"
"""What the last attack run tried: kind -> [tried, fell]."""
LANE = "lane:"
_LINE = "<br>"


def entries() -> Iterator[Entry]:
    """Every way in."""
    for rows in GROUPS.values():
        yield from rows


def named_tests() -> list[str]:
    """Every test that the page names, as pytest does; without the lanes."""
    return sorted(
        {
            checks.path_of(test)
            for entry in entries()
            for test in entry.tests
            if not test.startswith(LANE)
        }
    )


def entry_table(group: str) -> str:
    """One table of the page."""
    attacks = attack_counts()
    rows = [
        (
            entry.name,
            entry.listens,
            entry.who,
            entry.checked,
            entry.not_protected,
            _LINE.join(shown_test(test) for test in entry.tests),
            tried(entry, attacks),
        )
        for entry in GROUPS[group]
    ]
    head = ("entry", "listens", "who may use it", "checked", "not protected", "test", "tried, fell")
    return table(head, rows)


def shown_test(name: str) -> str:
    """A test, or a lane, as a cell; ValueError when there is none."""
    if not name.startswith(LANE):
        return checks.test(name)
    lane = name.removeprefix(LANE)
    if lane_named(lane) is None:
        raise ValueError(f"threats: no lane {lane}")
    return f"`./ws test {lane}`"


def attack_counts() -> dict[str, list[int]]:
    """The counts of the last attack run; empty before the first."""
    if not ATTACKS.is_file():
        return {}
    found: dict[str, list[int]] = json.loads(ATTACKS.read_text(encoding="utf-8"))["kinds"]
    return found


def tried(entry: Entry, attacks: dict[str, list[int]]) -> str:
    """How much was tried and fell; ValueError for a kind that no run has."""
    if not entry.attacks:
        return "by its tests"
    unknown = [kind for kind in entry.attacks if kind not in attacks]
    if unknown:
        raise ValueError(f"threats: {entry.name}: no attack {', '.join(unknown)}")
    counts = [attacks[kind] for kind in entry.attacks]
    return f"{sum(each[0] for each in counts)}, {sum(each[1] for each in counts)}"


PARTS = {group: partial(entry_table, group) for group in GROUPS}
