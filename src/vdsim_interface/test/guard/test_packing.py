"""Values survive the way through their bytes, and no bytes at all raise anything but one error."""

from __future__ import annotations

import contextlib
import math
from dataclasses import fields, is_dataclass
from itertools import product
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_interface.guard import frames
from vdsim_interface.guard.frames import TO_GUARD, TO_SHELL
from vdsim_interface.guard.packing import packed, shape, unpacked
from vdsim_interface.guard.shapes import MalformedError
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    Applied,
    BodyState,
    Gear,
    HighLevelCommand,
    RawCommand,
    VehicleCommand,
    VehicleReport,
    notice_kinds,
)

KINDS = [*TO_GUARD.values(), *TO_SHELL.values()]
APPLIED = Applied(0.1, 0.2)
NUMBERS = st.floats(allow_nan=False)
TEXTS = st.text(max_size=30).filter(lambda text: text.isprintable())
# hypothesis builds every record from its type hints; these types need a hint of their own.
st.register_type_strategy(float, NUMBERS)
st.register_type_strategy(int, st.integers(-(2**63), 2**63 - 1))
st.register_type_strategy(str, TEXTS)
st.register_type_strategy(type(notice_kinds.LOW_PASS), st.sampled_from(notice_kinds.ALL))
# Its values are checked when it is made.
SAFETY = st.builds(SafetyParameters, decel_max_mps2=st.floats(3.0, 10.0), enabled=st.booleans())
st.register_type_strategy(SafetyParameters, SAFETY)


def details_left_out(value: Any) -> Any:
    """What is not sent: a report's packet of the platform's own."""
    if isinstance(value, frames.Report):
        return value._replace(report=value.report._replace(details=None))
    return value


def alike(here: Any, there: Any) -> bool:
    """Equal, where what is not a number equals itself."""
    if is_dataclass(here):
        return type(here) is type(there) and alike(parts(here), parts(there))
    if isinstance(here, tuple):
        pairs = zip(here, there, strict=True)
        return type(here) is type(there) and all(alike(one, other) for one, other in pairs)
    return here == there or (here != here and there != there)


def parts(record: Any) -> tuple[Any, ...]:
    """The fields of a dataclass."""
    return tuple(getattr(record, field.name) for field in fields(record))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_record_survives(kind: type) -> None:
    @given(st.from_type(kind))
    def survives(value: Any) -> None:
        sent = details_left_out(value)
        assert alike(unpacked(kind, packed(sent)), sent)

    survives()


@given(st.sampled_from(KINDS), st.binary(max_size=600))
def test_no_bytes_raise_another_error(kind: type, data: bytes) -> None:
    try:
        value = unpacked(kind, data)
    except MalformedError:
        return
    # Where it is a value, it is one that can be written again.
    assert alike(unpacked(kind, packed(value)), value)


@given(st.data())
def test_every_change_of_one_byte_is_a_value_or_the_error(data: st.DataObject) -> None:
    report = VehicleReport(1.0, 2.0, 3.0, 0.1, BodyState(modelled=frozenset({"gear"})), APPLIED)
    good = bytearray(packed(frames.Report(report, b"packet")))
    at = data.draw(st.integers(0, len(good) - 1))
    good[at] = data.draw(st.integers(0, 255))
    try:
        unpacked(frames.Report, bytes(good))
    except MalformedError:
        return


def test_what_is_not_a_number_stays_so() -> None:
    sent = frames.Front(None, VehicleCommand(1.0, math.nan, math.inf), None, None)
    arrived = unpacked(frames.Front, packed(sent))
    assert math.isnan(arrived.controlled.long_accel_mps2)
    assert arrived.controlled.front_wheel_angle_rad == math.inf


def test_a_union_keeps_its_type() -> None:
    for command in (RawCommand(1.0, 5), VehicleCommand(1.0, 5.0), HighLevelCommand(1.0, 5.0)):
        arrived = unpacked(frames.CommandReceived, packed(frames.CommandReceived(command)))
        assert type(arrived.command) is type(command)


class Flags(NamedTuple):
    """A record of truth values alone."""

    left: bool
    right: bool


def test_truth_values_of_a_record_in_a_union_are_checked_too() -> None:
    either = shape(Flags | None)
    for sent in (Flags(True, False), None):
        out = bytearray()
        either.write(sent, out)
        arrived, end = either.read(bytes(out), 0)
        assert (arrived, end) == (sent, len(out))
        assert arrived is None or (arrived.left is True and arrived.right is False)

    class Either(NamedTuple):
        flags: Flags | None

    in_a_record = shape(Either)
    arrived, _ = in_a_record.read(b"\x01\x01\x00", 0)
    assert arrived.flags.left is True
    assert arrived.flags.right is False
    with pytest.raises(MalformedError, match="neither 0 nor 1"):
        in_a_record.read(b"\x01\x02\x00", 0)


@pytest.mark.parametrize(
    ("kind", "value", "length"), [(tuple[float], (1.5,), 8), (tuple[int, bool], (3, True), 9)]
)
def test_a_tuple_of_a_fixed_length_is_sent_without_its_length(
    kind: Any, value: Any, length: int
) -> None:
    out = bytearray()
    shape(kind).write(value, out)
    assert len(out) == length
    assert shape(kind).read(bytes(out), 0) == (value, len(out))


