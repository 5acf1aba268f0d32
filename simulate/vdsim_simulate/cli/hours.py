"""The hours that were simulated: what `--store` has written, summed into a file of the repository.

A run is one call of `./ws simulate` on one commit. Its seeds follow from where it began, so that
the row of a run is enough to run it again and to compare its hash. The page has a row for all runs
of a place: one composition on one platform, on one commit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

STORED = Path(__file__).with_name("hours.json")
Line = Mapping[str, Any]


class Run(NamedTuple):
    """The sum of a run. `bits`: hash over those of its seeds, in their order.

    `broken`: the seeds that broke an oracle. `reached`: each fault, and what the car did then.
    """

    composition: str
    platform: str
    car_file: str
    commit: str
    first_seed: int
    seeds_n: int
    simulated_s: float
    bits: str
    broken: dict[str, list[int]]
    reached: dict[str, list[str]]
    steps_n: int

    @property
    def name(self) -> tuple[str, str, str, str, int]:
        """What tells it from others: summed once more, it replaces itself."""
        return self[:5]


class Place(NamedTuple):
    """All runs of a place, by their first seeds: what they reached and broke together."""

    runs: tuple[Run, ...]

    @property
    def bits(self) -> str:
        """The bits of a lone run; of several, a hash over theirs, in the order of their seeds."""
        if len(self.runs) == 1:
            return self.runs[0].bits
        return hashlib.sha256("".join(run.bits for run in self.runs).encode()).hexdigest()[:16]

    @property
    def broken(self) -> dict[str, list[int]]:
        """The seeds that broke an oracle."""
        broken: dict[str, list[int]] = {}
        for run in self.runs:
            for oracle, seeds in run.broken.items():
                broken.setdefault(oracle, []).extend(seeds)
        return broken

    @property
    def pairs_n(self) -> int:
        """How many pairs of a fault and a phase were reached."""
        reached = {
            (fault, phase)
            for run in self.runs
            for fault, phases in run.reached.items()
            for phase in phases
        }
        return len(reached)


def places(runs: Iterable[Run]) -> list[Place]:
    """Put the runs of a place together."""
    together = groupby(sorted(runs, key=lambda run: run.name), key=lambda run: run.name[:4])
    return [Place(tuple(part)) for _, part in together]


def lines_of(path: Path) -> list[Line]:
    """Read what `--store` has written; a line that was cut short ends it."""
    lines = []
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            lines.append(json.loads(text))
        except ValueError:
            break
    return lines


def runs_of(lines: Iterable[Line]) -> list[Run]:
    """Sum the lines of each run."""
    parts: dict[tuple[Any, ...], list[Line]] = {}
    for line in lines:
        key = tuple(line[name] for name in Run._fields[:5])
        parts.setdefault(key, []).append(line)
    return [_run(part) for part in parts.values()]


def _run(lines: list[Line]) -> Run:
    bits = hashlib.sha256()
    broken: dict[str, list[int]] = {}
    reached: dict[str, set[str]] = {}
    steps: set[tuple[str, ...]] = set()
    for line in lines:
        bits.update(line["bits"].encode())
        for oracle in line["broken"]:
            broken.setdefault(oracle, []).append(line["seed"])
        for fault, phase, _ in line["reached"]:
            reached.setdefault(fault, set()).add(phase)
        steps.update(map(tuple, line["steps"]))
    simulated_s = round(sum(line["simulated_s"] for line in lines), 2)
    met = {fault: sorted(phases) for fault, phases in sorted(reached.items())}
    return Run(
        **{name: lines[0][name] for name in Run._fields[:5]},
        seeds_n=len(lines),
        simulated_s=simulated_s,
        bits=bits.hexdigest()[:16],
        broken=broken,
        reached=met,
        steps_n=len(steps),
    )


def stored(path: Path = STORED) -> list[Run]:
    """The runs of the repository's file."""
    return [Run(**row) for row in json.loads(path.read_text(encoding="utf-8"))]


def store(runs: Iterable[Run], path: Path = STORED) -> list[Run]:
    """Add runs to the file; returns all."""
    every = {run.name: run for run in (*(stored(path) if path.is_file() else ()), *runs)}
    rows = [every[name] for name in sorted(every)]
    text = ",\n".join(json.dumps(row._asdict()) for row in rows)
    path.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    return rows
