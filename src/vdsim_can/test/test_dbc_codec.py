"""Generated functions pack and unpack as cantools does, an implementation of others."""

from __future__ import annotations

import io
import math
from typing import Any

import cantools
import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_can.dbc import Message, PackingError, Signal, codec_of, parse_dbc
from vdsim_can_kit.networks import UNHURRIED, as_dbc, messages, network_of, raw_values


def judge_of(message: Message) -> Any:
    """The message as cantools reads it from the text of its network."""
    text = as_dbc(network_of(message))
    loaded = cantools.database.load(io.StringIO(text), database_format="dbc", strict=False)
    return loaded.get_message_by_name(message.name)


def selected(message: Message, raw: dict[str, float]) -> dict[str, float]:
    names = {s.name for s in message.signals if not s.selector}
    names |= {
        s.name for s in message.signals if s.selector and s.selected_by[0][0] == raw["SELECT"]
    }
    return {name: value for name, value in raw.items() if name in names}


@st.composite
def packed(draw: st.DrawFn) -> tuple[Message, dict[str, float]]:
    message = draw(messages())
    raw = draw(raw_values(message))
    if "SELECT" in raw:
        raw["SELECT"] = draw(st.sampled_from((1, 2)))
    return message, raw


@UNHURRIED
@given(packed())
def test_a_network_of_random_signals_is_read_as_it_was_written(
    case: tuple[Message, dict[str, float]],
) -> None:
    message, _ = case
    read = parse_dbc(as_dbc(network_of(message)), source="random.dbc").network.messages["M0"]
    assert [(s.name, s.bits(), s.signed, s.is_float, s.scale, s.offset) for s in read.signals] == [
        (s.name, s.bits(), s.signed, s.is_float, s.scale, s.offset) for s in message.signals
    ]
    assert [(s.selector, s.selected_by) for s in read.signals] == [
        (s.selector, s.selected_by) for s in message.signals
    ]
    assert (read.can_id, read.extended, read.length) == (
        message.can_id, message.extended, message.length,
    )  # fmt: skip


@UNHURRIED
@given(packed())
def test_frames_are_packed_as_cantools_packs_them(case: tuple[Message, dict[str, float]]) -> None:
    message, raw = case
    expected = judge_of(message).encode(selected(message, raw), scaling=False, strict=False)
    assert codec_of(message).pack(raw) == expected


@UNHURRIED
@given(packed())
def test_frames_are_unpacked_as_cantools_unpacks_them(
    case: tuple[Message, dict[str, float]],
) -> None:
    message, raw = case
    frame = codec_of(message).pack(raw)
    ours = codec_of(message).unpack(frame)
    theirs = judge_of(message).decode(frame, scaling=False, decode_choices=False)
    assert ours == theirs == selected(message, raw)


@UNHURRIED
@given(st.data())
def test_any_bytes_of_the_right_length_are_unpacked_as_by_cantools(data: st.DataObject) -> None:
    message = data.draw(messages().filter(lambda m: all(not s.is_selector for s in m.signals)))
    frame = data.draw(st.binary(min_size=message.length, max_size=message.length))
    ours = codec_of(message).unpack_physical(frame)
    theirs = judge_of(message).decode(frame, decode_choices=False)
    assert ours is not None
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        same = value == theirs[name] or (math.isnan(value) and math.isnan(theirs[name]))
        assert same or math.isclose(value, theirs[name], rel_tol=1e-12, abs_tol=1e-9)


@UNHURRIED
@given(st.binary(max_size=65), messages())
def test_a_frame_of_another_length_is_not_unpacked(frame: bytes, message: Message) -> None:
    unpacked = codec_of(message).unpack(frame)
    assert (unpacked is None) == (len(frame) != message.length)


SMALL = Message(
    name="SMALL",
    can_id=1,
    length=8,
    signals=(
        Signal(name="A", start=0, length=4),
        Signal(name="B", start=4, length=4, signed=True, scale=0.5),
        Signal(name="F", start=8, length=32, is_float=True),
    ),
)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ({"A": 16}, "SMALL.A=16: must be a whole number of 0 to 15"),
        ({"A": -1}, "SMALL.A=-1: must be a whole number of 0 to 15"),
        ({"B": 8}, "SMALL.B=8: must be a whole number of -8 to 7"),
        ({"A": 1.5}, "SMALL.A=1.5: must be a whole number"),
        ({"F": 1e39}, "SMALL.F=1e+39: is beyond a float of 32 bits"),
        ({"X": 1}, "SMALL.X: there is no such signal"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_and_never_wraps(
    raw: dict[str, float], problem: str
) -> None:
    with pytest.raises(PackingError, match=problem.replace("+", r"\+")):
        codec_of(SMALL).pack(raw)


def test_a_physical_value_is_rounded_to_the_nearest_raw_one() -> None:
    codec = codec_of(SMALL)
    assert codec.unpack(codec.pack_physical({"B": -1.3, "F": 0.5})) == {"A": 0, "B": -3, "F": 0.5}


def test_a_signal_cannot_bring_code_into_the_generated_functions() -> None:
    name = "'); raise SystemExit('"
    message = Message(name="M", can_id=1, length=1, signals=(Signal(name=name, start=0, length=8),))
    assert codec_of(message).unpack(b"\x07") == {name: 7}
