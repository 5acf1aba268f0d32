"""The table of docs/calibrate.md: range and error of each shipped pedal map, from its file."""

from __future__ import annotations

import re

from vdsim_interface.platforms.pedal_table import load_pedal_map

from generate.paths import ROOT
from generate.tables import table

FOLDER = ROOT / "src/vdsim_interface/vdsim_interface/platforms/maps"
_ERROR = re.compile(r"rms ([\d.]+) m/s2, max ([\d.]+) m/s2")


def pedal_map_table() -> str:
    """One row per shipped map."""
    return table(
        ("vehicle", "speeds", "pedals", "rms", "max"),
        (_row(path.stem) for path in sorted(FOLDER.glob("*.csv"))),
    )


def _row(name: str) -> tuple[str, ...]:
    pedal_map = load_pedal_map(name)
    error = _ERROR.search((FOLDER / f"{name}.csv").read_text(encoding="utf-8"))
    if error is None:
        raise ValueError(f"{name}.csv: has no line with its error")
    rms, largest = error.groups()
    speeds, pedals = pedal_map.speeds_mps, pedal_map.pedals
    return (
        name,
        f"{speeds[0]:g} to {speeds[-1]:g} m/s",
        f"{pedals[0]:g} to {pedals[-1]:g}",
        f"{rms} m/s2",
        f"{largest} m/s2",
    )


PARTS = {"pedal maps": pedal_map_table}
