"""What one kind of attack came to, and the table of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Row:
    """One kind. `fell`: a line for each that fell; `notes`: figures worth a word."""

    kind: str
    tried: int = 0
    fell: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def table(rows: Sequence[Row]) -> str:
    """The table, in Markdown."""
    lines = ["| kind | tried | fell | figures |", "|---|---|---|---|"]
    for row in rows:
        notes = "; ".join(row.notes)
        lines.append(f"| {row.kind} | {row.tried} | {len(row.fell)} | {notes} |")
    return "\n".join(lines)
