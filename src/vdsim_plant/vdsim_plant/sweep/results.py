"""The results of a finished sweep: one table, and a page that sums it up.

The table is Parquet where pyarrow is installed, else CSV with every digit. The order of rows and
columns is that of the cases.
"""

from __future__ import annotations

import csv
import importlib
import importlib.util
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vdsim_plant.manoeuvres import panels
from vdsim_plant.parameters import ParameterError
from vdsim_plant.sweep.files import Row, part_rows, unfinished, write_whole
from vdsim_plant.sweep.plan import Plan

CSV_FILE, PARQUET_FILE, SUMMARY_FILE = "results.csv", "results.parquet", "summary.md"
PICTURED_METRICS, PICTURED_COLUMNS = 3, 3
FIRST_COLUMNS = ("case", "manoeuvre", "vehicle", "seed", "mu")
ERROR = "error"


def all_rows(folder: Path, plan: Plan) -> list[Row]:
    """Return the rows of all parts, in the order of the cases."""
    rows: list[Row] = []
    for number in range(len(plan.parts)):
        found = part_rows(folder, plan, number)
        if found is None:
            raise ParameterError("--out", f"={folder}: part {number} is not there")
        rows += found
    return rows


def columns_of(rows: Sequence[Row]) -> list[str]:
    """Return the names of all columns: what a case is, its results, its error."""
    names = dict.fromkeys(name for row in rows for name in row if name != ERROR)
    return [*names, ERROR]


def write_results(folder: Path, rows: Sequence[Row], *, parquet: bool) -> Path:
    """Write the table, as Parquet or CSV."""
    if parquet:
        return _write_parquet(folder / PARQUET_FILE, rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns_of(rows), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(folder / CSV_FILE, text.getvalue())
    return folder / CSV_FILE


def has_pyarrow() -> bool:
    """Whether Parquet can be written."""
    return importlib.util.find_spec("pyarrow") is not None


def _write_parquet(path: Path, rows: Sequence[Row]) -> Path:
    arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    table = arrow.table({name: [row.get(name) for row in rows] for name in columns_of(rows)})
    temporary = unfinished(path)
    try:
        parquet.write_table(table, temporary)
        temporary.replace(path)
    except OSError as error:
        raise ParameterError("--out", f"cannot be written: {error.strerror}") from None
    return path


def summary(rows: Sequence[Row], plan: Plan, pictures: Sequence[str]) -> str:
    """Return the page: what was driven, and the spread of each metric by manoeuvre."""
    failed = [row for row in rows if ERROR in row]
    lines = [
        "# Sweep",
        "",
        f"{len(rows)} cases, {len(failed)} without a result. "
        f"Varied: {', '.join(f'`{name}`' for name in plan.varied) or 'nothing'}.",
    ]
    for manoeuvre in dict.fromkeys(row["manoeuvre"] for row in rows):
        mine = [row for row in rows if row["manoeuvre"] == manoeuvre]
        done = sum(ERROR not in row for row in mine)
        lines += ["", f"## {manoeuvre}", "", f"{done} of {len(mine)} cases have a result.", ""]
        lines += ["| metric | lowest | median | highest |", "|---|---|---|---|"]
        for name in metrics_of(mine):
            values = np.array([row[name] for row in mine if name in row], dtype=np.float64)
            low, middle, high = np.quantile(values, (0.0, 0.5, 1.0))
            lines.append(f"| {_short(name)} | {low:.5g} | {middle:.5g} | {high:.5g} |")
        lines += [
            line
            for picture in pictures
            if picture == picture_of(manoeuvre)
            for line in ("", f"![{manoeuvre}]({picture})")
        ]
    if failed:
        lines += ["", "## Without a result", "", "| case | manoeuvre | why |", "|---|---|---|"]
        lines += [f"| {row['case']} | {row['manoeuvre']} | {row[ERROR]} |" for row in failed[:20]]
        if len(failed) > 20:
            lines += ["", f"{len(failed) - 20} more are in the table."]
    return "\n".join(lines) + "\n"


def picture_of(manoeuvre: str) -> str:
    """Return the file of a manoeuvre's picture."""
    return f"{manoeuvre}.png"


def metrics_of(rows: Sequence[Row]) -> list[str]:
    """Return the columns of results that are numbers."""
    names = dict.fromkeys(name for row in rows for name in row if name not in FIRST_COLUMNS)
    stem = {f"{row['manoeuvre']}." for row in rows}
    return [
        name
        for name in names
        if name.startswith(tuple(stem))
        and all(isinstance(row.get(name, 0.0), (int, float)) for row in rows)
    ]


def figure_of(rows: Sequence[Row], plan: Plan) -> Any:
    """Draw the first metrics that change over the first varied columns; None where none does."""
    names = [name for name in metrics_of(rows) if len({row.get(name) for row in rows}) > 1]
    over = [name for name in plan.varied if len({row.get(name) for row in rows}) > 1]
    names, over = names[:PICTURED_METRICS], over[:PICTURED_COLUMNS]
    if not names or not over:
        return None
    size = (4.5 * len(over), 3.2 * len(names))
    figure, axes = panels.new_figure(rows[0]["manoeuvre"], len(names), len(over), size_in=size)
    for line, name in enumerate(names):
        for place, column in enumerate(over):
            kept = [row for row in rows if name in row and column in row]
            axis = axes[line, place]
            x, y = ([row[key] for row in kept] for key in (column, name))
            axis.plot(x, np.array(y, dtype=np.float64), "o", color=panels.BLUE, markersize=4)
            panels.label(axis, column, _short(name))
    return figure


def _short(name: str) -> str:
    return name.partition(".")[2]
