"""Reads logs: CSV with one column a channel, and what other packages register a reader for.

A reader is an entry point of the group `vdsim_plant.log_readers`, named by the suffix of its files
without the dot: a function path -> (time_s, columns). The one for recordings (`.vds`) comes with
vdsim_plant_node.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from importlib.metadata import entry_points
from io import StringIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.identify.channels import COMMAND_NAMES, KNOWN_COLUMNS, TIME, columns_of
from vdsim_plant.identify.drive_log import DriveLog, joined, make_log, missing_of
from vdsim_plant.identify.mcap_file import read_mcap
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.input_file import read_text

Array = NDArray[np.float64]
Columns = dict[str, Array]
Reader = Callable[[Path], tuple[Array, Columns]]
READER_GROUP = "vdsim_plant.log_readers"
LARGEST_CSV_BYTES = 2 << 30
MOST_NAMED = 8  # columns in an error


def read_logs(paths: list[Path]) -> DriveLog:
    """Read logs and put them one behind the other; every fault names its file."""
    return joined([read_log(path) for path in paths])


def read_log(path: Path) -> DriveLog:
    """Read one log by the reader of its suffix."""
    suffix = path.suffix.lower().removeprefix(".")
    time_s, columns = reader_of(suffix, path.name)(path)
    missing = missing_of({TIME.name: time_s, **columns})
    if missing:
        raise ParameterError("columns", "has no " + "; no ".join(missing), source=path.name)
    return make_log(time_s, columns, source=path.name)


def reader_of(suffix: str, source: str = "") -> Reader:
    """Return the reader of a kind of file."""
    own: dict[str, Reader] = {"csv": read_csv, "mcap": read_mcap}
    if suffix in own:
        return own[suffix]
    registered = {point.name: point for point in entry_points(group=READER_GROUP)}
    if suffix not in registered:
        known = ", ".join(f".{name}" for name in sorted({*own, *registered}))
        raise ParameterError("file", f"must be one of {known}", source=source)
    reader: Reader = registered[suffix].load()
    return reader


def read_csv(path: Path) -> tuple[Array, Columns]:
    """Read a CSV: a header, numbers, lines with # are comments.

    A table of `vdsim_replay` is one too; its rows hold the command of the tick that they end.
    """
    text = read_text(path, largest_bytes=LARGEST_CSV_BYTES)
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        raise ParameterError("file", "is empty", source=path.name)
    header = next(csv.reader(StringIO(lines[0])))
    places = columns_of(header)
    names = [name.strip() for name in header]
    missing = missing_of(places)
    if missing:
        unknown = [name for name in names if name not in KNOWN_COLUMNS]
        hint = f"; not known: {', '.join(unknown[:MOST_NAMED])}" if unknown else ""
        raise ParameterError(
            "columns",
            f"has no {'; no '.join(missing)}{hint}; --channels lists names and units",
            source=path.name,
        )
    is_run = {"vehicle_id", "drive"} <= set(names)
    wanted = dict(places)
    if is_run:
        wanted["vehicle_id"] = names.index("vehicle_id")
    table = _numbers(lines[1:], wanted, path.name)
    columns = dict(zip(wanted, table.T, strict=True))
    time_s = columns.pop(TIME.name)
    if is_run:
        if len(np.unique(columns.pop("vehicle_id"))) > 1:
            raise ParameterError("vehicle_id", "must be one vehicle a file", source=path.name)
        time_s, columns = commands_ahead(time_s, columns)
    return time_s, columns


def commands_ahead(time_s: Array, columns: Columns) -> tuple[Array, Columns]:
    """Move commands from the row that ends their tick to the row that begins it."""
    moved = {
        name: values[1:] if name in COMMAND_NAMES else values[:-1]
        for name, values in columns.items()
    }
    return time_s[:-1], moved


def _numbers(lines: list[str], places: dict[str, int], source: str) -> Array:
    try:
        table = np.loadtxt(
            lines, delimiter=",", usecols=list(places.values()), ndmin=2, dtype=np.float64
        )
    except ValueError:
        raise ParameterError(*_first_fault(lines, places), source=source) from None
    return table


def _first_fault(lines: list[str], places: dict[str, int]) -> tuple[str, str]:
    for number, cells in enumerate(csv.reader(lines), start=2):
        for name, place in places.items():
            try:
                float(cells[place])
            except IndexError:
                return f"row {number}", f"has {len(cells)} cells: must have those of the header"
            except ValueError:
                return f"row {number}: {name}", f"={cells[place][:40]!r}: must be a number"
    return "rows", "cannot be read as numbers"
