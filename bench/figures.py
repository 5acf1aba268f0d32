"""Figures for `./ws bench --all`: what a benchmark measured, and what its peer took."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

VARIABLE = "VDSIM_BENCH_FIGURES"
"""The file to which figures are appended; without it a benchmark only prints."""


def figure(
    name: str,
    unit: str,
    values: Sequence[float],
    peer: str,
    peer_values: Sequence[float],
    *,
    less_is_better: bool = True,
) -> None:
    """Hand over one figure: its values and its peer's, round by round of the same run."""
    file = os.environ.get(VARIABLE)
    if file is None:
        return
    content = {
        "name": name,
        "unit": unit,
        "values": list(values),
        "peer": peer,
        "peer_values": list(peer_values),
        "less_is_better": less_is_better,
    }
    with Path(file).open("a", encoding="utf-8") as out:
        out.write(json.dumps(content) + "\n")
