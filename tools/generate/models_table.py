"""The table of docs/side-by-side.md beside CommonRoad's models, from bench/peers.json."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from generate.paths import ROOT

_STORED = ROOT / "bench" / "peers.json"
"""Written by bench/plant/bench_peers.py --store; the lane `commonroad` holds it."""


def models_table() -> str:
    """A row for each model; times only to the order in which a machine repeats them."""
    stored = json.loads(_STORED.read_text(encoding="utf-8"))
    rows = [
        "| model | 5 s of driving, steps of 0.5 ms | acceleration over what the road gives |",
        "|---|---|---|",
    ]
    for row in stored["rows"]:
        time_ms = float(f"{row['ms_of_5_s']:.2g}")
        rows.append(f"| {row['name']} | {time_ms:g} ms | {row['friction_use']:.2f} |")
    return "\n".join([*rows, "", f"Measured on {stored['date']}, on one core."])


PARTS: Mapping[str, Callable[[], str]] = {"models": models_table}
