"""The tables of docs/simulate.md: faults, oracles, known defects."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping
from functools import partial

from vdsim_simulate.cli.hours import places
from vdsim_simulate.cli.hours import stored as stored_hours
from vdsim_simulate.fault_table import FAULTS, Range, rows_of
from vdsim_simulate.known import known_defects
from vdsim_simulate.oracles import ABOVE_RAW, ORACLES
from vdsim_simulate.planted import FOREIGN, FOREIGN_FOURTH, FOREIGN_SECOND, FOREIGN_THIRD, OWN
from vdsim_simulate.planted.patches import Planted
from vdsim_simulate.scene import PLATFORMS
from vdsim_simulate.world import PHASES

from generate.paths import ROOT
from generate.tables import table

FOUND = ROOT / "simulate/vdsim_simulate/planted/found.json"
"""Written by `./ws simulate --planted all --store`."""


def faults() -> str:
    """Each fault and the values that a seed draws."""
    rows = []
    for row in FAULTS.values():
        drawn = (f"{name} {_among(among)}" for name, among in row.ranges.items())
        only = "" if row.platforms == PLATFORMS else ", ".join(row.platforms)
        rows.append((f"`{row.name}`", row.text, ", ".join(drawn), only))
    return table(("fault", "what happens", "drawn", "only on"), rows)


def _among(among: Range) -> str:
    words = [value if isinstance(value, str) else f"{value:g}" for value in among]
    return (" or " if isinstance(among[0], str) else " to ").join(words)


def oracles() -> str:
    """Each oracle by the first line of its docstring."""
    rows = (
        (
            f"`{name}`",
            (check.__doc__ or "").partition("\n")[0],
            "no" if name in ABOVE_RAW else "",
        )
        for name, check in ORACLES.items()
    )
    return table(("oracle", "what must hold", "raw"), rows)


def defects() -> str:
    """Each known defect: what breaks it, and its state."""
    rows = (
        (
            f"`{row.name}`",
            row.what,
            f"`{row.oracle}`",
            f"{row.composition} {row.seed}",
            "mended" if row.mended else "open",
        )
        for row in known_defects()
    )
    return table(("defect", "what happens", "breaks", "seed", ""), rows)


def found(planted: Mapping[str, Planted]) -> str:
    """Each planted defect, and what has found it in how much time of one core."""
    stored = json.loads(FOUND.read_text(encoding="utf-8"))
    rows, times_s = [], []
    searched_n = sum(name in stored for name in planted)
    for name, row in planted.items():
        oracle, seeds_n, took_s = stored.get(name, ("not searched for", "", ""))
        where = row.composition if row.platform == "vds1" else f"{row.composition} {row.platform}"
        if oracle in ORACLES:
            times_s.append(took_s)
            oracle = f"`{oracle}`"
        by = oracle or "not found"
        rows.append((f"`{name}`", row.what, where, by, str(seeds_n), str(took_s)))
    half_s = statistics.median(times_s or [0])
    count = (
        f"Planted: {len(planted)}; searched for so far: {searched_n}; found: {len(times_s)}, "
        f"in {half_s:.0f} s in the median."
    )
    head = ("defect", "what is wrong", "where", "found by", "seeds", "CPU [s]")
    return f"{count}\n\n{table(head, rows)}"


def hours() -> str:
    """What was simulated, place by place, and the sum."""
    runs, rows = stored_hours(), []
    for place in places(runs):
        first, last = place.runs[0], place.runs[-1]
        all_n = len(PHASES) * len(rows_of(first.composition, first.platform))
        broken = (f"`{name}`: {', '.join(map(str, seeds))}" for name, seeds in place.broken.items())
        where = " ".join((first.composition, first.car_file or first.platform))
        several = "" if first is last else f" to {last.first_seed}, {len(place.runs)} runs"
        rows.append(
            (
                where,
                f"`{first.commit}`",
                f"{first.first_seed}{several}",
                f"{sum(run.seeds_n for run in place.runs)}",
                f"{sum(run.simulated_s for run in place.runs) / 3600.0:.2f}",
                f"{place.pairs_n} of {all_n}",
                f"{max(run.steps_n for run in place.runs)}",
                f"`{place.bits}`",
                "; ".join(broken) or "nothing",
            )
        )
    seeds_n = sum(run.seeds_n for run in runs)
    broke_n = len(
        {(run.name, seed) for run in runs for each in run.broken.values() for seed in each}
    )
    simulated_h = sum(run.simulated_s for run in runs) / 3600.0
    count = f"Stored: {simulated_h:.1f} h in {seeds_n} seeds, of which {broke_n} broke something."
    head = (
        "where",
        "commit",
        "from seed",
        "seeds",
        "hours",
        "pairs",
        "transitions",
        "bits",
        "broken",
    )
    return f"{count}\n\n{table(head, rows)}"


PARTS: Mapping[str, Callable[[], str]] = {
    "simulator faults": faults,
    "simulator oracles": oracles,
    "simulator defects": defects,
    "simulator planted": partial(found, OWN),
    "simulator foreign": partial(found, FOREIGN),
    "simulator foreign second": partial(found, FOREIGN_SECOND),
    "simulator foreign third": partial(found, FOREIGN_THIRD),
    "simulator foreign fourth": partial(found, FOREIGN_FOURTH),
    "simulator hours": hours,
}
