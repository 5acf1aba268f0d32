"""A table that contradicts itself does not get past its import."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import pytest
from vdsim_protocol.wire import Field, Layout, LayoutError, Wire, fields_of, layout_of


@dataclass(frozen=True)
class Pair:
    SIZE: ClassVar[int] = 6
    first: Annotated[int, Wire(0, "h")]
    second: Annotated[float, Wire(2, "f", "m", wire_name="Second")]


@dataclass(frozen=True)
class Sample:
    flag: Annotated[bool, Wire(10, "?", pad_after=3)]
    values: Annotated[tuple[float, ...], Wire(14, "d", count=2)]
    late: Annotated[int, Wire(30, "i", since=3, moved=((5, 34),))] = 0
    early: Annotated[int, Wire(30, "i", since=5)] = 0


def test_layout_derives_sizes_and_format() -> None:
    layout = layout_of(Sample, start=10, end=34, version=3)
    assert [field.name for field in layout.fields] == ["flag", "values", "late"]
    assert (layout.name, layout.start, layout.end) == ("Sample", 10, 34)
    assert layout.struct_format() == "?3x2di"
    assert layout.size == 24
    assert [(f.element_size, f.size) for f in layout.fields] == [(1, 1), (8, 16), (4, 4)]


def test_a_version_moves_fields_and_their_order() -> None:
    layout = layout_of(Sample, start=10, end=38, version=5)
    assert [(f.name, f.wire.offset) for f in layout.fields][2:] == [("early", 30), ("late", 34)]
    assert all(field.wire.moved == () for field in layout.fields)
    assert [f.wire.offset for f in fields_of(Sample, 4)] == [10, 14, 30]
    assert [f.wire.version for f in fields_of(Sample, 4)] == [4, 4, 4]


def test_without_a_version_every_field_is_listed_as_first_documented() -> None:
    assert [(f.name, f.wire.offset) for f in fields_of(Sample)][2:] == [("late", 30), ("early", 30)]


def test_wire_name_defaults_to_the_field_name() -> None:
    assert [field.wire_name for field in fields_of(Pair)] == ["first", "Second"]


def test_record_size_counts() -> None:
    field = Field("pairs", Wire(0, record=Pair, count=3))
    assert (field.element_size, field.size) == (6, 18)


@pytest.mark.parametrize(
    ("offset", "end", "message"),
    [
        (3, 5, r"T.b: documented at offset 3, the fields before it end at 2"),
        (1, 4, r"T.b: documented at offset 1, the fields before it end at 2"),
        (2, 5, r"T: documented to end at 5, the fields at 4"),
    ],
)
def test_wrong_offsets_and_sizes_are_refused(offset: int, end: int, message: str) -> None:
    fields = (Field("a", Wire(0, "h")), Field("b", Wire(offset, "h")))
    with pytest.raises(LayoutError, match=message):
        Layout("T", fields, 0, end)


def test_a_field_without_wire_is_refused() -> None:
    @dataclass
    class Bare:
        x: int

    @dataclass
    class Twice:
        x: Annotated[int, Wire(0, "h"), Wire(0, "h")]

    for table in (Bare, Twice):
        with pytest.raises(LayoutError, match=r"\.x: needs exactly one Wire"):
            fields_of(table)
