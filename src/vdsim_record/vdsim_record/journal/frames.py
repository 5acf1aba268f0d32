"""Records in a journal: each with its checksum, so that a file that ends anywhere can be read.

    frame = CRC-32 of the record (u32), record
    record = opcode (u8), length of the content (u64), content; little-endian, as in MCAP

What follows the first frame that is incomplete or wrong was not written whole, and does not count.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_CRC = struct.Struct("<I")
_HEAD = struct.Struct("<BQ")
_BEFORE_CONTENT = _CRC.size + _HEAD.size
LARGEST_BYTES = 256 << 20
"""A longer record is none: the length is damaged."""


class Scan(NamedTuple):
    """The whole records of a journal's bytes. `end`: the bytes that they take, frames included."""

    records: tuple[bytes, ...]
    end: int


def framed(record: bytes) -> bytes:
    """Return a record with its checksum."""
    return _CRC.pack(zlib.crc32(record)) + record


def record_of(opcode: int, content: bytes) -> bytes:
    """Return a record."""
    return _HEAD.pack(opcode, len(content)) + content


def content_of(record: bytes) -> bytes:
    """Return the content of a record."""
    return record[_HEAD.size :]


def scan(data: bytes) -> Scan:
    """Return the whole records at the beginning of the bytes."""
    records, end = [], 0
    for record in _whole(data):
        records.append(record)
        end += _CRC.size + len(record)
    return Scan(tuple(records), end)


def _whole(data: bytes) -> Iterator[bytes]:
    at, size = 0, len(data)
    while at + _BEFORE_CONTENT <= size:
        (checksum,) = _CRC.unpack_from(data, at)
        _, length = _HEAD.unpack_from(data, at + _CRC.size)
        end = at + _BEFORE_CONTENT + length
        if length > LARGEST_BYTES or end > size:
            return
        record = data[at + _CRC.size : end]
        if zlib.crc32(record) != checksum:
            return
        yield record
        at = end


def all_framed(records: Iterable[bytes]) -> bytes:
    """Return several records with their checksums."""
    return b"".join(framed(record) for record in records)
