"""How a value of one form becomes bytes, and back: numbers, records, texts, lists, choices.

`read` raises MalformedError, struct.error or ValueError for bytes that are no value of the form,
and nothing else.

A record has functions of its own, made from its fields when the program starts: a frame is written
and read by a process that has just slept, and each call of a function costs it a microsecond then.
"""

import struct
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from itertools import count, groupby, islice
from typing import Any, NamedTuple

from vdsim_interface.values.records import record

_LENGTH = struct.Struct("<H")
_BYTE = struct.Struct("<B")
_LONGEST = 0xFFFF
LARGEST = 0xFFFF
"""Size limit of a frame [bytes]."""
Write = Callable[[Any, bytearray], None]
Read = Callable[[bytes, int], tuple[Any, int]]


class MalformedError(ValueError):
    """Bytes that are no value of the expected type."""


class Names:
    """The names by which a made function refers to what it uses. `scope`: what each stands for."""

    def __init__(self) -> None:
        self.scope: dict[str, Any] = {}

    def of(self, used: Any) -> str:
        """Return the name of an object."""
        name = f"k{len(self.scope)}"
        self.scope[name] = used
        return name


class Shape(ABC):
    """How the values of one type are written and read."""

    @abstractmethod
    def write(self, value: Any, out: bytearray) -> None:
        """Append a value."""

    @abstractmethod
    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        """Read the value at an offset; return it with the offset after it."""

    def writing(self, value: str, names: Names) -> list[str]:
        """Return the statements that append the value of an expression to `out`."""
        return [f"{names.of(self.write)}({value}, out)"]

    def reading(self, variable: str, names: Names) -> list[str]:
        """Return the statements that read a variable from `data` and move `at`."""
        return [f"{variable}, at = {names.of(self.read)}(data, at)"]


class Fixed(Shape):
    """A value that always takes the same bytes, so that a record writes several in one piece.

    `fixed`: its struct format. Records have functions made for them: these are the expressions.
    """

    fixed: str

    @abstractmethod
    def numbers(self, value: str) -> list[str]:
        """Return the expressions of the numbers of a value."""

    @abstractmethod
    def built(self, numbers: Iterator[str], names: Names) -> str:
        """Return the expression that builds the value from the next numbers."""


class Number(Fixed):
    """A float, an int, a bool or an enum."""

    def __init__(self, fixed: str, convert: Callable[[Any], Any] | None = None) -> None:
        self.fixed, self._convert = fixed, convert
        self.is_plain = convert is None
        self._struct = struct.Struct(f"<{fixed}")

    def numbers(self, value: str) -> list[str]:
        """Return the expressions of the numbers of a value."""
        return [value]

    def built(self, numbers: Iterator[str], names: Names) -> str:
        """Return the expression that builds the value from the next numbers."""
        number = next(numbers)
        return number if self._convert is None else f"{names.of(self._convert)}({number})"

    def write(self, value: Any, out: bytearray) -> None:
        """Append a value."""
        out += self._struct.pack(value)

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        """Read the value at an offset; return it with the offset after it."""
        (number,) = self._struct.unpack_from(data, at)
        value = number if self._convert is None else self._convert(number)
        return value, at + self._struct.size


class Members(dict[int, IntEnum]):
    """The members of an enum by their number: a call of the enum takes ten times as long."""

    def __init__(self, kind: type[IntEnum]) -> None:
        super().__init__({member.value: member for member in kind})
        self._name = kind.__name__

    def __missing__(self, number: int) -> IntEnum:
        raise MalformedError(f"{number} is not a valid {self._name}")


class Nothing(Fixed):
    """A field that is not sent."""

    fixed = ""

    def numbers(self, value: str) -> list[str]:
        """Return the expressions of the numbers of a value: none."""
        return []

    def built(self, numbers: Iterator[str], names: Names) -> str:
        """Return the expression of the value."""
        return "None"

    def write(self, value: Any, out: bytearray) -> None:
        """Append nothing."""

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        """Return None, and the same offset."""
        return None, at


