"""Rewrites the time stamp of a valid VDS1 datagram, as a peer with another clock would send it."""

from __future__ import annotations

import struct
from zlib import crc32

from vdsim_protocol.vds1.codec import decode
from vdsim_protocol.vds1.messages import CRC_SIZE, HEADER_FIELDS
from vdsim_protocol.vds1.packet import Reject

_STAMP = struct.Struct("<d")
_STAMP_AT = next(field.wire.offset for field in HEADER_FIELDS if field.name == "timestamp_s")


def timestamp_of(datagram: bytes) -> float | None:
    """The stamp [s] of a valid VDS1 datagram; None for anything else."""
    packet = decode(datagram)
    return None if isinstance(packet, Reject) else packet.timestamp_s


def shift_timestamp(datagram: bytes, by_s: float) -> bytes:
    """A valid VDS1 datagram with its stamp moved by `by_s` [s] and a new CRC."""
    content = bytearray(datagram[:-CRC_SIZE])
    (stamp_s,) = _STAMP.unpack_from(content, _STAMP_AT)
    _STAMP.pack_into(content, _STAMP_AT, stamp_s + by_s)
    return bytes(content) + crc32(content).to_bytes(CRC_SIZE, "little")
