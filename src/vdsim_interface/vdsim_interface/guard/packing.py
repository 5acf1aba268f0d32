"""Values <-> bytes, by their type hints: the layout follows from the fields of each record.

Numbers are little-endian, float64 and int64; an enum is one byte; texts, lists and mappings begin
with their length in 16 bits; an optional value begins with a presence byte, a union with the index
of its type. A field of type `object` is not sent and arrives as None.

`read` raises MalformedError, and nothing else, for bytes that are no value of the type.
"""

import operator
import struct
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import IntEnum
from itertools import groupby
from typing import Any, Union, get_args, get_origin, get_type_hints

from vdsim_interface.safety.rules import kind_named
from vdsim_interface.values import NoticeKind
from vdsim_interface.values.records import record

_LENGTH = struct.Struct("<H")
_BYTE = struct.Struct("<B")
_LONGEST = 0xFFFF


class MalformedError(ValueError):
    """Bytes that are no value of the expected type."""


class Shape(ABC):
    """How the values of one type are written and read."""

    @abstractmethod
    def write(self, value: Any, out: bytearray) -> None:
        """Append a value."""

    @abstractmethod
    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        """Read the value at an offset; return it with the offset after it."""


class _Fixed(Shape):
    """A value that always takes the same bytes, so that a record writes several in one piece.

    `fixed`: its struct format.
    """

    @abstractmethod
    def flat(self, value: Any) -> Sequence[Any]:
        """Return the numbers of a value."""

    @abstractmethod
    def built(self, numbers: Sequence[Any], at: int) -> tuple[Any, int]:
        """Build the value from its numbers; return it with the index after them."""

    def __init__(self, fixed: str) -> None:
        self.fixed = fixed
        self._struct = struct.Struct(f"<{fixed}")

    def write(self, value: Any, out: bytearray) -> None:
        out += self._struct.pack(*self.flat(value))

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        value, _ = self.built(self._struct.unpack_from(data, at), 0)
        return value, at + self._struct.size


class _Number(_Fixed):
    """A float, an int, a bool or an enum."""

    def __init__(self, fixed: str, convert: Callable[[Any], Any] | None = None) -> None:
        super().__init__(fixed)
        self.convert = convert

    def flat(self, value: Any) -> Sequence[Any]:
        return (value,)

    def built(self, numbers: Sequence[Any], at: int) -> tuple[Any, int]:
        number = numbers[at]
        return (number if self.convert is None else self.convert(number)), at + 1


class _Members(dict[int, IntEnum]):
    """The members of an enum by their number: a call of the enum takes ten times as long."""

    def __init__(self, kind: type[IntEnum]) -> None:
        super().__init__({member.value: member for member in kind})
        self._name = kind.__name__

    def __missing__(self, number: int) -> IntEnum:
        raise MalformedError(f"{number} is not a valid {self._name}")


class _Nothing(_Fixed):
    """A field that is not sent."""

    def __init__(self) -> None:
        super().__init__("")

    def flat(self, value: Any) -> Sequence[Any]:
        return ()

    def built(self, numbers: Sequence[Any], at: int) -> tuple[Any, int]:
        return None, at


class _FixedRecord(_Fixed):
    """A record, or a tuple of a fixed length, of fixed values."""

    def __init__(
        self,
        kind: Callable[..., Any],
        shapes: Sequence[_Fixed],
        values_of: Callable[[Any], Sequence[Any]],
    ) -> None:
        super().__init__("".join(shape.fixed for shape in shapes))
        self._kind, self._shapes, self._values_of = kind, shapes, values_of
        numbers = [shape for shape in shapes if isinstance(shape, _Number)]
        # The short ways: all fields are numbers, and none of them needs a conversion.
        self._is_flat = len(numbers) == len(shapes)
        self._is_plain = self._is_flat and all(number.convert is None for number in numbers)
        self.plain_kind = kind if self._is_plain and values_of is _same else None
        self._converts = [number.convert for number in numbers]

    def flat(self, value: Any) -> Sequence[Any]:
        values = self._values_of(value)
        if self._is_flat:
            return values
        return [n for s, v in zip(self._shapes, values, strict=True) for n in s.flat(v)]

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        numbers = self._struct.unpack_from(data, at)
        if self._is_plain:
            return self._kind(*numbers), at + self._struct.size
        value, _ = self.built(numbers, 0)
        return value, at + self._struct.size

    def built(self, numbers: Sequence[Any], at: int) -> tuple[Any, int]:
        end = at + len(self._shapes)
        if self._is_plain:
            return self._kind(*numbers[at:end]), end
        if self._is_flat:
            pairs = zip(self._converts, numbers[at:end], strict=True)
            return self._kind(*[n if convert is None else convert(n) for convert, n in pairs]), end
        values = []
        for shape in self._shapes:
            value, at = shape.built(numbers, at)
            values.append(value)
        return self._kind(*values), at


