"""The folder of a journal, beside the file that it becomes: `drive.mcap.journal` for `drive.mcap`.

00000001.seg ...   segments, appended to by the recorder; the one with the highest number is open
index              what the summary of the file needs of the segments that are in it
reserve            disk space for the last chunk and the summary on a disk that is full
recorder, finisher locked while the process of that name works here
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

SUFFIX = ".journal"
_DONE = ".done"
_SEGMENT = ".seg"
RECORDER, FINISHER = "recorder", "finisher"


class JournalBusyError(Exception):
    """Another process works on this journal."""


class JournalFolder:
    """Names and locks. `path`: the folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, target: Path) -> JournalFolder:
        """Return the journal of a file."""
        return cls(target.with_name(target.name + SUFFIX))

    @property
    def target(self) -> Path:
        """The file that the journal becomes."""
        return self.path.with_name(self.path.name.removesuffix(SUFFIX))

    @property
    def index(self) -> Path:
        """The index."""
        return self.path / "index"

    @property
    def reserve(self) -> Path:
        """The reserve of disk space."""
        return self.path / "reserve"

    def segment(self, number: int) -> Path:
        """Return a segment."""
        return self.path / f"{number:08d}{_SEGMENT}"

    def segments(self) -> list[int]:
        """Return the numbers of the segments that are there, in order."""
        names = (path.name.removesuffix(_SEGMENT) for path in self.path.glob(f"*{_SEGMENT}"))
        return sorted(int(name) for name in names if name.isdecimal())

    def is_busy(self) -> bool:
        """Whether a recorder or a finisher works on it now."""
        try:
            with self.locked(RECORDER), self.locked(FINISHER):
                return False
        except JournalBusyError:
            return True

    @contextlib.contextmanager
    def locked(self, who: str, *, wait: bool = False) -> Iterator[None]:
        """Hold a lock, which the kernel releases when this process ends in whatever way.

        `wait`: for a process that is ending; the kernel closes its pipe before its lock.
        """
        file = os.open(self.path / who, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                raise JournalBusyError(f"{self.path}: a {who} works on it") from None
            yield
        finally:
            os.close(file)

    def remove(self) -> None:
        """Remove the journal. Only after its file has been read back.

        It loses its name first: half a journal must never be taken for one.
        """
        done = self.path.rename(self.path.with_name(self.path.name + _DONE))
        sync_folder(done.parent)
        _remove(done)


def _remove(done: Path) -> None:
    for path in [*done.iterdir()]:
        path.unlink(missing_ok=True)
    done.rmdir()


def journals_in(folder: Path) -> list[JournalFolder]:
    """Return the journals in a folder; what is left of one that is done with is removed."""
    for done in folder.glob(f"*{SUFFIX}{_DONE}"):
        with contextlib.suppress(OSError):
            _remove(done)
    return [JournalFolder(path) for path in sorted(folder.glob(f"*{SUFFIX}")) if path.is_dir()]


def sync_folder(path: Path) -> None:
    """Put the names in a folder on the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
