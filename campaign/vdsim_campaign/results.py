"""The stored results of long runs, and the tables of docs/campaign.md. No ROS.

`./ws campaign ... --store` writes them; `./ws generate` makes the page's tables from them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypedDict

from vdsim_campaign.cells import every_cell
from vdsim_campaign.faults import COMPOSITIONS, FAULTS, Expect, Fault

FOLDER = Path(__file__).resolve().parents[1] / "results"
CELLS, TIMES = FOLDER / "cells.json", FOLDER / "ftti.json"


class CellResult(TypedDict):
    """All runs of one cell."""

    runs: int
    broken: int
    why: list[str]
    """What was broken, each text once."""


def load(path: Path) -> Any:
    """Stored results; {} before the first."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def store(path: Path, content: Mapping[str, Any]) -> None:
    """Write results."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def merged(
    known: Mapping[str, CellResult], runs: Iterable[tuple[str, list[str]]]
) -> dict[str, CellResult]:
    """Results of this run by the name of the cell, in place of older ones of the same cells.

    `runs`: a cell's name and what was broken in it, one entry a run.
    """
    new: dict[str, CellResult] = {}
    for name, why in runs:
        result = new.setdefault(name, CellResult(runs=0, broken=0, why=[]))
        result["runs"] += 1
        result["broken"] += bool(why)
        result["why"] += [text for text in why if text not in result["why"]]
    names = {cell.name for cell in every_cell(1)}
    return {name: value for name, value in {**known, **new}.items() if name in names}


# ---- tables --------------------------------------------------------------------------------------


def must_hold(expect: Expect) -> str:
    """What must hold in a fault, in words."""
    parts = []
    if expect.drives_on:
        parts.append("drives on")
    if expect.brakes_within_s is not None:
        parts.append(f"no throttle after {1e3 * expect.brakes_within_s:.0f} ms")
    if expect.stop:
        parts.append(f"the stop of the {expect.stop}")
    if expect.ends_autonomy is not None and not expect.drives_on:
        parts.append("autonomy ends" if expect.ends_autonomy else "autonomy stays")
    if expect.counts:
        parts.append("counted as injected")
    if expect.reason:
        parts.append("reason given")
    if not expect.drives_on:
        parts.append(f"drives again within {expect.recovers_within_s:.0f} s")
    return ", ".join(parts)


def fault_table() -> str:
    """Every fault, and what must hold."""
    rows = ["| fault | what happens | what must hold |", "|---|---|---|"]
    rows += [f"| `{fault.name}` | {fault.text} | {must_hold(fault.expect)} |" for fault in FAULTS]
    return "\n".join(rows)


def cell_table(known: Mapping[str, CellResult]) -> str:
    """Runs of each fault by composition: how many, and how many were broken."""
    rows = [f"| fault | {' | '.join(COMPOSITIONS)} |", f"|---|{'---|' * len(COMPOSITIONS)}"]
    for fault in FAULTS:
        cells = [_runs(fault, composition, known) for composition in COMPOSITIONS]
        rows.append(f"| `{fault.name}` | {' | '.join(cells)} |")
    runs = sum(result["runs"] for result in known.values())
    broken = sum(result["broken"] for result in known.values())
    rows += ["", f"{runs} runs of {len(known)} cells, {broken} with something broken."]
    return "\n".join(rows)


def _runs(fault: Fault, composition: str, known: Mapping[str, CellResult]) -> str:
    if composition not in fault.compositions:
        return "–"
    prefix = f"{fault.name}.{composition}"
    found = [v for k, v in known.items() if k == prefix or k.startswith(f"{prefix}.")]
    if not found:
        return "not run" if fault.processes.get(composition, ("",)) else "–"
    runs, broken = sum(v["runs"] for v in found), sum(v["broken"] for v in found)
    return f"**{broken} of {runs} broken**" if broken else f"{runs} hold"


def broken_list(known: Mapping[str, CellResult]) -> str:
    """What was broken, one line a cell."""
    rows = [
        f"- `{name}`: {'; '.join(value['why'])}"
        for name, value in sorted(known.items())
        if value["broken"]
    ]
    return "\n".join(rows) or "Nothing is broken."


def time_table(stored: Mapping[str, Any]) -> str:
    """The FTTI table of the stored times."""
    if not stored:
        return "Not measured yet."
    rows = [
        "| fault | answered by | allowed [ms] | median [ms] | worst [ms] | |",
        "|---|---|---|---|---|---|",
    ]
    for row in stored["faults"]:
        figures = (row["allowed_s"], row["median_s"], row["worst_s"])
        cells = " | ".join(f"{1e3 * figure:.1f}" for figure in figures)
        verdict = "met" if row["holds"] else "**missed**"
        rows.append(f"| {row['text']} (`{row['name']}`) | {row['stated']} | {cells} | {verdict} |")
    rows += ["", f"{stored['repeats']} repeats of each fault, seed {stored['seed']}."]
    assert all(math.isfinite(row["worst_s"]) for row in stored["faults"])
    return "\n".join(rows)
