"""The tables of docs/where-it-runs.md, from tools/workspace/where_it_runs.json."""

from __future__ import annotations

import json

from workspace.matrix import DATA, RESULTS, WITHOUT_ROS, Cell, matrix

_UPSTREAM = DATA.with_name("upstream_run.json")
"""Written by the lane `upstream` (test/lanes/upstream)."""


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
    return "\n".join(rows)


def _upstream() -> str:
    """The last run of the lane `upstream`, with the versions and commits of what it built."""
    run = json.loads(_UPSTREAM.read_text(encoding="utf-8"))
    by_commit: dict[str, list[str]] = {}
    for name, (version, commit) in run["packages"].items():
        by_commit.setdefault(commit, []).append(f"{name} {version}")
    built = [f"- `{commit[:12]}`: {', '.join(names)}" for commit, names in by_commit.items()]
    rows = [f"| {part} | {result} |" for part, result in run["parts"].items()]
    python = f"Python {run['python']}; packages, by the commit of their repository:"
    return "\n".join([python, "", *built, "", "| what ran | result |", "|---|---|", *rows])


PARTS = {"upstream": _upstream, "tables": _tables, "words": _words, "what was seen": _seen}
