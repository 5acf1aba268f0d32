"""The files that a user names: those of parameters/checked_file.py, with this package's own error.

That file is a copy of the one reader of all packages (tools/generate/copies.py).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from vdsim_plant.parameters import checked_file
from vdsim_plant.parameters.checked_file import LARGEST_TEXT_BYTES, FileError
from vdsim_plant.parameters.errors import ParameterError


def read_text(path: Path, *, largest_bytes: int = LARGEST_TEXT_BYTES, source: str = "") -> str:
    """Return the text of a UTF-8 file, byte order mark or not; a fault names the file."""
    try:
        return checked_file.read_text(path, largest_bytes=largest_bytes, source=source)
    except FileError as fault:
        raise as_parameter(fault, source or path.name) from None


def check_file(path: Path, *, largest_bytes: int) -> None:
    """Raise unless a file, which a package of somebody else reads by its name, may be read."""
    try:
        checked_file.open_checked(path, largest_bytes=largest_bytes).close()
    except FileError as fault:
        raise as_parameter(fault, path.name) from None


def csv_rows(content: str) -> Iterator[tuple[int, list[str]]]:
    """Give the rows of a text of CSV with their numbers, from 1; a fault names the line."""
    reader = csv.reader(io.StringIO(content))
    try:
        yield from enumerate(reader, start=1)
    except csv.Error as error:
        raise ParameterError(f"line {reader.line_num}", f"not CSV: {error}") from None


def as_parameter(fault: FileError, source: str) -> ParameterError:
    """The fault of a file as the error of a parameter."""
    is_whole = fault.problem.startswith(("has ", "is "))
    problem = fault.problem if fault.where or is_whole else f"cannot be read: {fault.problem}"
    if problem == "is no regular file":
        problem = f"cannot be read: {problem}"
    return ParameterError(fault.where or "file", problem, source=source)
