"""Defects that are known, each with the seed that found it and the scene that it shrank to.

A row whose `mended` is false must still break; one that is mended must hold. Who mends a defect
changes its row, and the scene goes on as a test of the mending.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from vdsim_simulate.oracles import Violation
from vdsim_simulate.runs import breaks
from vdsim_simulate.scene import Scene, scene_from

FOLDER = Path(__file__).resolve().parents[1] / "known"


class Known(NamedTuple):
    """One row. `commit`: where `seed` of `composition` found it, by breaking `oracle`."""

    name: str
    what: str
    oracle: str
    composition: str
    seed: int
    commit: str
    mended: bool
    scene: Scene

    def violation(self) -> Violation | None:
        """Run the scene and ask the oracle."""
        return breaks(self.oracle, self.scene)


def known_defects() -> list[Known]:
    """Return every row, by name."""
    rows = []
    for path in sorted(FOLDER.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        rows.append(Known(**{**data, "name": path.stem, "scene": scene_from(data["scene"])}))
    return rows
