"""Example MORAI messages, derived from the tables."""

from __future__ import annotations

import enum
import struct
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st
from vdsim_protocol.morai.envelope import Message
from vdsim_protocol.morai.table_codec import FLOATS
from vdsim_protocol.wire import Field, fields_of

from vdsim_protocol import morai

VARIANTS = [(m, g) for m in morai.MESSAGES for g in m.sizes]
VARIANT_IDS = [f"{m.table.__name__}-{g}" for m, g in VARIANTS]
_INTEGER_BITS = {"b": (8, True), "B": (8, False), "h": (16, True), "i": (32, True)}


def _numbers(start: int) -> Iterator[int]:
    """Small numbers that differ from field to field."""
    while True:
        yield start
        start = start % 97 + 1


def _example(field: Field, numbers: Iterator[int]) -> Any:
    wire = field.wire
    if wire.record is not None:
        return tuple(_fill(wire.record, wire.version, numbers) for _ in range(wire.count))
    if wire.count > 1:
        return tuple(next(numbers) / 4 for _ in range(wire.count))
    if wire.codes is not None:
        codes = list(wire.codes)
        return codes[next(numbers) % len(codes)]
    if wire.format == "?":
        return bool(next(numbers) % 2)
    if wire.format.endswith("s"):
        return f"name{next(numbers)}"
    number = next(numbers)
    if wire.format in FLOATS:
        return number / 128
    return min(number, 20)


def _fill(table: type, generation: int, numbers: Iterator[int]) -> Any:
    return table(**{f.name: _example(f, numbers) for f in fields_of(table, generation)})


def example(message: Message, generation: int, start: int = 1) -> Any:
    """A message object whose values differ as far as possible."""
    return _fill(message.table, generation, _numbers(start))


def _strategy(field: Field) -> st.SearchStrategy[Any]:
    wire = field.wire
    if wire.record is not None:
        # Fewer records than the message holds: encoding adds unused ones.
        return st.lists(_bodies(wire.record, wire.version), max_size=2).map(tuple)
    if wire.format in FLOATS:
        low = None if wire.low < -1e30 else wire.low
        high = None if wire.high > 1e30 else wire.high
        one = st.floats(
            low, high, width=8 * struct.calcsize(wire.format), allow_nan=False, allow_infinity=False
        )
        return one if wire.count == 1 else st.tuples(*[one] * wire.count)
    if wire.codes is not None and issubclass(wire.codes, enum.IntFlag):
        return st.integers(0, 2**15 - 1)
    if wire.codes is not None:
        return st.sampled_from(list(wire.codes))
    if wire.format == "?":
        return st.booleans()
    if wire.format.endswith("s"):
        letters = st.characters(min_codepoint=33, max_codepoint=255)
        return st.text(letters, max_size=int(wire.format[:-1]))
    bits, signed = _INTEGER_BITS[wire.format]
    low_int = -(2 ** (bits - 1)) if signed else 0
    high_int = 2 ** (bits - signed) - 1
    return st.integers(
        max(low_int, int(max(wire.low, -1e12))), min(high_int, int(min(wire.high, 1e12)))
    )


def _bodies(table: type, generation: int) -> st.SearchStrategy[Any]:
    fields = {field.name: _strategy(field) for field in fields_of(table, generation)}
    return st.builds(table, **fields)


def bodies(message: Message, generation: int) -> st.SearchStrategy[Any]:
    """Any sendable message object."""
    return _bodies(message.table, generation)
