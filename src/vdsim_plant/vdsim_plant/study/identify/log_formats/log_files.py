"""Reads logs: CSV, MATLAB and CAN by channel names, and what others register a reader for.

A reader is an entry point of the group `vdsim_plant.log_readers`, named by the suffix of its files
without the dot: a function path -> (time_s, columns). The one for recordings (`.vds`) comes with
vdsim_plant_node. A reader of bus logs by a car file is an entry point of the group
`vdsim_plant.bus_log_readers`: a function (path, car file); that of `can` comes with vdsim_can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.input_file import csv_rows, read_text
from vdsim_plant.study.identify.channels import COMMAND_NAMES, KNOWN_COLUMNS, TIME, columns_of
from vdsim_plant.study.identify.drive_log import DriveLog, joined, make_log, missing_of
from vdsim_plant.study.identify.log_formats.can_file import read_can
from vdsim_plant.study.identify.log_formats.mat_file import read_mat
from vdsim_plant.study.identify.log_formats.mcap_file import checked_fields, read_mcap
from vdsim_plant.study.identify.log_formats.named_sources import Source, checked_sources

Array = NDArray[np.float64]
Columns = dict[str, Array]
Reader = Callable[[Path], tuple[Array, Columns]]
READER_GROUP = "vdsim_plant.log_readers"
BUS_READER_GROUP = "vdsim_plant.bus_log_readers"
LARGEST_CSV_BYTES = 2 << 30
MOST_NAMED = 8  # columns in an error


def read_logs(paths: list[Path]) -> DriveLog:
    """Read logs and put them one behind the other; every fault names its file."""
    return joined([read_log(path) for path in paths])


def read_log(
    path: Path, fields: Sequence[str] = (), dbc: Path | None = None, car: str = ""
) -> DriveLog:
    """Read one log by the reader of its suffix.

    `fields` says where the file has channels, as the command line does; `dbc`: of a CAN log; `car`:
    the car file by which a recording of a bus is read.
    """
    suffix = path.suffix.lower().removeprefix(".")
    if car:
        time_s, columns = _read_bus(path, car)
    else:
        time_s, columns = _read(path, suffix, fields, dbc)
    missing = missing_of({TIME.name: time_s, **columns})
    if missing:
        raise ParameterError("columns", "has no " + "; no ".join(missing), source=path.name)
    return make_log(time_s, columns, source=path.name)


def _read(
    path: Path, suffix: str, fields: Sequence[str], dbc: Path | None
) -> tuple[Array, Columns]:
    if suffix == "mcap" and fields:
        return read_mcap(path, checked_fields(fields))
    if suffix == "log":
        if dbc is None:
            raise ParameterError("--dbc", "is missing: a CAN log needs it", source=path.name)
        return read_can(path, dbc, checked_sources(fields))
    if suffix == "mat":
        return read_mat(path, checked_sources(fields))
    if suffix == "csv" and fields:
        return read_csv(path, checked_sources(fields))
    return reader_of(suffix, path.name)(path)


def _read_bus(path: Path, car: str) -> tuple[Array, Columns]:
    """Read a recording of a bus by a car file."""
    for point in entry_points(group=BUS_READER_GROUP):
        found: tuple[Array, Columns] = point.load()(path, car)
        return found
    problem = f"={car}: needs vdsim_can, which reads car files"
    raise ParameterError("--car", problem, source=path.name)


def reader_of(suffix: str, source: str = "") -> Reader:
    """Return the reader of a kind of file."""
    own: dict[str, Reader] = {
        "csv": read_csv,
        "log": lambda path: _read(path, "log", (), None),
        "mat": lambda path: read_mat(path, {}),
        "mcap": read_mcap,
    }
    if suffix in own:
        return own[suffix]
    registered = {point.name: point for point in entry_points(group=READER_GROUP)}
    if suffix not in registered:
        known = ", ".join(f".{name}" for name in sorted({*own, *registered}))
        raise ParameterError("file", f"must be one of {known}", source=source)
    reader: Reader = registered[suffix].load()
    return reader


def read_csv(path: Path, sources: Mapping[str, Source] | None = None) -> tuple[Array, Columns]:
    """Read a CSV: a header, numbers, lines with # are comments; `sources` name other columns.

    A table of `vdsim_replay` is one too; its rows hold the command of the tick that they end.
    """
    text = read_text(path, largest_bytes=LARGEST_CSV_BYTES)
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        raise ParameterError("file", "is empty", source=path.name)
    try:
        header = next((cells for _, cells in csv_rows(lines[0])), [])
    except ParameterError as error:
        raise error.in_file(path.name) from None
    places = columns_of(header)
    names = [name.strip() for name in header]
    for channel, source in (sources or {}).items():
        if source.name not in names:
            known = ", ".join(names[:MOST_NAMED])
            problem = f"={source.name}: must be a column of the file ({known})"
            raise ParameterError(channel, problem, source=path.name)
        places[channel] = names.index(source.name)
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
    for channel, source in (sources or {}).items():
        columns[channel] = columns[channel] * source.factor
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
    for number, cells in ((row + 1, cells) for row, cells in csv_rows("\n".join(lines))):
        for name, place in places.items():
            try:
                float(cells[place])
            except IndexError:
                return f"row {number}", f"has {len(cells)} cells: must have those of the header"
            except ValueError:
                return f"row {number}: {name}", f"={cells[place][:40]!r}: must be a number"
    return "rows", "cannot be read as numbers"
