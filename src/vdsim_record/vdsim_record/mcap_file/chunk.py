"""The records of one journal segment -> the bytes that the MCAP file grows by, and their index.

A segment becomes one chunk. Beside it the index gets what the summary at the end of the file needs,
so that the end of a long recording costs no look at its beginning.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import NamedTuple

import zstandard
from mcap.data_stream import ReadDataStream, RecordBuilder
from mcap.opcode import Opcode
from mcap.records import Chunk, ChunkIndex, MessageIndex, Metadata, MetadataIndex

from vdsim_record.journal.frames import content_of, record_of
from vdsim_record.mcap_file.records import as_bytes, ended, head_of

COMMIT = 0x80
"""Opcode of the index's own records, which are not part of the MCAP file."""
COMPRESSION = "zstd"
_LEVEL = 1
_COMMIT = struct.Struct("<QQQQ")
_COUNT = struct.Struct("<HQ")


class Commit(NamedTuple):
    """A segment is in the file. `end`: where the file ends then.

    `start_ns`, `end_ns`: log time of its first and last message, 0 without any. `counts`: messages
    by channel.
    """

    segment: int
    end: int
    start_ns: int
    end_ns: int
    counts: Mapping[int, int]

    def record(self) -> bytes:
        """Return it for the index."""
        content = _COMMIT.pack(self.segment, self.end, self.start_ns, self.end_ns)
        counts = b"".join(_COUNT.pack(*item) for item in self.counts.items())
        return record_of(COMMIT, content + counts)

    @classmethod
    def of(cls, record: bytes) -> Commit:
        """Return what a record of the index says."""
        content = content_of(record)
        counts = dict(_COUNT.iter_unpack(content[_COMMIT.size :]))
        segment, end, start_ns, end_ns = _COMMIT.unpack_from(content)
        return cls(segment, end, start_ns, end_ns, counts)


class Growth(NamedTuple):
    """What a segment adds. `data`: to the file. `entries`: to the index, the commit last."""

    data: bytes
    entries: tuple[bytes, ...]
    commit: Commit


def growth(records: Iterable[bytes], segment: int, offset: int, known: set[bytes]) -> Growth:
    """Return what a segment adds to a file of `offset` bytes.

    `known`: the schemas and channels that the index has; those of the segment are added.
    """
    before = bytearray()
    index: list[bytes] = []
    body: list[bytes] = []
    entries: dict[int, list[tuple[int, int]]] = {}
    at = 0
    for record in records:
        opcode = record[0]
        if opcode == Opcode.METADATA:
            index.append(_metadata_index(record, offset + len(before)))
            before += record
            continue
        if opcode == Opcode.MESSAGE:
            head = head_of(record)
            entries.setdefault(head.channel, []).append((head.log_ns, at))
        elif record not in known:
            known.add(record)
            index.append(record)
        body.append(record)
        at += len(record)
    if not entries:
        commit = Commit(segment, offset + len(before), 0, 0, {})
        return Growth(bytes(before), (*index, commit.record()), commit)
    chunk, chunk_index, commit = _chunk(b"".join(body), entries, segment, offset + len(before))
    return Growth(bytes(before) + chunk, (*index, chunk_index, commit.record()), commit)


def _chunk(
    data: bytes, entries: Mapping[int, list[tuple[int, int]]], segment: int, offset: int
) -> tuple[bytes, bytes, Commit]:
    times = [time_ns for items in entries.values() for time_ns, _ in items]
    start_ns, end_ns = min(times), max(times)
    packed = zstandard.ZstdCompressor(level=_LEVEL).compress(data)
    builder = RecordBuilder()
    chunk = Chunk(
        compression=COMPRESSION,
        data=packed,
        message_start_time=start_ns,
        message_end_time=end_ns,
        uncompressed_crc=zlib.crc32(data),
        uncompressed_size=len(data),
    )
    chunk.write(builder)
    length = builder.count
    offsets = {}
    for number, items in entries.items():
        offsets[number] = offset + builder.count
        MessageIndex(channel_id=number, records=sorted(items)).write(builder)
    total = builder.count
    index = ChunkIndex(
        chunk_length=length,
        chunk_start_offset=offset,
        compression=COMPRESSION,
        compressed_size=len(packed),
        message_start_time=start_ns,
        message_end_time=end_ns,
        message_index_length=total - length,
        message_index_offsets=offsets,
        uncompressed_size=len(data),
    )
    counts = {number: len(items) for number, items in entries.items()}
    commit = Commit(segment, offset + total, start_ns, end_ns, counts)
    return ended(builder), as_bytes(index), commit


def _metadata_index(record: bytes, offset: int) -> bytes:
    name = Metadata.read(ReadDataStream(BytesIO(content_of(record)))).name
    return as_bytes(MetadataIndex(offset=offset, length=len(record), name=name))