class Form(NamedTuple):
    """How a record is taken apart and built.

    `kind`: its type; `tuple` for a tuple of a fixed length. `fields`: what follows the value in the
    expression of each of its fields: `[0]` or `.name`.
    """

    kind: Callable[..., Any]
    fields: tuple[str, ...]
    is_tuple: bool

    def built(self, values: Sequence[str], names: Names) -> str:
        """Return the expression that builds the record from the expressions of its fields."""
        listed = "".join(f"{value}, " for value in values)
        if self.kind is tuple:
            return f"({listed})"
        kind = names.of(self.kind)
        return f"{names.of(record)}({kind}, ({listed}))" if self.is_tuple else f"{kind}({listed})"


def form_of(kind: Callable[..., Any], names: Sequence[str] | None, length: int) -> Form:
    """Return the form of a type. `names`: of a dataclass's fields; None: its values are a tuple."""
    if names is None:
        return Form(kind, tuple(f"[{index}]" for index in range(length)), is_tuple=True)
    return Form(kind, tuple(f".{name}" for name in names), is_tuple=False)


class FixedRecord(Fixed):
    """A record, or a tuple of a fixed length, of fixed values."""

    def __init__(self, form: Form, shapes: Sequence[Fixed]) -> None:
        self.fixed = "".join(shape.fixed for shape in shapes)
        self._form, self._shapes = form, shapes
        is_plain = all(isinstance(each, Number) and each.is_plain for each in shapes)
        is_record = form.is_tuple and form.kind is not tuple
        self.plain_kind = form.kind if is_plain and is_record else None
        self._write, self._read = _functions(form, shapes)

    def numbers(self, value: str) -> list[str]:
        """Return the expressions of the numbers of a value."""
        parts = zip(self._shapes, self._form.fields, strict=True)
        return [number for shape, field in parts for number in shape.numbers(value + field)]

    def built(self, numbers: Iterator[str], names: Names) -> str:
        """Return the expression that builds the value from the next numbers."""
        return self._form.built([shape.built(numbers, names) for shape in self._shapes], names)

    def write(self, value: Any, out: bytearray) -> None:
        """Append a value."""
        self._write(value, out)

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        """Read the value at an offset; return it with the offset after it."""
        return self._read(data, at)


class Record(Shape):
    """A record with a field of varying length."""

    def __init__(self, form: Form, shapes: Sequence[Shape]) -> None:
        self._write, self._read = _functions(form, shapes)

    def write(self, value: Any, out: bytearray) -> None:
        """Append a value."""
        self._write(value, out)

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        """Read the value at an offset; return it with the offset after it."""
        return self._read(data, at)


class Text(Shape):
    """A text, or bytes."""

    def __init__(self, kind: Callable[[str], Any] | None) -> None:
        self._kind = kind

    def write(self, value: Any, out: bytearray) -> None:
        """Append a value."""
        data = value if self._kind is None else str(value).encode("utf-8", "replace")
        data = data[:_LONGEST]
        out += _LENGTH.pack(len(data)) + data

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        """Read the value at an offset; return it with the offset after it."""
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        end = at + length
        if end > len(data):
            raise MalformedError("a text ends after the frame")
        part = data[at:end]
        return (part if self._kind is None else self._kind(part.decode("utf-8"))), end


