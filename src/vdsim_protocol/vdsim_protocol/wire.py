"""The one table mechanism: a packet is a dataclass whose annotations carry its wire layout.

A field declares its documented offset, its struct format, its unit and its meaning. `Layout`
checks that the fields, laid end to end, start at the documented offsets, and everything else
derives from it: struct format, sizes, reference pages, VdsState.msg, the dissector. A table that
contradicts itself therefore fails on import.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
import struct
import typing
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

LITTLE_ENDIAN = "<"
WHEELS = ("fl", "fr", "rl", "rr")
"""The order of every field with one value per wheel."""


class LayoutError(Exception):
    """A packet table contradicts its own documented offsets or sizes."""


class EncodeError(ValueError):
    """A value cannot be sent. The message names field, value and what is allowed."""


@dataclass(frozen=True)
class Wire:
    """The wire format of one field, attached to a dataclass field with `typing.Annotated`."""

    offset: int
    """Documented offset of the first byte, from the start of the datagram (or of the record)."""
    format: str = ""
    """struct format of one element: d f i h b B ? or Ns for a string of N bytes."""
    unit: str = "-"
    meaning: str = ""
    _: KW_ONLY
    count: int = 1
    """Elements in a row; above 1 the field is a tuple."""
    since: int = 1
    """First protocol version that carries the field."""
    wire_name: str = ""
    """The name in the protocol's own document, when the field name adds a unit to it."""
    pad_after: int = 0
    """Zero bytes that follow the field."""
    record: type | None = None
    """A dataclass with a table of its own, repeated `count` times, in place of `format`."""
    codes: type[enum.IntEnum] | type[enum.IntFlag] | None = None
    """The enumeration of the values that the field can take."""
    low: float = -math.inf
    """Smallest value that may be sent."""
    high: float = math.inf
    """Largest value that may be sent."""
    may_be_nan: bool = False
    """Whether a value that is not finite is valid."""
    moved: tuple[tuple[int, int], ...] = ()
    """(version, offset) pairs in rising order: the field's offset from a later version on."""
    version: int = 1
    """Of the layout that the field is part of; a record has its layout of the same version."""

    def at_version(self, version: int) -> Wire:
        """The field in the layout of `version`."""
        offset = self.offset
        for first, moved_offset in self.moved:
            if first <= version:
                offset = moved_offset
        return dataclasses.replace(self, offset=offset, moved=(), version=version)


@dataclass(frozen=True)
class Field:
    """One row of a packet table."""

    name: str
    wire: Wire

    @property
    def wire_name(self) -> str:
        """The field's name in the protocol's own document."""
        return self.wire.wire_name or self.name

    @property
    def element_size(self) -> int:
        """Bytes of one element."""
        if self.wire.record is not None:
            return record_layout(self.wire.record, self.wire.version).size
        return struct.calcsize(LITTLE_ENDIAN + self.wire.format)

    @property
    def size(self) -> int:
        """Bytes of all elements, without the padding that follows."""
        return self.element_size * self.wire.count


@dataclass(frozen=True)
class Layout:
    """The fields of one packet (or record) between two offsets, checked."""

    name: str
    fields: tuple[Field, ...]
    start: int
    end: int

    def __post_init__(self) -> None:
        at = self.start
        for field in self.fields:
            if field.wire.offset != at:
                raise LayoutError(
                    f"{self.name}.{field.name}: documented at offset {field.wire.offset}, "
                    f"the fields before it end at {at}"
                )
            at += field.size + field.wire.pad_after
        if at != self.end:
            raise LayoutError(f"{self.name}: documented to end at {self.end}, the fields at {at}")

    @property
    def size(self) -> int:
        """Bytes between start and end."""
        return self.end - self.start

    def struct_format(self) -> str:
        """The struct format of the flat fields, without a byte-order mark."""
        parts = []
        for field in self.fields:
            wire = field.wire
            parts.append(f"{wire.count}{wire.format}" if wire.count > 1 else wire.format)
            if wire.pad_after:
                parts.append(f"{wire.pad_after}x")
        return "".join(parts)


@functools.cache
def _annotations(table: type) -> Mapping[str, typing.Any]:
    """The annotations of a table; each is a text that is compiled here, once for all versions."""
    return typing.get_type_hints(table, include_extras=True)


def fields_of(table: type, version: int | None = None) -> tuple[Field, ...]:
    """The rows of a dataclass's table in wire order, those of `version` only if one is given."""
    hints = _annotations(table)
    rows = []
    for field in dataclasses.fields(table):
        extras = [x for x in getattr(hints[field.name], "__metadata__", ()) if isinstance(x, Wire)]
        if len(extras) != 1:
            raise LayoutError(f"{table.__name__}.{field.name}: needs exactly one Wire annotation")
        if version is None:
            rows.append(Field(field.name, extras[0]))
        elif extras[0].since <= version:
            rows.append(Field(field.name, extras[0].at_version(version)))
    return tuple(sorted(rows, key=lambda row: row.wire.offset))


def layout_of(table: type, *, start: int, end: int, version: int | None = None) -> Layout:
    """The checked layout of a dataclass between two documented offsets."""
    return Layout(table.__name__, fields_of(table, version), start, end)


@functools.cache
def record_layout(record: type, version: int = 1) -> Layout:
    """The layout of a record: offsets count from its own start, `SIZE` is its documented stride.

    A record that grew has `SIZES`: the stride by the first version with it.
    """
    sizes: Mapping[int, int] = getattr(record, "SIZES", None) or {1: record.SIZE}  # type: ignore[attr-defined]
    size = sizes[max(first for first in sizes if first <= version)]
    return layout_of(record, start=0, end=size, version=version)
