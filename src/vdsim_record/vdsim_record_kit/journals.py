"""A recorder's journal without a recorder, on a clock of the test's own, and what a file has."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mcap.reader import make_reader
from vdsim_record.journal.folder import JournalFolder
from vdsim_record.journal.writer import JournalWriter
from vdsim_record.mcap_file import records
from vdsim_record.mcap_file.records import MessageHead

TYPE, TEXT = "std_msgs/msg/UInt32", "uint32 data\n"


class Journal:
    """Message n carries the number n, on two topics in turn."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.folder = JournalFolder.of(target)
        self.folder.path.mkdir()
        self.now = 0.0
        self.writer = JournalWriter(self.folder, self.now)
        self.count = 0
        self.writer.append(records.metadata("vdsim.versions", {"vdsim_record": "test"}))
        self.writer.add_to_head(records.schema(1, TYPE, TEXT))
        for number in (1, 2):
            self.writer.add_to_head(records.channel(number, f"/t{number}", 1, {}))

    def add(self, count: int) -> None:
        """Receive messages."""
        for _ in range(count):
            self.count += 1
            head = MessageHead(1 + self.count % 2, self.count, self.count, self.count)
            data = b"\0\1\0\0" + self.count.to_bytes(4, "little")
            self.writer.append(records.message(head, data))

    def segments(self, count: int, each: int = 10) -> None:
        """Complete segments."""
        for _ in range(count):
            self.add(each)
            self.now += 6.0
            self.writer.turn(self.now)


def numbers(path: Path) -> list[int]:
    """The messages of a complete file, by the reader of the package mcap, which needs an index."""
    with path.open("rb") as stream:
        reader = make_reader(stream, validate_crcs=True)
        summary = reader.get_summary()
        assert summary is not None
        assert summary.statistics is not None
        assert summary.chunk_indexes or not summary.statistics.message_count
        found = [number_of(data.data) for _, _, data in reader.iter_messages()]
        assert summary.statistics.message_count == len(found)
        return found


def number_of(data: bytes) -> int:
    """The number that a message carries."""
    return int.from_bytes(data[4:8], "little")


def upto(count: int) -> list[int]:
    """The numbers of so many messages."""
    return list(range(1, count + 1))


def files(folder: Path) -> Iterable[str]:
    """The names in a folder."""
    return sorted(path.name for path in folder.iterdir())
