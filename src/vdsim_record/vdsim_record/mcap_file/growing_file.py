"""An MCAP file that grows by whole segments of a journal, and is completed at the end.

The order on the disk: chunk, then its entry in the index, then the segment goes. Whichever process
ends at whatever moment, the next one finds in the index how far the file is good, cuts off what
follows, and has the segments of the rest.
"""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.reader import make_reader
from mcap.records import Header
from vdsim_protocol.checked_file import open_checked, read_bytes

from vdsim_record.journal.folder import JournalFolder, sync_folder
from vdsim_record.journal.frames import all_framed, scan
from vdsim_record.mcap_file.chunk import COMMIT, Commit, growth
from vdsim_record.mcap_file.records import LIBRARY, MAGIC, PROFILE, as_bytes
from vdsim_record.mcap_file.summary import Totals, ending, totals

LARGEST_FILE = 1 << 40
_LARGEST_BYTES = 1 << 30
"""A segment or an index that is larger is none of ours."""
_START = MAGIC + as_bytes(Header(profile=PROFILE, library=LIBRARY))


class NotReadBackError(OSError):
    """The file does not hold what was written into it; its journal stays."""


class GrowingFile:
    """The finisher's end. The caller holds the lock of the finisher."""

    def __init__(self, folder: JournalFolder) -> None:
        self._folder = folder
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._file = os.open(folder.target, flags, 0o644)
        self._index_file = os.open(folder.index, flags, 0o644)
        data = _read(folder.index)
        records = scan(data).records
        last = max((at for at, record in enumerate(records) if record[0] == COMMIT), default=-1)
        self._index = list(records[: last + 1])
        os.ftruncate(self._index_file, len(all_framed(self._index)))
        os.lseek(self._index_file, 0, os.SEEK_END)
        self._commits = [Commit.of(record) for record in self._index if record[0] == COMMIT]
        self._known = {each for each in self._index if each[0] in (Opcode.SCHEMA, Opcode.CHANNEL)}
        if self._commits:
            self._end = self._commits[-1].end
        else:
            os.ftruncate(self._file, 0)
            _write_at(self._file, _START, 0)
            self._end = len(_START)
            # A power cut must not take the names of files for which segments have gone.
            sync_folder(folder.path)
            sync_folder(folder.target.parent)
        os.ftruncate(self._file, self._end)

    @property
    def totals(self) -> Totals:
        """What is in the file."""
        return totals(self._commits)

    def take_segments(self, *, with_last: bool) -> int:
        """Append the complete segments to the file, and the open one if `with_last`.

        Returns how many bytes at the ends of segments were not whole records.
        """
        lost = 0
        numbers = self._folder.segments()
        done = self._commits[-1].segment if self._commits else 0
        for number in numbers if with_last else numbers[:-1]:
            path = self._folder.segment(number)
            if number > done:
                data = _read(path)
                found = scan(data)
                lost += len(data) - found.end
                self._take(number, found.records)
            path.unlink()
        return lost

    def _take(self, number: int, records: tuple[bytes, ...]) -> None:
        try:
            grown = growth(records, number, self._end, self._known)
        except (struct.error, ValueError, McapError):
            path = self._folder.segment(number)
            raise NotReadBackError(f"{path}: is no segment of a recording") from None
        _write_at(self._file, grown.data, self._end)
        os.fsync(self._file)
        self._read_back(grown.data, self._end)
        data = all_framed(grown.entries)
        at = os.lseek(self._index_file, 0, os.SEEK_END)
        _write_at(self._index_file, data, at)
        os.fsync(self._index_file)
        self._index += grown.entries
        self._commits.append(grown.commit)
        self._end = grown.commit.end

    def _read_back(self, data: bytes, offset: int) -> None:
        """Compare with what the disk has, not with what the kernel remembers of it."""
        os.posix_fadvise(self._file, offset, len(data), os.POSIX_FADV_DONTNEED)
        found = os.pread(self._file, len(data), offset)
        if zlib.crc32(found) != zlib.crc32(data):
            raise NotReadBackError(f"{self._folder.target}: cannot be read back at {offset}")

    def finish(self) -> Totals:
        """Write summary and footer, read them back by the reader of others, remove the journal."""
        data = ending(self._index, self._end)
        _write_at(self._file, data, self._end)
        os.fsync(self._file)
        self._read_back(data, self._end)
        self.close()
        sync_folder(self._folder.target.parent)
        found = self.totals
        check_summary(self._folder.target, found.messages)
        self._folder.remove()
        return found

    def close(self) -> None:
        """Close the files; the journal stays."""
        os.close(self._file)
        os.close(self._index_file)


def check_summary(path: Path, messages: int) -> None:
    """Raise unless the file has an index and a footer that tell of so many messages."""
    with open_checked(path, largest_bytes=LARGEST_FILE) as stream:
        summary = make_reader(stream).get_summary()
    known = None if summary is None or summary.statistics is None else summary.statistics
    if known is None or known.message_count != messages:
        raise NotReadBackError(f"{path}: its summary cannot be read back")


def _read(path: Path) -> bytes:
    return read_bytes(path, largest_bytes=_LARGEST_BYTES) if path.exists() else b""


def _write_at(file: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(file, view, offset)
        view, offset = view[written:], offset + written
