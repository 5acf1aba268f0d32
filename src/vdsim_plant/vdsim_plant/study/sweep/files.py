"""The files of a sweep: its plan's fingerprint and its finished parts, each written whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from vdsim_plant.parameters import ParameterError
from vdsim_plant.parameters.checked_file import FileError, read_json
from vdsim_plant.study.sweep.cases import Row
from vdsim_plant.study.sweep.plan import Plan

PLAN_FILE, PARTS_FOLDER = "sweep.json", "parts"


def prepare(folder: Path, plan: Plan) -> None:
    """Make the folder of a sweep; one that holds another sweep is refused."""
    try:
        (folder / PARTS_FOLDER).mkdir(parents=True, exist_ok=True)
        known = folder / PLAN_FILE
        if not known.exists():
            if any((folder / PARTS_FOLDER).iterdir()):
                raise ParameterError("--out", f"={folder}: holds parts without a {PLAN_FILE}")
            write_whole(known, json.dumps({"fingerprint": plan.fingerprint}) + "\n")
        elif _content(known) != {"fingerprint": plan.fingerprint}:
            raise ParameterError("--out", f"={folder}: holds another sweep: must be a new folder")
    except OSError as error:
        raise ParameterError("--out", f"={folder}: cannot be used: {error.strerror}") from None


def part_path(folder: Path, number: int) -> Path:
    """Return where a part's rows are."""
    return folder / PARTS_FOLDER / f"{number:06d}.json"


def write_part(folder: Path, number: int, rows: Sequence[Row]) -> None:
    """Write a finished part."""
    write_whole(part_path(folder, number), json.dumps(rows, indent=0) + "\n")


def part_rows(folder: Path, plan: Plan, number: int) -> list[Row] | None:
    """Return the rows of a part; None where it is not there, or not whole."""
    rows = _content(part_path(folder, number))
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    return rows if [row.get("case") for row in rows] == list(plan.numbers(number)) else None


def missing_parts(folder: Path, plan: Plan) -> list[int]:
    """Return the numbers of the parts that are left to run."""
    return [number for number in range(plan.parts_n) if part_rows(folder, plan, number) is None]


def all_rows(folder: Path, plan: Plan) -> Iterator[Row]:
    """Return the rows of all parts, in the order of the cases, one part at a time."""
    for number in range(plan.parts_n):
        found = part_rows(folder, plan, number)
        if found is None:
            raise ParameterError("--out", f"={folder}: part {number} is not there")
        yield from found


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give the name under which to write a file; it then appears whole, or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise ParameterError("--out", f"cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write a file that appears whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def _content(path: Path) -> Any:
    try:
        return read_json(path)
    except FileError:
        return None
