"""The end of the MCAP file: data end, summary with its offsets, footer."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from mcap.opcode import Opcode
from mcap.records import DataEnd, Footer, Statistics, SummaryOffset

from vdsim_record.mcap_file.chunk import COMMIT, Commit
from vdsim_record.mcap_file.records import MAGIC, as_bytes

_CRC = struct.Struct("<I")
_GROUPS = (
    *(Opcode.SCHEMA, Opcode.CHANNEL, Opcode.STATISTICS),
    *(Opcode.CHUNK_INDEX, Opcode.METADATA_INDEX),
)


class Totals(NamedTuple):
    """What a file holds."""

    messages: int
    start_ns: int
    end_ns: int


def totals(commits: Sequence[Commit]) -> Totals:
    """Return what the segments hold together."""
    filled = [commit for commit in commits if commit.counts]
    return Totals(
        sum(sum(commit.counts.values()) for commit in filled),
        min((commit.start_ns for commit in filled), default=0),
        max((commit.end_ns for commit in filled), default=0),
    )


def ending(index: Sequence[bytes], offset: int) -> bytes:
    """Return what completes a file of `offset` bytes whose index has these records."""
    data_end = as_bytes(DataEnd(data_section_crc=0))
    groups = {group: [record for record in index if record[0] == group] for group in _GROUPS}
    groups[Opcode.STATISTICS] = [_statistics(index)]
    start = offset + len(data_end)
    summary, offsets = bytearray(), bytearray()
    for group, records in groups.items():
        if not records:
            continue
        joined = b"".join(records)
        item = SummaryOffset(
            group_opcode=group, group_start=start + len(summary), group_length=len(joined)
        )
        offsets += as_bytes(item)
        summary += joined
    footer = as_bytes(
        Footer(summary_start=start, summary_offset_start=start + len(summary), summary_crc=0)
    )[: -_CRC.size]
    checked = bytes(summary + offsets) + footer
    return data_end + checked + _CRC.pack(zlib.crc32(checked)) + MAGIC


def _statistics(index: Sequence[bytes]) -> bytes:
    commits = [Commit.of(record) for record in index if record[0] == COMMIT]
    counts: dict[int, int] = {}
    for commit in commits:
        for number, count in commit.counts.items():
            counts[number] = counts.get(number, 0) + count
    found = totals(commits)
    opcodes = [record[0] for record in index]
    return as_bytes(
        Statistics(
            attachment_count=0,
            channel_count=opcodes.count(Opcode.CHANNEL),
            channel_message_counts=counts,
            chunk_count=opcodes.count(Opcode.CHUNK_INDEX),
            message_count=found.messages,
            message_end_time=found.end_ns,
            message_start_time=found.start_ns,
            metadata_count=opcodes.count(Opcode.METADATA_INDEX),
            schema_count=opcodes.count(Opcode.SCHEMA),
        )
    )
