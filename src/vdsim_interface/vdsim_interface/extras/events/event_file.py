"""The log as a file: one process appends to it, and what is appended is written before it returns.

`write` of the kernel keeps a record over the end of this process; nothing asks the disk to keep it
over the end of the power. A file that can no longer be written ends the log, not the drive.
"""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

from vdsim_interface.extras.events.chain import NO_HASH, Chain, record_of
from vdsim_interface.extras.events.occurrences import Occurrence

LONGEST_LINE = 1 << 16
CONTROL, VEHICLE = "control", "vehicle"
"""Parts of a log: who commands, where that is decided in another process than the mode; the vehicle
side, where it is a process of its own."""
_BEGINS = b'{"by":'
"""How each line begins."""


def part_of(path: Path, part: str) -> Path:
    """Return the file of a part of a log, beside it."""
    return path.with_suffix(f".{part}{path.suffix}")


class EventLogError(OSError):
    """The log cannot be used; the text is one line for the user."""


class EventFile:
    """A log of records, which goes on where an earlier process has ended it."""

    def __init__(
        self, path: Path, version: str, clock_ns: Callable[[], int] = time.time_ns
    ) -> None:
        self._path, self._clock_ns = path, clock_ns
        self._has_ended = False
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            self._file = os.open(path, flags, 0o600)
        except OSError as error:
            raise EventLogError(f"event_log={path}: {error.strerror or error}") from None
        try:
            self._check()
            self._ends_line, self._cut, self._chain = self._continued(version)
        except OSError:
            os.close(self._file)
            raise

    def write(self, occurrence: Occurrence) -> None:
        """Append a record."""
        if self._has_ended:
            return
        line = self._chain.line(occurrence, self._clock_ns(), self._cut)
        self._append(self._ends_line + line.encode("ascii") + b"\n")
        self._ends_line, self._cut = b"", 0

    def close(self) -> None:
        """Let another process write."""
        self._has_ended = True
        os.close(self._file)

    def _append(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._file, data) :]
        except OSError as error:
            self._has_ended = True
            reason = error.strerror or str(error)
            say = f"event_log={self._path}: {reason}: the log ends, the drive goes on"
            print(say, file=sys.stderr, flush=True)

    def _check(self) -> None:
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            raise EventLogError(f"event_log={self._path}: must be a regular file")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = "another process writes it; give each interface a log of its own"
            raise EventLogError(f"event_log={self._path}: {text}") from None

    def _continued(self, version: str) -> tuple[bytes, int, Chain]:
        """Return what ends the last line, how much there is no record, and the chain to go on."""
        size = os.fstat(self._file).st_size
        end = os.pread(self._file, 2 * LONGEST_LINE, max(0, size - 2 * LONGEST_LINE))
        ends_line = b"" if not end or end.endswith(b"\n") else b"\n"
        whole, cut = end.removesuffix(b"\n"), 0
        while whole:
            before, _, line = whole.rpartition(b"\n")
            record = record_of(line.decode("utf-8", "replace"))
            if not isinstance(record, str):
                return ends_line, max(cut - 1, 0), Chain(version, record["hash"], record["number"])
            whole, cut = before, cut + len(line) + 1
        if not _BEGINS.startswith(end[: len(_BEGINS)]):
            text = "holds no record of an event log: give another name"
            raise EventLogError(f"event_log={self._path}: {text}")
        return ends_line, max(cut - 1, 0), Chain(version, NO_HASH)
