"""Values <-> bytes, by their type hints: the layout follows from the fields of each record.

Numbers are little-endian, float64 and int64; an enum is one byte; texts, lists and mappings begin
with their length in 16 bits; an optional value begins with a presence byte, a union with the index
of its type. A field of type `object` is not sent and arrives as None.

`read` raises MalformedError, and nothing else, for bytes that are no value of the type.
"""

import struct
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import IntEnum
from typing import Any, Union, get_args, get_origin, get_type_hints

from vdsim_interface.guard.shapes import (
    Choice,
    Fixed,
    FixedRecord,
    MalformedError,
    Many,
    Members,
    Nothing,
    Number,
    Record,
    Shape,
    Text,
    form_of,
)
from vdsim_interface.safety.rules import kind_named
from vdsim_interface.values import NoticeKind

_shapes: dict[Any, Shape] = {}


def shape(kind: Any) -> Shape:
    """Return how the values of a type are written; raises TypeError for one that cannot be."""
    known = _shapes.get(kind)
    if known is None:
        known = _shapes[kind] = _made(kind)
    return known


def _made(kind: Any) -> Shape:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        # None first: an absent value is a zero byte.
        kinds = sorted(arguments, key=lambda each: each is not types.NoneType)
        kinds = [get_origin(each) or each for each in kinds]
        return Choice(kinds, [shape(each) for each in kinds])
    if origin is tuple and arguments[-1] is not Ellipsis:
        return _record(tuple, arguments)
    if origin in (tuple, frozenset):
        return Many(shape(arguments[0]), origin)
    if kind is tuple:  # in a union: a list of numbers
        return Many(shape(float), tuple)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return Many(_record(tuple, arguments), dict, lambda mapping: mapping.items())
    return _single(kind)


def _single(kind: Any) -> Shape:
    plain: dict[Any, Shape] = {
        float: Number("d"),
        int: Number("q"),
        bool: Number("B", _as_bool),
        str: Text(str),
        bytes: Text(None),
        object: Nothing(),
        types.NoneType: Nothing(),
        NoticeKind: Text(kind_named),
    }
    if kind in plain:
        return plain[kind]
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        return Number("B", Members(kind).__getitem__)
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else None
    if names is None and not hasattr(kind, "_fields"):
        raise TypeError(f"{kind}: cannot be written")
    hints = get_type_hints(kind)
    ordered = kind._fields if names is None else names
    return _record(kind, [hints[name] for name in ordered], names)


def _record(
    kind: Callable[..., Any], parts: Sequence[Any], names: Sequence[str] | None = None
) -> Shape:
    shapes = [shape(part) for part in parts]
    form = form_of(kind, names, len(shapes))
    fixed = [each for each in shapes if isinstance(each, Fixed)]
    return FixedRecord(form, fixed) if len(fixed) == len(shapes) else Record(form, shapes)


def _as_bool(number: int) -> bool:
    if number > 1:
        raise MalformedError("a truth value is neither 0 nor 1")
    return bool(number)


def packed(value: Any) -> bytes:
    """Write a record."""
    out = bytearray()
    shape(type(value)).write(value, out)
    return bytes(out)


def unpacked(kind: type, data: bytes) -> Any:
    """Read a record of this type; raises MalformedError unless the bytes are exactly one."""
    try:
        value, end = shape(kind).read(data, 0)
    except (struct.error, ValueError, OverflowError) as error:
        raise MalformedError(f"{kind.__name__}: {error}") from error
    if end != len(data):
        raise MalformedError(f"{kind.__name__}: {len(data) - end} bytes too many")
    return value
