"""The tables of docs/where-it-runs.md, from tools/workspace/where_it_runs.json."""

from __future__ import annotations

from workspace.matrix import RESULTS, WITHOUT_ROS, Cell, matrix


def _table(machine: str) -> str:
    table = matrix()
    rows = [
        f"| | {' | '.join(f'Python {python}' for python in table.pythons)} |",
        f"|---|{'---|' * len(table.pythons)}",
    ]
    for name in table.distros:
        for origin in ("installed", "wheels"):
            rows.append(_row(f"{name.capitalize()}, {origin}", name, origin, machine))
    rows.append(_row("no ROS 2: plant and protocol", WITHOUT_ROS, "wheels", machine))
    return "\n".join(rows)


def _row(title: str, ros: str, origin: str, machine: str) -> str:
    cells = [Cell(ros, origin, python, machine) for python in matrix().pythons]
    return f"| {title} | {' | '.join(matrix().word(cell) for cell in cells)} |"


def _tables() -> str:
    machines = matrix().machines
    return "\n\n".join(f"### {title}\n\n{_table(key)}" for key, title in machines.items())


def _words() -> str:
    return "\n".join(f"- **{word}**: {text}." for word, text in RESULTS.items())


def _seen() -> str:
    rows = ["| where | result | what was seen |", "|---|---|---|"]
    rows += [f"| {e.cell.title} | {e.result} | {e.seen} |" for e in matrix().tried]
    return "\n".join([*rows, "", *matrix().notes])


PARTS = {"tables": _tables, "words": _words, "what was seen": _seen}
