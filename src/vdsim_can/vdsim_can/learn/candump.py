"""The text that `candump -l` writes -> frames.

A line is `(seconds) bus id#data`, with `##` and one digit of flags for CAN FD, and perhaps R or T
at its end. An id of more than three digits is extended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from vdsim_protocol.checked_file import FileError

_LINE = re.compile(
    r"\((?P<time>[0-9]{1,12}(?:\.[0-9]{1,9})?)\)\s+(?P<bus>\S+)\s+(?P<id>[0-9A-Fa-f]{3,8})#"
    r"(?:#[0-9A-Fa-f])?(?P<data>(?:[0-9A-Fa-f]{2})*)(?:\s+[RT])?\s*"
)
_REMOTE = re.compile(r"\([0-9.]+\)\s+\S+\s+[0-9A-Fa-f]+#R[0-9A-Fa-f]?(?:\s+[RT])?\s*")


class LoggedFrame(NamedTuple):
    """One frame of a log."""

    time_s: float
    bus: str
    can_id: int
    extended: bool
    data: bytes


def frames_of(text: str, *, source: str) -> Iterator[LoggedFrame]:
    """Return the frames of a log; requests for frames are left out."""
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match is not None:
            yield LoggedFrame(
                float(match["time"]),
                match["bus"],
                int(match["id"], 16),
                len(match["id"]) > 3,
                bytes.fromhex(match["data"]),
            )
        elif line.strip() and not _REMOTE.fullmatch(line):
            problem = f"{line.strip()[:60]!r}: must be as (12.05) can0 025#0B9A0F"
            raise FileError(source, f"line {number}", problem)
