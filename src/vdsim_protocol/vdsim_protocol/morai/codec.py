"""Encode and decode whole MORAI datagrams. Decoding never raises; encoding refuses bad values."""

from __future__ import annotations

import dataclasses
import enum
import struct
from dataclasses import dataclass
from typing import Any

from vdsim_protocol.morai.catalogue import MESSAGES
from vdsim_protocol.morai.envelope import AUX_SIZE, ENVELOPE_SIZE, LENGTH_SIZE, TAIL, Message
from vdsim_protocol.morai.messages import EgoVehicleStatus, ObjectInfo
from vdsim_protocol.morai.sensor_tables import ImuData
from vdsim_protocol.morai.table_codec import TableCodec
from vdsim_protocol.wire import EncodeError, Layout

_LENGTH = struct.Struct("<i")
IMU_STAMP_SIZE = 8
OBJECTS_PAGE_DATA, OBJECTS_PAGE_TOTAL = 1420, 1472
"""Of Object Info on the page of 2021, which agree neither with each other nor with 20 records."""
_MAX_IDENTIFIER = max(len(message.identifier) for message in MESSAGES)


class Reason(enum.Enum):
    """Why a datagram was discarded, in the order of the checks."""

    IDENTIFIER = "identifier"
    TRUNCATED = "truncated"
    DATA_LENGTH = "data_length"
    SIZE = "size"
    TAIL = "tail"
    NON_FINITE = "non_finite"


REASON_TEXT = {
    Reason.IDENTIFIER: "does not start with the identifier of a known message",
    Reason.TRUNCATED: "ends before the data length",
    Reason.DATA_LENGTH: "no generation of this message has this data length",
    Reason.SIZE: "the datagram's size does not follow from its data length",
    Reason.TAIL: "does not end with 0D 0A",
    Reason.NON_FINITE: "a value that must be finite is NaN or infinite",
}
"""What each reason means, in one line."""


@dataclass(frozen=True)
class Packet:
    """A datagram that passed every check."""

    kind: Message
    generation: int
    body: Any
    """An object of `kind.table`."""


@dataclass(frozen=True)
class Reject:
    """A discarded datagram. `kind` is set when its identifier is known."""

    reason: Reason
    detail: str
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.reason.value}: {REASON_TEXT[self.reason]} ({self.detail})"


@dataclass(frozen=True)
class _Variant:
    """One message in one generation."""

    kind: Message
    generation: int
    layout: Layout
    codec: TableCodec


def _variants() -> list[_Variant]:
    return [
        _Variant(kind, generation, layout, TableCodec(kind.table, layout))
        for kind in MESSAGES
        for generation, layout in ((g, kind.layout(g)) for g in kind.sizes)
    ]


_BY_LENGTH = {(v.kind.identifier, v.layout.size): v for v in _variants()}
_BY_TABLE = {(v.kind.table, v.generation): v for v in _variants()}
_KINDS = {kind.identifier.encode(): kind for kind in MESSAGES}


def encode(body: Any, generation: int = 1) -> bytes:
    """The datagram of a message object. Raises `EncodeError` when a value may not be sent."""
    variant = _BY_TABLE.get((type(body), generation))
    if variant is None:
        raise EncodeError(f"{type(body).__name__}: no message with a generation {generation}")
    data = variant.codec.write(body)
    head = variant.kind.identifier.encode() + _LENGTH.pack(len(data)) + bytes(AUX_SIZE)
    return head + data + TAIL


def decode(datagram: bytes | bytearray | memoryview) -> Packet | Reject:
    """Check the envelope and build the message object. Never raises."""
    datagram = bytes(datagram)
    identifier = datagram[: datagram.find(b"$", 0, _MAX_IDENTIFIER) + 1]
    if identifier not in _KINDS:
        return Reject(Reason.IDENTIFIER, f"starts with {datagram[:_MAX_IDENTIFIER]!r}")
    name = identifier.decode()
    if len(datagram) < len(identifier) + LENGTH_SIZE:
        return Reject(Reason.TRUNCATED, f"{len(datagram)} bytes", name)
    (data_size,) = _LENGTH.unpack_from(datagram, len(identifier))
    kind = _KINDS[identifier]
    variant = _padded(kind, data_size, len(datagram))
    if variant is not None:
        datagram = datagram[: variant.layout.end] + TAIL
        data_size = variant.layout.size
    else:
        variant = _BY_LENGTH.get((name, data_size)) or _repeated(kind, data_size)
    if variant is None:
        return Reject(Reason.DATA_LENGTH, f"data length {data_size}", name)
    surplus = len(datagram) - (len(identifier) + ENVELOPE_SIZE + data_size)
    if variant.kind.table is ImuData and (variant.generation, surplus) == (1, IMU_STAMP_SIZE):
        # A release that counts only the measurement in the data length sends the time stamp too.
        variant, surplus = _BY_TABLE[ImuData, 2], 0
    if surplus != 0 and not _is_tailless(variant, surplus):
        return Reject(
            Reason.SIZE, f"{len(datagram)} bytes, must be {len(datagram) - surplus}", name
        )
    if surplus == 0 and not datagram.endswith(TAIL):
        return Reject(Reason.TAIL, f"ends with {datagram[-2:].hex()}", name)
    non_finite: list[str] = []
    body = variant.codec.read(datagram, variant.layout.start, non_finite)
    if non_finite:
        return Reject(Reason.NON_FINITE, non_finite[0], name)
    return Packet(variant.kind, variant.generation, body)


def _is_tailless(variant: _Variant, surplus: int) -> bool:
    """Whether only the tail is missing: the size that generation 1 documents for this message."""
    return (
        variant.kind.table is EgoVehicleStatus and variant.generation == 1 and surplus == -len(TAIL)
    )


def _padded(kind: Message, data_size: int, total: int) -> _Variant | None:
    """Object Info in the sizes of its page: 20 whole records, and a rest that nobody describes."""
    if kind.table is not ObjectInfo:
        return None
    variant = _BY_TABLE[ObjectInfo, 1]
    whole = len(kind.identifier) + ENVELOPE_SIZE + data_size
    by_total = total == OBJECTS_PAGE_TOTAL and variant.layout.size <= data_size
    if not by_total and (data_size, total) != (OBJECTS_PAGE_DATA, whole):
        return None
    return variant if whole <= total else None


def _repeated(kind: Message, data_size: int) -> _Variant | None:
    """A message of records: some simulators send another number of them than documented."""
    if not kind.repeats or data_size < 0:
        return None
    for generation in kind.sizes:
        layout = kind.layout(generation)
        last = layout.fields[-1]
        count, rest = divmod(data_size - (layout.size - last.size), last.element_size)
        if count >= 0 and not rest:
            wire = dataclasses.replace(last.wire, count=count)
            fields = (*layout.fields[:-1], dataclasses.replace(last, wire=wire))
            shorter = Layout(layout.name, fields, layout.start, layout.start + data_size)
            return _Variant(kind, generation, shorter, TableCodec(kind.table, shorter))
    return None
