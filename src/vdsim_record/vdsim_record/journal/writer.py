"""Appends records to the segments of a journal.

What was written belongs to the kernel: the end of this process, kill -9 included, takes nothing of
it back. A power cut does; a thread therefore syncs what is new.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from vdsim_record.journal.folder import JournalFolder, sync_folder
from vdsim_record.journal.frames import framed

SEGMENT_BYTES = 2 << 20
SEGMENT_S = 5.0
"""A segment that is as large or as old as this is closed, and becomes a chunk."""
FLUSH_S = 0.05
"""So long a record waits in this process at most, while `turn` is called as often."""
SYNC_S = 0.5
"""So long a written record may wait for the disk: what a power cut takes."""
RESERVE_BYTES = 16 << 20


class JournalWriter:
    """The recorder's end of a journal. `head`: the records that each segment begins with."""

    def __init__(self, folder: JournalFolder, now: float) -> None:
        self.folder = folder
        self._head: list[bytes] = []
        self._waiting: list[bytes] = []
        self._number = 0
        self._size = 0
        self._opened_s = self._synced_s = now
        self._file = -1
        self._ended: list[int] = []
        self._syncing: threading.Thread | None = None
        self._sync_error: OSError | None = None
        _reserve(folder.reserve)
        self._open(now)

    def add_to_head(self, record: bytes) -> None:
        """Append a record that each later segment repeats: a schema or a channel."""
        self._head.append(record)
        self.append(record)

    def append(self, record: bytes) -> None:
        """Append a record; it is written at the next `turn`."""
        self._waiting.append(framed(record))

    def turn(self, now: float) -> None:
        """Write what waits; start a segment, and sync, when it is time. For every FLUSH_S."""
        self.flush()
        if now - self._synced_s >= SYNC_S:
            self._synced_s = now
            self._sync()
        if self._size >= SEGMENT_BYTES or now - self._opened_s >= SEGMENT_S:
            self._open(now)

    def flush(self) -> None:
        """Write what waits. Raises OSError where the disk does not take it."""
        if self._sync_error is not None:
            raise self._sync_error
        if not self._waiting:
            return
        data = b"".join(self._waiting)
        self._waiting.clear()
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]
        self._size += len(data)

    def close(self) -> None:
        """Write and sync everything."""
        try:
            self.flush()
            if self._syncing is not None:
                self._syncing.join()
            for file in (*self._ended, self._file):
                os.fsync(file)
        finally:
            for file in (*self._ended, self._file):
                os.close(file)

    def _open(self, now: float) -> None:
        """Begin the next segment; the one before it is complete then."""
        if self._file >= 0:
            self._ended.append(self._file)
        self._number += 1
        path = self.folder.segment(self._number)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        self._size, self._opened_s = 0, now
        self._waiting[:0] = [framed(record) for record in self._head]

    def _sync(self) -> None:
        """Sync in a thread: a slow disk must not delay what arrives."""
        if self._syncing is not None and self._syncing.is_alive():
            return
        ended, self._ended = self._ended, []
        files = (*ended, os.dup(self._file))

        def sync() -> None:
            try:
                for file in files:
                    os.fsync(file)
                sync_folder(self.folder.path)
                sync_folder(self.folder.path.parent)
            except OSError as error:
                self._sync_error = error
            finally:
                for file in files:
                    os.close(file)

        self._syncing = threading.Thread(target=sync, name="sync", daemon=True)
        self._syncing.start()


def _reserve(path: Path) -> None:
    """Take disk space for the end of the recording; raises OSError where there is none."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.posix_fallocate(file, 0, RESERVE_BYTES)
    finally:
        os.close(file)
