"""Records whose fields are each one of several plain records, or None: read and written at once.

The types of the values decide the bytes. From one period to the next they rarely change, so each
combination has a layout that packs all fields in one call, and reading tries that of the last
record. A process that sleeps between two periods finds its caches cold: what counts is how little
is touched, more than how often.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from vdsim_interface.values.records import record

Kinds = tuple[type, ...]
Choices = Mapping[type, tuple[int, str]]
"""Tag and struct format of each type that a field may have."""


class _Layout(NamedTuple):
    """One combination of types. `fields`: type (None: nothing) and where its numbers are."""

    tags: tuple[int, ...]
    all: struct.Struct
    only_tags: struct.Struct
    only_values: struct.Struct
    fields: tuple[tuple[type[tuple[Any, ...]] | None, int, int], ...]


def _layout(choices: Sequence[Choices], kinds: Kinds) -> _Layout:
    rows = [choice[kind] for choice, kind in zip(choices, kinds, strict=True)]
    fields: list[tuple[type[tuple[Any, ...]] | None, int, int]] = []
    end = 0
    for kind, (_, form) in zip(kinds, rows, strict=True):
        begin, end = end, end + len(form)
        fields.append((kind if issubclass(kind, tuple) else None, begin, end))
    return _Layout(
        tags=tuple(tag for tag, _ in rows),
        all=struct.Struct("<" + "".join(f"B{form}" for _, form in rows)),
        only_tags=struct.Struct(
            "<" + "".join(f"B{struct.calcsize('<' + form)}x" for _, form in rows)
        ),
        only_values=struct.Struct("<" + "".join(f"x{form}" for _, form in rows)),
        fields=tuple(fields),
    )


class Layouts:
    """The layouts of one kind of record, made as its combinations occur."""

    def __init__(self, choices: Sequence[Choices]) -> None:
        self._choices = choices
        self._known: dict[Kinds, _Layout] = {}
        self._expected: _Layout | None = None

    def _of(self, kinds: Kinds) -> _Layout:
        layout = self._known.get(kinds)
        if layout is None:
            layout = self._known[kinds] = _layout(self._choices, kinds)
        return layout

    def write(self, values: Sequence[Any], out: bytearray) -> None:
        """Append the values."""
        layout = self._of(tuple(map(type, values)))
        numbers: list[Any] = []
        for tag, value in zip(layout.tags, values, strict=True):
            numbers.append(tag)
            if value is not None:
                numbers += value
        out += layout.all.pack(*numbers)

    def read(self, data: bytes, at: int) -> tuple[list[Any], int] | None:
        """Read a record with the types of the last one; None if it has others, or is cut off."""
        layout = self._expected
        if layout is None or len(data) - at < layout.all.size:
            return None
        if layout.only_tags.unpack_from(data, at) != layout.tags:
            return None
        numbers = layout.only_values.unpack_from(data, at)
        values = [
            None if kind is None else record(kind, numbers[begin:end])
            for kind, begin, end in layout.fields
        ]
        return values, at + layout.all.size

    def expect(self, values: Sequence[Any]) -> None:
        """Try the types of this record, which was read otherwise, for the next one."""
        self._expected = self._of(tuple(map(type, values)))
