"""Completes what a recorder has left: by itself when the recorder ends, and for every command."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import NamedTuple

from vdsim_record.journal.folder import (
    FINISHER,
    RECORDER,
    JournalBusyError,
    JournalFolder,
    journals_in,
)
from vdsim_record.mcap_file.growing_file import GrowingFile
from vdsim_record.mcap_file.summary import Totals


class Finished(NamedTuple):
    """A file that is complete. `lost_bytes`: of records that were not written whole."""

    path: Path
    totals: Totals
    lost_bytes: int

    def __str__(self) -> str:
        seconds = (self.totals.end_ns - self.totals.start_ns) * 1e-9
        text = f"{self.path}: complete, {self.totals.messages} messages, {seconds:.1f} s"
        if not self.lost_bytes:
            return text
        return f"{text}; the last {self.lost_bytes} bytes were no whole record"


def finish(folder: JournalFolder) -> Finished:
    """Complete the file of a journal. Raises JournalBusyError while somebody works on it."""
    with folder.locked(RECORDER), folder.locked(FINISHER):
        return completed(folder)


def completed(folder: JournalFolder, growing: GrowingFile | None = None) -> Finished:
    """As `finish`, for a caller that holds the locks."""
    folder.reserve.unlink(missing_ok=True)
    file = growing or GrowingFile(folder)
    lost = file.take_segments(with_last=True)
    return Finished(folder.target, file.finish(), lost)


def finish_all(folder: Path) -> list[Finished]:
    """Complete the files of all journals in a folder on which nobody works."""
    done = []
    for journal in journals_in(folder):
        with contextlib.suppress(JournalBusyError):
            done.append(finish(journal))
    return done
