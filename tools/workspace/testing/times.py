"""What each test file costs: the records of a run of the tests, and their table."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER = "VDSIM_TEST_TIMES"
"""The variable that names the folder into which each run of pytest writes one file."""
PLUGIN = "workspace.testing.times_plugin"


@dataclass(slots=True)
class Cost:
    """What one test file took: of the processor, by the clock, at its import, and for how much."""

    cpu_s: float = 0.0
    wall_s: float = 0.0
    import_s: float = 0.0
    tests: int = 0

    @property
    def all_cpu_s(self) -> float:
        """Seconds of the processor, its import included."""
        return self.cpu_s + self.import_s

    def add(self, other: Cost) -> None:
        """Count another one's, too."""
        self.cpu_s += other.cpu_s
        self.wall_s += other.wall_s
        self.import_s += other.import_s
        self.tests += other.tests


def write(folder: Path, name: str, costs: dict[str, Cost]) -> None:
    """Store what one run of pytest counted."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = {file: asdict(cost) for file, cost in costs.items() if cost.tests}
    (folder / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")


def read(folder: Path) -> dict[str, Cost]:
    """The costs of the test files, by what the runs of pytest wrote into the folder."""
    costs: dict[str, Cost] = {}
    for path in sorted(folder.glob("*.json")):
        rows = json.loads(path.read_text(encoding="utf-8"))
        costs |= {file: Cost(**row) for file, row in rows.items()}
    return costs


def table(costs: dict[str, Cost], rows: int) -> Iterable[str]:
    """The dearest files, and the sum of all."""
    yield f"{'CPU s':>8} {'import s':>8} {'clock s':>8} {'tests':>6}  file"
    dearest = sorted(costs.items(), key=lambda item: -item[1].all_cpu_s)
    for name, cost in dearest[:rows]:
        yield _row(name, cost)
    total = Cost()
    for cost in costs.values():
        total.add(cost)
    yield _row(f"all {len(costs)} files", total)


def _row(name: str, cost: Cost) -> str:
    figures = (cost.all_cpu_s, cost.import_s, cost.wall_s)
    return " ".join([*(f"{figure:8.1f}" for figure in figures), f"{cost.tests:6}", f" {name}"])
