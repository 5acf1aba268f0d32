"""Reads and writes one table (a message's data field, or a record within it)."""

from __future__ import annotations

import enum
import math
import struct
from typing import Any

from vdsim_protocol.wire import LITTLE_ENDIAN, EncodeError, Field, Layout, record_layout

ENCODING = "latin-1"
"""Names are ASCII; this reads any other byte too, and writes it back unchanged."""


class TableCodec:
    """Compiled once for a table and layout. Reading never raises on the right number of bytes."""

    def __init__(self, table: type, layout: Layout) -> None:
        self._table = table
        self._fields = layout.fields
        self._struct = struct.Struct(LITTLE_ENDIAN + "".join(map(_format, layout.fields)))
        self._records = {
            field.name: TableCodec(field.wire.record, record_layout(field.wire.record))
            for field in layout.fields
            if field.wire.record is not None
        }
        self.size = self._struct.size

    def read(self, data: bytes, offset: int, non_finite: list[str]) -> Any:
        """The table's object at an offset; names of values that ought to be finite are added."""
        values = iter(self._struct.unpack_from(data, offset))
        found = {}
        for field in self._fields:
            if field.wire.record is not None:
                found[field.name] = self._read_records(field, next(values), non_finite)
            elif field.wire.count > 1:
                found[field.name] = tuple(next(values) for _ in range(field.wire.count))
            else:
                found[field.name] = _from_wire(field, next(values), non_finite)
        return self._table(**found)

    def write(self, body: Any) -> bytes:
        """The bytes of an object. Raises `EncodeError` when a value may not be sent."""
        values: list[Any] = []
        for field in self._fields:
            value = getattr(body, field.name)
            if field.wire.record is not None:
                values.append(self._write_records(field, value))
            elif field.wire.count > 1:
                values += _to_wire_elements(field, value)
            else:
                values.append(_to_wire(field, value))
        return self._struct.pack(*values)

    def _read_records(self, field: Field, data: bytes, non_finite: list[str]) -> tuple[Any, ...]:
        codec = self._records[field.name]
        return tuple(codec.read(data, at, non_finite) for at in range(0, len(data), codec.size))

    def _write_records(self, field: Field, records: Any) -> bytes:
        """All records, with unused ones (all zero) after those given."""
        codec = self._records[field.name]
        if len(records) > field.wire.count:
            raise EncodeError(
                f"{field.name}: holds {len(records)} records, must be at most {field.wire.count}"
            )
        return b"".join(map(codec.write, records)).ljust(field.size, b"\0")


def _format(field: Field) -> str:
    if field.wire.record is not None:
        return f"{field.size}s"
    return f"{field.wire.count}{field.wire.format}" if field.wire.count > 1 else field.wire.format


def as_code(codes: type[enum.IntEnum] | type[enum.IntFlag], value: int) -> int:
    """The member with this value, or the bare number when the simulator has a code we have not."""
    if value < 0 and issubclass(codes, enum.IntFlag):
        return value
    try:
        return codes(value)
    except ValueError:
        return value


def _from_wire(field: Field, value: Any, non_finite: list[str]) -> Any:
    wire = field.wire
    if wire.codes is not None:
        return as_code(wire.codes, value)
    if isinstance(value, bytes):
        return value.partition(b"\0")[0].strip(b" ").decode(ENCODING)
    if isinstance(value, float) and not wire.may_be_nan and not math.isfinite(value):
        non_finite.append(f"{field.name}={value}")
    return value


def _to_wire_elements(field: Field, value: Any) -> list[Any]:
    if len(value) != field.wire.count:
        raise EncodeError(f"{field.name}={value!r}: must be {field.wire.count} values")
    return [_to_wire(field, element) for element in value]


def _to_wire(field: Field, value: Any) -> Any:
    wire = field.wire
    if wire.format.endswith("s"):
        return _to_text(field, value)
    if wire.format == "f":
        return _to_float(field, value)
    try:
        struct.pack(LITTLE_ENDIAN + wire.format, value)
    except struct.error:
        raise EncodeError(f"{field.name}={value!r}: must fit {_type_name(wire.format)}") from None
    if wire.codes is not None and not isinstance(as_code(wire.codes, value), wire.codes):
        allowed = ", ".join(f"{code.value} ({code.name})" for code in wire.codes)
        raise EncodeError(f"{field.name}={value!r}: must be one of {allowed}")
    if not wire.low <= value <= wire.high:
        raise EncodeError(f"{field.name}={value!r}: must be in {wire.low:g}..{wire.high:g}")
    return value


def _to_text(field: Field, value: str) -> bytes:
    size = field.element_size
    try:
        text = value.encode(ENCODING)
    except UnicodeEncodeError:
        raise EncodeError(f"{field.name}={value!r}: must be ASCII") from None
    if len(text) > size or b"\0" in text:
        raise EncodeError(f"{field.name}={value!r}: must be at most {size} characters, no NUL")
    return text


def _to_float(field: Field, value: float) -> float:
    wire = field.wire
    try:
        finite = math.isfinite(struct.unpack("<f", struct.pack("<f", value))[0])
    except (struct.error, OverflowError):
        raise EncodeError(f"{field.name}={value!r}: must fit a 4-byte float") from None
    if not finite and not wire.may_be_nan:
        raise EncodeError(f"{field.name}={value!r}: must be finite")
    if value < wire.low or value > wire.high:
        raise EncodeError(f"{field.name}={value!r}: must be in {wire.low:g}..{wire.high:g}")
    return value


_TYPE_NAMES = {"b": "int8", "B": "uint8", "h": "int16", "i": "int32", "I": "uint32", "?": "bool"}


def _type_name(wire_format: str) -> str:
    return _TYPE_NAMES[wire_format]
