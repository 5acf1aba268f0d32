"""STATE without a `State` object: the datagram's float64 block, read and written as an array.

For code that needs a few of the values, or all of them at once: `view.values` supports the buffer
protocol, so `numpy.asarray(view.values)` copies nothing, and a numpy array can be sent directly.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Sequence
from typing import Any
from zlib import crc32

from vdsim_protocol.vds1.codec import explain_reject
from vdsim_protocol.vds1.compiled import CRC_RESIDUE, HEADER_FORMAT, Buffer, prefix
from vdsim_protocol.vds1.messages import (
    CRC_SIZE,
    DEFAULT_VERSION,
    HEADER_SIZE,
    LAYOUTS,
    NAN,
    NOT_CARRIED,
    VERSIONS,
    MessageType,
    PerWheel,
    datagram_size,
)
from vdsim_protocol.vds1.packet import Reject
from vdsim_protocol.vds1.values import U32_MAX, is_vehicle_id, refuse_header
from vdsim_protocol.wire import LITTLE_ENDIAN, EncodeError

_ITEM_SIZE = 8
_HEADER = struct.Struct(LITTLE_ENDIAN + HEADER_FORMAT)
_CRC = struct.Struct(LITTLE_ENDIAN + "I")
_LAYOUTS = LAYOUTS[MessageType.STATE]
_version_of = {prefix(MessageType.STATE, version): version for version in VERSIONS}.get
_prefix_of = {version: prefix(MessageType.STATE, version) for version in VERSIONS}.get
_SIZES = {version: datagram_size(MessageType.STATE, version) for version in VERSIONS}
_KNOWN_SIZES = frozenset(_SIZES.values())
_PLACES = {
    field.name: ((field.wire.offset - HEADER_SIZE) // _ITEM_SIZE, field.wire.count)
    for field in _LAYOUTS[max(VERSIONS)].fields
}
"""Index of the first value and number of values of every STATE field."""


class StateView:
    """One checked STATE datagram; `view["yaw_rad"]` reads one field, `view.values` is all."""

    __slots__ = ("seq", "timestamp_s", "values", "vehicle_id", "version")

    def __init__(
        self,
        version: int,
        seq: int,
        vehicle_id: int,
        timestamp_s: float,
        values: Sequence[float],
    ) -> None:
        self.version = version
        self.seq = seq
        self.vehicle_id = vehicle_id
        self.timestamp_s = timestamp_s
        self.values = values

    def __getitem__(self, name: str) -> float | PerWheel:
        """The field of `State` with this name; NaN when the version does not carry it."""
        start, count = _PLACES[name]
        if start >= len(self.values):
            return NAN if count == 1 else NOT_CARRIED
        if count == 1:
            return self.values[start]
        front_left, front_right, rear_left, rear_right = self.values[start : start + count]
        return front_left, front_right, rear_left, rear_right


def doubles(block: Buffer, byteorder: str = sys.byteorder) -> Sequence[float]:
    """Little-endian float64 values in this machine's byte order, copied only if it differs."""
    if byteorder == "little":
        return memoryview(block).cast("d")
    swapped = array("d", bytes(block))
    swapped.byteswap()
    return memoryview(swapped)


def view_state(datagram: Buffer) -> StateView | Reject:
    """Check a STATE datagram like `decode` and leave its values in place. Never raises."""
    if len(datagram) in _KNOWN_SIZES:
        first, seq, vehicle_id, timestamp_s = _HEADER.unpack_from(datagram)
        version = _version_of(first)
        if (
            version is not None
            and len(datagram) == _SIZES[version]
            and crc32(datagram) == CRC_RESIDUE
        ):
            values = doubles(memoryview(datagram)[HEADER_SIZE:-CRC_SIZE])
            carried_id = vehicle_id if is_vehicle_id(version, vehicle_id) else 0
            # By position: keywords cost 0.2 us here, a sixth of the whole decoding.
            return StateView(version, seq, carried_id, timestamp_s, values)
    return explain_reject(bytes(datagram), (MessageType.STATE,), VERSIONS)


def encode_state_values(
    values: Any,
    *,
    seq: int,
    timestamp_s: float,
    version: int = DEFAULT_VERSION,
    vehicle_id: int = 0,
) -> bytes:
    """The STATE datagram of all values in wire order, a float64 array in native byte order.

    Any contiguous buffer of float64 is accepted. Unlike `encode_state` this does not check the
    values: the caller guarantees that they are finite.
    """
    first = _prefix_of(version)
    if (
        first is None
        or not 0 <= seq <= U32_MAX
        or timestamp_s - timestamp_s != 0.0
        or not is_vehicle_id(version, vehicle_id)
    ):
        raise refuse_header(version, seq, vehicle_id, timestamp_s)
    block = memoryview(values)
    if block.format != "d" or block.nbytes != _LAYOUTS[version].size:
        raise EncodeError(
            f"values: must be {_LAYOUTS[version].size // _ITEM_SIZE} float64, "
            f"is {block.nbytes} bytes of format {block.format!r}"
        )
    content = _HEADER.pack(first, seq, vehicle_id, timestamp_s) + little_endian(block)
    return content + _CRC.pack(crc32(content))


def little_endian(block: memoryview, byteorder: str = sys.byteorder) -> Buffer:
    """The bytes of float64 values in wire order."""
    if byteorder == "little":
        return block
    swapped = array("d", block)
    swapped.byteswap()
    return swapped.tobytes()
