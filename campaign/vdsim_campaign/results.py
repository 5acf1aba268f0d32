"""The stored results of long runs, and the tables of docs/campaign.md. No ROS.

`./ws campaign ... --store` writes them; `./ws generate` makes the page's tables from them.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict

from vdsim_campaign.boundaries import NOT_VIRTUAL
from vdsim_campaign.cells import every_cell
from vdsim_campaign.faults import COMPOSITIONS, FAULTS, Expect, Fault
from vdsim_campaign.result import Result

FOLDER = Path(__file__).resolve().parents[1] / "results"
CELLS, TIMES = FOLDER / "cells.json", FOLDER / "ftti.json"
VIRTUAL = FOLDER / "virtual.json"
INTO = ("cruise", "bend", "start", "braking")
"""What the car does when the fault begins; real processes cruise."""
AGREE_WITHIN: Mapping[str, tuple[str, str, float]] = MappingProxyType(
    {
        "brakes in time": ("from the fault to no throttle", "s", 0.1),
        "stopping time": ("from the fault to rest", "s", 0.1),
        "stopping distance": ("way from the fault to rest", "m", 0.25),
        "steering held": ("wheel angle while it stops", "rad", 0.002),
    }
)
"""Figures of a cell that the simulator must give as real processes do: name, unit, bound."""


class CellResult(TypedDict):
    """All runs of one cell."""

    runs: int
    broken: int
    why: list[str]
    """What was broken, each text once."""
    figures: dict[str, list[float]]
    """What was measured by each requirement that measures, one figure a run that held."""


def load(path: Path) -> Any:
    """Stored results; {} before the first."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def store(path: Path, content: Mapping[str, Any]) -> None:
    """Write results."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")


class Run(NamedTuple):
    """One run of a cell: its name, what was broken, and what was measured."""

    name: str
    why: Sequence[str] = ()
    measured: Mapping[str, float] = MappingProxyType({})


def run_of(result: Result) -> Run:
    """What is stored of a result."""
    why = [f"{finding.requirement}: {finding.text}" for finding in result.broken]
    measured = {
        finding.requirement: round(finding.measured, 4)
        for finding in result.findings
        if math.isfinite(finding.measured)
    }
    return Run(result.cell.name, why, {} if why else measured)


def merged(known: Mapping[str, CellResult], runs: Iterable[Run]) -> dict[str, CellResult]:
    """Results of this run by the name of the cell, in place of older ones of the same cells."""
    new: dict[str, CellResult] = {}
    for name, why, measured in runs:
        result = new.setdefault(name, CellResult(runs=0, broken=0, why=[], figures={}))
        result["runs"] += 1
        result["broken"] += bool(why)
        result["why"] += [text for text in why if text not in result["why"]]
        for requirement, figure in measured.items():
            result["figures"].setdefault(requirement, []).append(figure)
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


def virtual_table(known: Mapping[str, Mapping[str, CellResult]]) -> str:
    """Runs on virtual time of each fault, by what it met."""
    rows = [f"| fault | {' | '.join(INTO)} |", f"|---|{'---|' * len(INTO)}"]
    for fault in FAULTS:
        if fault.inject in NOT_VIRTUAL:
            why = f"needs {NOT_VIRTUAL[fault.inject]}"
            rows.append(f"| `{fault.name}` | {' | '.join([why, *['–'] * (len(INTO) - 1)])} |")
            continue
        of_fault = [
            [v for k, v in known.get(into, {}).items() if k.startswith(f"{fault.name}.")]
            for into in INTO
        ]
        rows.append(f"| `{fault.name}` | {' | '.join(map(_held, of_fault))} |")
    every = [value for cells in known.values() for value in cells.values()]
    runs, broken = sum(v["runs"] for v in every), sum(v["broken"] for v in every)
    rows += ["", f"{runs} runs of {len(every)} cells, {broken} with something broken."]
    return "\n".join(rows)


def _held(found: Sequence[CellResult]) -> str:
    runs, broken = sum(v["runs"] for v in found), sum(v["broken"] for v in found)
    if not runs:
        return "not run"
    return f"**{broken} of {runs} broken**" if broken else f"{runs} hold"


class Difference(NamedTuple):
    """A figure of a cell: of the first run with real processes, and with the same seed."""

    cell: str
    real: float
    virtual: float

    @property
    def size(self) -> float:
        """How far they are from each other."""
        return abs(self.real - self.virtual)


def differences(
    real: Mapping[str, CellResult], virtual: Mapping[str, CellResult]
) -> dict[str, list[Difference]]:
    """What was measured in both, by requirement."""
    found: dict[str, list[Difference]] = {requirement: [] for requirement in AGREE_WITHIN}
    for name in sorted(real.keys() & virtual.keys()):
        one, other = real[name]["figures"], virtual[name]["figures"]
        for requirement, differing in found.items():
            if requirement in one and requirement in other:
                differing.append(Difference(name, one[requirement][0], other[requirement][0]))
    return found


def agreement_table(
    real: Mapping[str, CellResult], virtual: Mapping[str, Mapping[str, CellResult]]
) -> str:
    """How far the figures of real processes are from those of virtual time."""
    cruise = virtual.get(INTO[0], {})
    rows = ["| figure | cells | median | largest | in | bound | |", "|---|---|---|---|---|---|---|"]
    for requirement, found in differences(real, cruise).items():
        if not found:
            continue
        name, unit, bound = AGREE_WITHIN[requirement]
        worst = max(found, key=lambda each: each.size)
        middle = statistics.median(each.size for each in found)
        verdict = "met" if worst.size <= bound else "**missed**"
        rows.append(
            f"| {name} | {len(found)} | {middle:.3f} {unit} | {worst.size:.3f} {unit} "
            f"| `{worst.cell}` | {bound} {unit} | {verdict} |"
        )
    both = [name for name in real.keys() & cruise.keys() if real[name]["figures"]]
    same_n = sum(bool(real[name]["broken"]) is bool(cruise[name]["broken"]) for name in both)
    rows += ["", f"The verdict is the same in {same_n} of {len(both)} cells."]
    return "\n".join(rows)


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
