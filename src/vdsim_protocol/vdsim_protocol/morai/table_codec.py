"""Reads and writes one table (a message's data field, or a record within it)."""

from __future__ import annotations

import enum
import math
import struct
from collections.abc import Callable
from typing import Any, TypeAlias

from vdsim_protocol.wire import LITTLE_ENDIAN, EncodeError, Field, Layout, record_layout

ENCODING = "latin-1"
"""Names are ASCII; this reads any other byte too, and writes it back unchanged."""

FLOATS = ("f", "d")

Converter: TypeAlias = Callable[[Any, list[str]], Any]
"""A value as unpacked -> the value of the field; adds the names of those that are not finite."""


class TableCodec:
    """Codec of one table and layout. Reading never raises on the right number of bytes."""

    def __init__(self, table: type, layout: Layout) -> None:
        self._table = table
        self._fields = layout.fields
        self._names = tuple(field.name for field in layout.fields)
        self._struct = struct.Struct(LITTLE_ENDIAN + "".join(map(_format, layout.fields)))
        self._records = {
            field.name: TableCodec(record, record_layout(record, field.wire.version))
            for field in layout.fields
            if (record := field.wire.record) is not None
        }
        self._converters = [
            (index, converter)
            for index, converter in enumerate(map(self._converter, layout.fields))
            if converter is not None
        ]
        self.size = self._struct.size

    def read(self, data: bytes, offset: int, non_finite: list[str]) -> Any:
        """The table's object at an offset; adds the names of values that are not finite."""
        values = list(self._struct.unpack_from(data, offset))
        for index, convert in self._converters:
            values[index] = convert(values[index], non_finite)
        return self._table(**dict(zip(self._names, values, strict=True)))

    def write(self, body: Any) -> bytes:
        """The bytes of an object. Raises `EncodeError` when a value may not be sent."""
        return self._struct.pack(
            *(self._to_wire(field, getattr(body, field.name)) for field in self._fields)
        )

    def _converter(self, field: Field) -> Converter | None:
        """The conversion of an unpacked value to the field's; None when none is needed."""
        wire = field.wire
        if wire.record is not None:
            return self._records[field.name]._read_all
        if wire.count > 1:
            elements = struct.Struct(f"{LITTLE_ENDIAN}{wire.count}{wire.format}")
            return lambda value, non_finite: elements.unpack(value)
        if wire.codes is not None:
            codes = wire.codes
            return lambda value, non_finite: as_code(codes, value)
        if wire.format.endswith("s"):
            return _read_text
        if wire.format in FLOATS and not wire.may_be_nan:
            return _finite_reader(field.name)
        return None

    def _read_all(self, data: bytes, non_finite: list[str]) -> tuple[Any, ...]:
        """As many records as the data holds."""
        return tuple(self.read(data, at, non_finite) for at in range(0, len(data), self.size))

    def _to_wire(self, field: Field, value: Any) -> Any:
        if field.wire.record is not None:
            return self._write_records(field, value)
        if field.wire.count > 1:
            return _to_wire_elements(field, value)
        return _to_wire(field, value)

    def _write_records(self, field: Field, records: Any) -> bytes:
        """All records, padded with unused ones (all zero)."""
        codec = self._records[field.name]
        if len(records) > field.wire.count:
            raise EncodeError(
                f"{field.name}: holds {len(records)} records, must be at most {field.wire.count}"
            )
        return b"".join(map(codec.write, records)).ljust(field.size, b"\0")


def _format(field: Field) -> str:
    """One value a field: records and rows of elements are unpacked as a block."""
    is_block = field.wire.record is not None or field.wire.count > 1
    return f"{field.size}s" if is_block else field.wire.format


def _read_text(value: bytes, non_finite: list[str]) -> str:
    return value.partition(b"\0")[0].strip(b" ").decode(ENCODING)


def _finite_reader(name: str) -> Converter:
    def read(value: float, non_finite: list[str]) -> float:
        if value - value != 0.0:
            non_finite.append(f"{name}={value}")
        return value

    return read


def as_code(codes: type[enum.IntEnum] | type[enum.IntFlag], value: int) -> int:
    """The member with this value, or the bare number for a code that is not listed."""
    if value < 0 and issubclass(codes, enum.IntFlag):
        return value
    try:
        return codes(value)
    except ValueError:
        return value


def _to_wire_elements(field: Field, value: Any) -> bytes:
    wire = field.wire
    if len(value) != wire.count:
        raise EncodeError(f"{field.name}={value!r}: must be {wire.count} values")
    elements = (_to_wire(field, element) for element in value)
    return struct.pack(f"{LITTLE_ENDIAN}{wire.count}{wire.format}", *elements)


def _to_wire(field: Field, value: Any) -> Any:
    wire = field.wire
    if wire.format.endswith("s"):
        return _to_text(field, value)
    if wire.format in FLOATS:
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
    form = LITTLE_ENDIAN + wire.format
    try:
        finite = math.isfinite(struct.unpack(form, struct.pack(form, value))[0])
    except (struct.error, OverflowError):
        size = field.element_size
        raise EncodeError(f"{field.name}={value!r}: must fit a {size}-byte float") from None
    if not finite and not wire.may_be_nan:
        raise EncodeError(f"{field.name}={value!r}: must be finite")
    if value < wire.low or value > wire.high:
        raise EncodeError(f"{field.name}={value!r}: must be in {wire.low:g}..{wire.high:g}")
    return value


_TYPE_NAMES = {"b": "int8", "B": "uint8", "h": "int16", "i": "int32", "I": "uint32", "?": "bool"}


def _type_name(wire_format: str) -> str:
    return _TYPE_NAMES[wire_format]
