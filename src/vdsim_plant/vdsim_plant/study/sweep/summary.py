"""The page that sums a sweep up, and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vdsim_plant.study.manoeuvres import panels
from vdsim_plant.study.sweep.plan import Plan
from vdsim_plant.study.sweep.table import ERROR, Column, Group, Table

SUMMARY_FILE = "summary.md"
PICTURED_METRICS, PICTURED_COLUMNS = 3, 3
MANY_POINTS = 500
"""More points than these are drawn small."""


def summary(table: Table, plan: Plan, pictures: Sequence[str]) -> str:
    """Return the page: what was driven, and the spread of each metric by manoeuvre."""
    lines = [
        "# Sweep",
        "",
        f"{table.rows_n} cases, {table.failed_n} without a result. "
        f"Varied: {', '.join(f'`{name}`' for name in plan.varied) or 'nothing'}.",
    ]
    for group in table.groups.values():
        lines += ["", f"## {group.manoeuvre}", ""]
        lines += [f"{group.done_n} of {group.rows_n} cases have a result.", ""]
        lines += ["| metric | lowest | median | highest |", "|---|---|---|---|"]
        for name in group.metrics:
            values = group.columns[name].known
            if values.size:
                low, middle, high = np.quantile(values, (0.0, 0.5, 1.0))
                lines.append(f"| {_short(name)} | {low:.5g} | {middle:.5g} | {high:.5g} |")
        lines += [
            line
            for picture in pictures
            if picture == picture_of(group.manoeuvre)
            for line in ("", f"![{group.manoeuvre}]({picture})")
        ]
    return "\n".join([*lines, *_failures(table)]) + "\n"


def _failures(table: Table) -> list[str]:
    if not table.failed_n:
        return []
    lines = ["", "## Without a result", "", "| case | manoeuvre | why |", "|---|---|---|"]
    lines += [f"| {row['case']} | {row['manoeuvre']} | {row[ERROR]} |" for row in table.errors]
    more = table.failed_n - len(table.errors)
    return [*lines, "", f"{more} more are in the table."] if more else lines


def picture_of(manoeuvre: str) -> str:
    """Return the file of a manoeuvre's picture."""
    return f"{manoeuvre}.png"


def figure_of(group: Group, plan: Plan) -> Any:
    """Draw the first metrics that change over the first varied columns; None where none does."""
    names = [name for name in group.metrics if group.columns[name].changes]
    over = [name for name in plan.varied if name in group.columns and group.columns[name].changes]
    names, over = names[:PICTURED_METRICS], over[:PICTURED_COLUMNS]
    if not names or not over:
        return None
    size = (4.5 * len(over), 3.2 * len(names))
    figure, axes = panels.new_figure(group.manoeuvre, len(names), len(over), size_in=size)
    for line, name in enumerate(names):
        for place, column in enumerate(over):
            axis = axes[line, place]
            _points(axis, group.columns[column], group.columns[name])
            panels.label(axis, column, _short(name))
    return figure


def _points(axis: Any, over: Column, metric: Column) -> None:
    x, y = np.asarray(over.numbers), np.asarray(metric.numbers)
    size = 4.0 if len(x) <= MANY_POINTS else 1.5
    axis.plot(x, y, "o", color=panels.BLUE, markersize=size)
    if over.is_text:
        axis.set_xticks(list(over.names.values()), list(over.names))


def _short(name: str) -> str:
    return name.partition(".")[2]
