"""The tables of docs/record.md: stored runs of vdsim_record_kills, and of tapes."""

from __future__ import annotations

import json
from typing import Any

from generate.paths import ROOT
from generate.tables import table

KILLS = ROOT / "campaign/results/record_kills.json"
TAPES = ROOT / "campaign/results/record_tapes.json"


def kills() -> str:
    """A row a kind."""
    stored: dict[str, Any] = json.loads(KILLS.read_text(encoding="utf-8"))
    rows = [
        (
            f"`{kind}`",
            str(row["kills_n"]),
            str(row["faults_n"]),
            _three(row["complete_s"]),
            _three(row["lost_s"]),
            f"{row['of']}, {row['date']}, load {row['load']}",
        )
        for kind, row in stored.items()
    ]
    heads = ("kind", "kills", "faults", "complete after [s]", "lost [s]", "commit, day, machine")
    total = sum(row["kills_n"] for row in stored.values())
    text = "Three numbers: the median, of which 99 % are below, the largest; with all delays."
    return f"{table(heads, rows)}\n\n{total} kills. {text}"


def _three(values: list[float]) -> str:
    return " / ".join(f"{value:.3f}" for value in values)


def tapes() -> str:
    """A row a composition."""
    stored: dict[str, Any] = json.loads(TAPES.read_text(encoding="utf-8"))
    rows = [
        (
            name,
            str(row["runs"]),
            str(len(row["faults"])),
            str(row["tapes"]),
            str(row["ticks"]),
            str(row["bits"]),
            str(row["differing_bits"]),
        )
        for name, row in stored.items()
    ]
    heads = ("where", "runs", "kinds of fault", "tapes", "ticks", "bits sent", "differing bits")
    return table(heads, rows)


PARTS = {"kills": kills, "tapes": tapes}