class Many(Shape):
    """A list of any length, as tuple, frozenset or mapping."""

    def __init__(
        self,
        item: Shape,
        kind: Callable[[list[Any]], Any],
        items_of: Callable[[Any], Any] | None = None,
    ) -> None:
        self._item, self._kind, self._items_of = item, kind, items_of
        # The names of a report are those of the report before.
        self._repeats = isinstance(item, Text) and kind is frozenset
        self._written: tuple[Any, bytes] = (None, b"")
        self._found: tuple[Any, bytes] = (None, b"")

    def write(self, value: Any, out: bytearray) -> None:
        """Append a value."""
        before, same = self._written
        if value is before and same:
            out += same
            return
        begins_at = len(out)
        items = tuple(value if self._items_of is None else self._items_of(value))[:_LONGEST]
        out += _LENGTH.pack(len(items))
        for item in items:
            self._item.write(item, out)
        if self._repeats:
            self._written = value, bytes(out[begins_at:])

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        """Read the value at an offset; return it with the offset after it."""
        before, same = self._found
        if same and data.startswith(same, at):  # it has its length: the same bytes, the same value
            return before, at + len(same)
        begins_at = at
        (count,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        if count > len(data) - at:  # every item takes at least one byte
            raise MalformedError("a list ends after the frame")
        items = []
        for _ in range(count):
            item, at = self._item.read(data, at)
            items.append(item)
        found = self._kind(items)
        if self._repeats:
            self._found = found, bytes(data[begins_at:at])
        return found, at


class Choice(Shape):
    """One of several types; None is one of them where the value is optional."""

    def __init__(self, kinds: Sequence[type], shapes: Sequence[Shape]) -> None:
        self.tags = {kind: tag for tag, kind in enumerate(kinds)}
        self.shapes = shapes

    def write(self, value: Any, out: bytearray) -> None:
        """Append a value."""
        tag = self.tags[type(value)]
        out += _BYTE.pack(tag)
        self.shapes[tag].write(value, out)

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        """Read the value at an offset; return it with the offset after it."""
        tag: int
        (tag,) = _BYTE.unpack_from(data, at)
        if tag >= len(self.shapes):
            raise MalformedError(f"type {tag} of a union does not exist")
        return self.shapes[tag].read(data, at + 1)

    def writing(self, value: str, names: Names) -> list[str]:
        """Write a plain record, or None, in one piece with its tag."""
        if not self._is_plain:
            return super().writing(value, names)
        packs = {kind: (tag, self._layout("B", tag).pack) for kind, tag in self.tags.items()}
        return [
            f"chosen = {value}",
            f"tag, pack = {names.of(packs)}[type(chosen)]",
            "out += pack(tag) if chosen is None else pack(tag, *chosen)",
        ]

    def reading(self, variable: str, names: Names) -> list[str]:
        """Read a plain record, or None, in one piece with its tag; `read` refuses other tags."""
        if not self._is_plain:
            return super().reading(variable, names)
        kinds = [None if kind is types.NoneType else kind for kind in self.tags]
        layouts = [self._layout("x", tag) for tag in self.tags.values()]
        reads = [
            (kind, each.unpack_from, each.size) for kind, each in zip(kinds, layouts, strict=True)
        ]
        return [
            f"if at < len(data) and data[at] < {len(reads)}:",
            f"    kind, unpack_from, size = {names.of(reads)}[data[at]]",
            "    values = unpack_from(data, at)",
            f"    {variable} = None if kind is None else {names.of(record)}(kind, values)",
            "    at += size",
            "else:",
            f"    {variable}, at = {names.of(self.read)}(data, at)",
        ]

    @property
    def _is_plain(self) -> bool:
        return all(
            isinstance(each, Nothing) or (isinstance(each, FixedRecord) and each.plain_kind)
            for each in self.shapes
        )

    def _layout(self, first: str, tag: int) -> struct.Struct:
        each = self.shapes[tag]
        assert isinstance(each, Fixed)
        return struct.Struct(f"<{first}{each.fixed}")


def _functions(form: Form, shapes: Sequence[Shape]) -> tuple[Write, Read]:
    """Make the two functions of a record: runs of fixed fields are written in one piece."""
    names, variables = Names(), (f"n{index}" for index in count())
    write, read, values = [], [], []
    fields = zip(shapes, form.fields, strict=True)
    for is_fixed, group in groupby(fields, lambda field: isinstance(field[0], Fixed)):
        if is_fixed:
            run = [(shape, field) for shape, field in group if isinstance(shape, Fixed)]
            layout = struct.Struct("<" + "".join(shape.fixed for shape, _ in run))
            sent = [number for shape, field in run for number in shape.numbers(f"value{field}")]
            taken = list(islice(variables, len(sent)))
            if sent:
                write.append(f"out += {names.of(layout.pack)}({', '.join(sent)})")
                read.append(f"{', '.join(taken)}, = {names.of(layout.unpack_from)}(data, at)")
                read.append(f"at += {layout.size}")
            numbers = iter(taken)
            values += [shape.built(numbers, names) for shape, _ in run]
            continue
        for shape, field in group:
            values.append(next(variables))
            write += shape.writing(f"value{field}", names)
            read += shape.reading(values[-1], names)
    made = _compiled(["def write(value, out):", *write, "return None"], names)["write"]
    returned = f"return {form.built(values, names)}, at"
    return made, _compiled(["def read(data, at):", *read, returned], names)["read"]


def _compiled(lines: Sequence[str], names: Names) -> dict[str, Any]:
    scope = dict(names.scope)
    exec("\n    ".join(lines), scope)
    return scope
