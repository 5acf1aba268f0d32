"""Records as lines of JSON, each with the hash of the one before; and the check of such lines.

    line = canonical JSON (keys sorted, no blanks, ASCII) of the record, its hash included
    hash = SHA-256 of the canonical JSON of the record without its hash

The chain shows that a line was changed, left out or put in. It cannot show that its last lines were
cut off, or that all of it was written again: for that, somebody else has to know a hash of it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from typing import Any, NamedTuple

from vdsim_protocol.checked_file import FileError, parse_json

from vdsim_interface.extras.events.occurrences import START, Occurrence

Record = dict[str, Any]
NO_HASH = "0" * 64
COLUMNS = (
    *("number", "time", "kind", "phase", "cause", "by", "mode_before", "mode", "text"),
    *("clock_s", "repeated", "cut_bytes", "parameters", "version", "previous", "hash"),
)


class Chain:
    """Makes the lines of a log. `previous`, `number`: the hash and number of its latest record."""

    def __init__(self, version: str, previous: str = NO_HASH, number: int = 0) -> None:
        self._version = version
        self.previous, self.number = previous, number

    def line(self, occurrence: Occurrence, time_ns: int, cut_bytes: int = 0) -> str:
        """Return the next line. `time_ns`: of the system clock. `cut_bytes`: of a damaged end."""
        record: Record = {
            **occurrence._asdict(),
            "number": self.number + 1,
            "time": utc(time_ns),
            "version": self._version,
            "previous": self.previous,
            "cut_bytes": cut_bytes,
        }
        record["hash"] = hash_of(record)
        self.previous, self.number = record["hash"], record["number"]
        return canonical(record)


class Checked(NamedTuple):
    """What a log holds. `problems`: number of a line and what is wrong with it."""

    records: tuple[Record, ...]
    problems: tuple[tuple[int, str], ...]
    cut_n: int = 0
    """Lines that a process which ended in the middle has left, as the next one notes."""

    @property
    def last_hash(self) -> str:
        """The hash that stands for the whole log."""
        return str(self.records[-1]["hash"]) if self.records else NO_HASH


def canonical(record: Record) -> str:
    """Return the one way to write a record."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False)


def hash_of(record: Record) -> str:
    """Return the hash of a record, of all but its `hash`."""
    content = {name: value for name, value in record.items() if name != "hash"}
    return hashlib.sha256(canonical(content).encode("ascii")).hexdigest()


def utc(time_ns: int) -> str:
    """Return a time of the system clock as ISO 8601, to the nanosecond."""
    whole_s, rest_ns = divmod(time_ns, 1_000_000_000)
    return f"{datetime.fromtimestamp(whole_s, timezone.utc):%Y-%m-%dT%H:%M:%S}.{rest_ns:09d}Z"


def record_of(line: str) -> Record | str:
    """Return the record in a line, or what is wrong with the line itself."""
    try:
        record = parse_json(line, source="line")
    except FileError:
        return "is no record"
    if not isinstance(record, dict) or set(record) != set(COLUMNS):
        return "is no record"
    if any(isinstance(value, dict | list) for value in record.values()):
        return "is no record"
    try:
        if canonical(record) != line:
            return "is not written as a record is"
        wrong = record["hash"] != hash_of(record)
    except ValueError:
        return "is no record"
    return "its content does not fit its hash" if wrong else record


def check(lines: Iterable[str]) -> Checked:
    """Read all lines; each one that breaks the chain is a problem."""
    records: list[Record] = []
    problems: list[tuple[int, str]] = []
    damaged: list[tuple[int, str]] = []
    damaged_bytes = cut_n = 0
    previous, number = NO_HASH, 0
    for at, line in enumerate(lines, start=1):
        found = record_of(line)
        if isinstance(found, str):
            damaged.append((at, found))
            damaged_bytes += len(line.encode()) + 1
            continue
        if damaged:
            if found["kind"] == START and found["cut_bytes"] == damaged_bytes - 1:
                cut_n += len(damaged)
            else:
                problems += damaged
            damaged, damaged_bytes = [], 0
        if found["previous"] != previous:
            problems.append((at, "does not follow the record before it"))
        elif found["number"] != number + 1:
            problems.append((at, f"is record {found['number']}, expected {number + 1}"))
        records.append(found)
        previous, number = found["hash"], found["number"]
    problems += damaged
    return Checked(tuple(records), tuple(problems), cut_n)


def as_csv(records: Sequence[Record]) -> str:
    """Return the records as a table."""
    out = io.StringIO()
    table = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(records)
    return out.getvalue()


def as_json(records: Sequence[Record]) -> str:
    """Return the records as a list of JSON."""
    return json.dumps(list(records), indent=1, sort_keys=True) + "\n"