class _Record(Shape):
    """A record with a field of varying length: runs of fixed fields are written in one piece.

    So are the fields that are a choice of plain records, each with its tag. What the loops below do
    in place would otherwise be three calls a field, in code that a process finds cold after each
    sleep.
    """

    def __init__(
        self,
        kind: Callable[..., Any],
        shapes: Sequence[Shape],
        values_of: Callable[[Any], Sequence[Any]],
    ) -> None:
        self._kind, self._values_of = kind, values_of
        self._runs: list[tuple[Shape, int, bool, _Plain | None]] = []
        for _, group in groupby(shapes, lambda shape: isinstance(shape, _Fixed)):
            run = list(group)
            fixed = _fixed_of(run)
            if len(fixed) > 1:
                self._runs.append((_FixedRecord(_as_tuple, fixed, tuple), len(fixed), True, None))
            else:
                self._runs += [(each, 1, False, _plain_of(each)) for each in run]

    def write(self, value: Any, out: bytearray) -> None:
        values, at = self._values_of(value), 0
        for shape, count, is_run, plain in self._runs:
            if plain is not None:
                value = values[at]
                tag, pack = plain.packs[type(value)]
                out += pack(tag) if value is None else pack(tag, *value)
            else:
                shape.write(values[at : at + count] if is_run else values[at], out)
            at += count

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        values: list[Any] = []
        for shape, _, is_run, plain in self._runs:
            if plain is not None and at < len(data) and data[at] < len(plain.reads):
                kind, unpack_from, size = plain.reads[data[at]]
                values.append(None if kind is None else record(kind, unpack_from(data, at)))
                at += size
                continue
            value, at = shape.read(data, at)
            if is_run:
                values += value
            else:
                values.append(value)
        return self._kind(*values), at


class _Text(Shape):
    """A text, or bytes."""

    def __init__(self, kind: Callable[[str], Any] | None) -> None:
        self._kind = kind

    def write(self, value: Any, out: bytearray) -> None:
        data = value if self._kind is None else str(value).encode("utf-8", "replace")
        data = data[:_LONGEST]
        out += _LENGTH.pack(len(data)) + data

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        end = at + length
        if end > len(data):
            raise MalformedError("a text ends after the frame")
        part = data[at:end]
        return (part if self._kind is None else self._kind(part.decode("utf-8"))), end


