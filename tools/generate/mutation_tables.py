"""The mutation runs in docs/safety.md: how many mutants survive, and why each of them may."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from generate.paths import ROOT
from generate.tables import table

_INTERFACE = ROOT / "src/vdsim_interface/test/mutation"
_WIRE = ROOT / "src/vdsim_protocol/test/mutation"
_WORDS = {
    "acceleration": "acceleration loop (`longitudinal/`)",
    "gate": "last gate (`gate/`); its survivors are the same on the whole grid",
    "guard": "guard (`guard/`: guard, session, setup, shell_end, frames, packing, shapes)",
    "safety": "safety stage (`safety/`)",
    "wire": "wire tables and VDS1 receiver (`vdsim_protocol/vds1/`, `wire.py`)",
}


def figures_table() -> str:
    """One row for each room whose run is recorded."""
    recorded = {**_read(_INTERFACE / "figures.json"), **_read(_WIRE / "figures.json")}
    rows = []
    for name, run in sorted(recorded.items()):
        all_n, tried, survived = run["mutants"], run["tried"], run["survived"]
        share = f"{survived / tried:.1%}"
        sample = "all" if tried == all_n else f"a sample of {tried}"
        rows.append((_WORDS[name], all_n, sample, survived, share, run["argued"]))
    return table(("code", "mutants", "tried", "survive", "share", "of these argued"), rows)


def argued_table() -> str:
    """The survivors by reason."""
    by_reason: dict[tuple[str, str], int] = defaultdict(int)
    for room, changes in _read(_INTERFACE / "argued.json").items():
        for change, reason in changes.items():
            by_reason[f"{room}: `{change.partition('.py:')[0]}`", reason] += 1
    for reason in _read(_WIRE / "argued.json").values():
        by_reason["wire", reason] += 1
    rows = [(count, place, reason) for (place, reason), count in sorted(by_reason.items())]
    return table(("changes", "where", "why no test can detect it"), rows)


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


PARTS = {"mutation figures": figures_table, "argued mutants": argued_table}
