"""The records of MCAP that a recording has, as bytes.

What is written once a second at most comes from the package `mcap`; a message does not, because a
recorder writes thousands of them a second.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple

from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import Channel, McapRecord, Metadata, Schema

PROFILE = "ros2"
LIBRARY = "vdsim_record"
ENCODING, SCHEMA_ENCODING = "cdr", "ros2msg"
MAGIC = b"\x89MCAP0\r\n"
_MESSAGE = struct.Struct("<BQHIQQ")
_AFTER_LENGTH = _MESSAGE.size - 9  # what the length counts of it


class MessageHead(NamedTuple):
    """What is in front of a message's bytes. Times in nanoseconds of the system clock."""

    channel: int
    sequence: int
    log_ns: int
    publish_ns: int


def as_bytes(record: McapRecord) -> bytes:
    """Return a record of the package as bytes."""
    builder = RecordBuilder()
    record.write(builder)
    return ended(builder)


def ended(builder: RecordBuilder) -> bytes:
    """Return what a builder of the package has."""
    return bytes(builder.end())  # type: ignore[no-untyped-call]


def message(head: MessageHead, data: bytes) -> bytes:
    """Return a message."""
    return _MESSAGE.pack(Opcode.MESSAGE, _AFTER_LENGTH + len(data), *head) + data


def head_of(record: bytes) -> MessageHead:
    """Return what is in front of a message's bytes."""
    _, _, *head = _MESSAGE.unpack_from(record)
    return MessageHead(*head)


def data_of(record: bytes) -> bytes:
    """Return a message's bytes."""
    return record[_MESSAGE.size :]


def schema(number: int, type_name: str, text: str) -> bytes:
    """Return the schema of a message type of ROS 2; `text`: its definition and those it uses."""
    return as_bytes(Schema(id=number, name=type_name, encoding=SCHEMA_ENCODING, data=text.encode()))


def channel(number: int, topic: str, schema_number: int, metadata: Mapping[str, str]) -> bytes:
    """Return the channel of a topic."""
    return as_bytes(
        Channel(
            id=number,
            topic=topic,
            message_encoding=ENCODING,
            metadata=dict(metadata),
            schema_id=schema_number,
        )
    )


def metadata(name: str, values: Mapping[str, str]) -> bytes:
    """Return a block of texts by name."""
    return as_bytes(Metadata(name=name, metadata=dict(values)))
