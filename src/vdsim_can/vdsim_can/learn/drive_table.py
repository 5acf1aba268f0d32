"""A table of a drive (CSV) -> series: what pedals, wheel and car did, on the clock of the log."""

from __future__ import annotations

import math

import numpy as np
from vdsim_protocol.checked_file import FileError

from vdsim_can.car.fields import REPORT_FIELDS
from vdsim_can.learn.likeness import Series

TIME = "t_s"


def table_series(text: str, *, source: str) -> list[Series]:
    """Return a series of each column but the time; a column has the name of a field."""
    lines = [[cell.strip() for cell in row.split(",")] for row in text.splitlines()]
    if not lines or TIME not in lines[0]:
        raise FileError(source, "line 1", f"must name columns, {TIME} among them")
    names = lines[0]
    for name in names:
        if name != TIME and name not in REPORT_FIELDS:
            known = ", ".join(REPORT_FIELDS)
            raise FileError(source, "line 1", f"{name[:40]} is no field; there are: {known}")
    rows = [_numbers(line, len(names), number, source) for number, line in enumerate(lines[1:], 2)]
    table = np.array([row for row in rows if row], dtype=float).reshape(-1, len(names))
    time_s = table[:, names.index(TIME)]
    if np.any(np.diff(time_s) <= 0.0):
        raise FileError(source, TIME, "must rise from row to row")
    return [
        Series(name, time_s, table[:, column]) for column, name in enumerate(names) if name != TIME
    ]


def _numbers(line: list[str], columns: int, number: int, source: str) -> list[float]:
    if line == [""]:
        return []
    try:
        values = [float(cell) for cell in line]
    except ValueError:
        values = [math.nan]
    if len(values) != columns or not all(map(math.isfinite, values)):
        raise FileError(source, f"line {number}", f"must have {columns} numbers")
    return values