class _Many(Shape):
    """A list of any length, as tuple, frozenset or mapping."""

    def __init__(
        self,
        item: Shape,
        kind: Callable[[list[Any]], Any],
        items_of: Callable[[Any], Any] | None = None,
    ) -> None:
        self._item, self._kind, self._items_of = item, kind, items_of

    def write(self, value: Any, out: bytearray) -> None:
        items = tuple(value if self._items_of is None else self._items_of(value))[:_LONGEST]
        out += _LENGTH.pack(len(items))
        for item in items:
            self._item.write(item, out)

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        (count,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        if count > len(data) - at:  # every item takes at least one byte
            raise MalformedError("a list ends after the frame")
        items = []
        for _ in range(count):
            item, at = self._item.read(data, at)
            items.append(item)
        return self._kind(items), at


class _Choice(Shape):
    """One of several types; None is one of them where the value is optional."""

    def __init__(self, kinds: Sequence[type]) -> None:
        self.tags = {kind: tag for tag, kind in enumerate(kinds)}
        self.shapes: list[Shape] = [
            _Nothing() if kind is types.NoneType else shape(kind) for kind in kinds
        ]

    def write(self, value: Any, out: bytearray) -> None:
        tag = self.tags[type(value)]
        out += _BYTE.pack(tag)
        self.shapes[tag].write(value, out)

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        tag: int = _BYTE.unpack_from(data, at)[0]
        if tag >= len(self.shapes):
            raise MalformedError(f"type {tag} of a union does not exist")
        return self.shapes[tag].read(data, at + 1)


class _Plain:
    """The tables of a choice whose types are all plain records, or None.

    `packs`: tag and packing of each type, the tag included. `reads`: type, unpacking without the
    tag, and size with it [B], of each tag.
    """

    def __init__(self, choice: _Choice) -> None:
        self.packs: dict[type, tuple[int, Callable[..., bytes]]] = {}
        self.reads: list[tuple[type[tuple[Any, ...]] | None, Callable[..., Any], int]] = []
        for kind, tag in choice.tags.items():
            each = choice.shapes[tag]
            assert isinstance(each, _Fixed)
            layout = struct.Struct(f"<B{each.fixed}")
            values = struct.Struct(f"<x{each.fixed}")
            made = None if kind is types.NoneType else kind
            self.packs[kind] = tag, layout.pack
            self.reads.append((made, values.unpack_from, layout.size))


def _plain_of(shape: Shape) -> _Plain | None:
    """Return the tables of a shape that is a choice of plain records, else None."""
    if not isinstance(shape, _Choice):
        return None
    for each in shape.shapes:
        if not (isinstance(each, _Nothing) or getattr(each, "plain_kind", None)):
            return None
    return _Plain(shape)


def _fixed_of(shapes: Sequence[Shape]) -> list[_Fixed]:
    """Return the shapes of a fixed length among these."""
    return [each for each in shapes if isinstance(each, _Fixed)]


def _as_tuple(*values: Any) -> tuple[Any, ...]:
    return values


def _as_bool(number: int) -> bool:
    if number > 1:
        raise MalformedError("a truth value is neither 0 nor 1")
    return bool(number)


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
        return _Choice([get_origin(each) or each for each in kinds])
    if origin is tuple and arguments[-1] is not Ellipsis:
        return _record(_as_tuple, arguments, tuple)
    if origin in (tuple, frozenset):
        return _Many(shape(arguments[0]), origin)
    if kind is tuple:  # in a union: a list of numbers
        return _Many(shape(float), tuple)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _Many(_record(_as_tuple, arguments, tuple), dict, lambda mapping: mapping.items())
    return _single(kind)


def _single(kind: Any) -> Shape:
    plain: dict[Any, Shape] = {
        float: _Number("d"),
        int: _Number("q"),
        bool: _Number("B", _as_bool),
        str: _Text(str),
        bytes: _Text(None),
        object: _Nothing(),
        NoticeKind: _Text(kind_named),
    }
    if kind in plain:
        return plain[kind]
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        return _Number("B", _Members(kind).__getitem__)
    hints = get_type_hints(kind)
    values_of: Callable[[Any], Sequence[Any]]
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
        getter = operator.attrgetter(*names)
        values_of = getter if len(names) > 1 else lambda value: (getter(value),)
    elif hasattr(kind, "_fields"):
        names, values_of = list(kind._fields), _same
    else:
        raise TypeError(f"{kind}: cannot be written")
    return _record(kind, [hints[name] for name in names], values_of)


def _record(
    kind: Callable[..., Any], parts: Sequence[Any], values_of: Callable[[Any], Sequence[Any]]
) -> Shape:
    shapes = [shape(part) for part in parts]
    fixed = _fixed_of(shapes)
    if len(fixed) == len(shapes):
        return _FixedRecord(kind, fixed, values_of)
    return _Record(kind, shapes, values_of)


def _same(value: Any) -> Any:
    return value


def append(value: Any, out: bytearray) -> None:
    """Write a record behind what is there."""
    shape(type(value)).write(value, out)


def packed(value: Any) -> bytes:
    """Write a record."""
    out = bytearray()
    append(value, out)
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