def test_a_parameter_keeps_its_type() -> None:
    values = {"flag": True, "whole": 3, "real": 3.0, "text": "3", "list": (1.0, 2.0)}
    arrived = unpacked(frames.Configure, packed(frames.Configure(values))).interface
    assert {name: (type(v), v) for name, v in arrived.items()} == {
        name: (type(v), v) for name, v in values.items()
    }


@pytest.mark.parametrize(
    ("kind", "data", "why"),
    [
        (frames.ChangeMode, b"\x02", "neither 0 nor 1"),
        (frames.ChangeMode, b"", "requires"),
        (frames.ChangeMode, b"\x01\x00", "1 bytes too many"),
        (frames.CommandReceived, b"\x07", "type 7 of a union"),
        (frames.Configure, b"\xff\xff", "a list ends after"),
        (frames.Configure, b"\x01\x00", "a list ends after"),
        (frames.Configure, b"\x01\x00\xff\x00ab", "a text ends after"),
        (frames.Configure, b"\x01\x00\x01\x00\xff", "decode"),
    ],
)
def test_the_error_says_what_is_wrong(kind: type, data: bytes, why: str) -> None:
    with pytest.raises(MalformedError, match=why):
        unpacked(kind, data)


def test_an_undefined_gear_is_an_error() -> None:
    good = packed(frames.Report(VehicleReport(1.0, 2.0, 3.0, 0.1, BodyState(), APPLIED), b""))
    at = 4 * 8  # four times and motions come before the body, which begins with the gear
    assert good[at] == Gear.PARK
    with pytest.raises(MalformedError, match="is not a valid Gear"):
        unpacked(frames.Report, good[:at] + b"\x63" + good[at + 1 :])


def test_a_type_without_a_layout_is_an_error_of_ours() -> None:
    with pytest.raises(TypeError, match="cannot be written"):
        shape(complex)


def _front(kinds: tuple[type | None, ...], offset: float) -> frames.Front:
    values = [None if kind is None else kind(offset) for kind in kinds]
    return frames.Front(*values)


FRONTS = [
    (received, controlled, filtered, raw)
    for received in (None, RawCommand, VehicleCommand, HighLevelCommand)
    for controlled in (None, VehicleCommand)
    for filtered in (None, VehicleCommand)
    for raw in (None, RawCommand)
]


def test_a_front_of_other_types_follows_one_of_these() -> None:
    """Reading tries the types of the last one: those of the next one count all the same."""
    for number, (before, after) in enumerate(product(FRONTS, FRONTS)):
        for kinds in (before, after):
            sent = _front(kinds, float(number))
            arrived = unpacked(frames.Front, packed(sent))
            assert arrived == sent
            assert [type(value) for value in arrived] == [type(value) for value in sent]


@given(st.sampled_from(FRONTS), st.sampled_from(FRONTS), st.integers(0, 200), st.integers(0, 255))
def test_no_byte_of_a_front_raises_anything_else(
    before: tuple[type | None, ...], kinds: tuple[type | None, ...], at: int, byte: int
) -> None:
    unpacked(frames.Front, packed(_front(before, 1.0)))
    data = bytearray(packed(_front(kinds, 2.0)))
    data[at % len(data)] = byte
    for wrong in (bytes(data), bytes(data[: at % len(data)]), bytes(data) + b"\0"):
        with contextlib.suppress(MalformedError):
            assert isinstance(unpacked(frames.Front, wrong), frames.Front)


@pytest.mark.parametrize(("length", "kept_n"), [(65535, 65535), (65536, 65535), (100000, 65535)])
def test_a_text_or_a_list_that_is_too_long_is_cut(length: int, kept_n: int) -> None:
    """Its length has 16 bits."""
    text = unpacked(frames.Configure, packed(frames.Configure({"text": "a" * length})))
    assert text.interface == {"text": "a" * kept_n}
    data = frames.Report(VehicleReport(1.0, 2.0, 3.0, 0.1, BodyState(), APPLIED), b"b" * length)
    assert unpacked(frames.Report, packed(data)).datagram == b"b" * kept_n
    many = unpacked(frames.Configure, packed(frames.Configure({"list": (1.0,) * length})))
    assert many.interface == {"list": (1.0,) * kept_n}


def test_what_ends_with_the_frame_is_whole_and_one_byte_less_is_an_error() -> None:
    for sent in (frames.Configure({"a": "b"}), frames.Configure({"a": (1.0,)})):
        data = packed(sent)
        assert unpacked(frames.Configure, data) == sent
        with pytest.raises(MalformedError):
            unpacked(frames.Configure, data[:-1])
    with pytest.raises(MalformedError, match="2 bytes too many"):
        unpacked(frames.ChangeMode, b"\x01\x00\x00")


class Named(NamedTuple):
    names: frozenset[str]
    after: int


def test_names_that_repeat_are_read_as_the_first_time() -> None:
    both, one = Named(frozenset({"gear", "horn"}), 1), Named(frozenset({"gear"}), 2)
    for value in (both, both, one, both, one._replace(names=both.names), one, both):
        assert unpacked(Named, packed(value)) == value
    whole = packed(both)
    for length in range(len(whole)):
        with pytest.raises(MalformedError):
            unpacked(Named, whole[:length])
