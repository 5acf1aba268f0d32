"""Frames as bytes: there and back; whatever else arrives is named."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_can.frame import FD_LENGTHS, Frame, packed, shown, unpacked

FRAMES = st.one_of(
    st.builds(Frame, st.integers(0, 0x7FF), st.binary(max_size=8)),
    st.builds(Frame, st.integers(0, 0x1FFFFFFF), st.binary(max_size=8), st.just(True)),
    st.builds(
        Frame,
        st.integers(0, 0x7FF),
        st.sampled_from(sorted(FD_LENGTHS)).flatmap(lambda n: st.binary(min_size=n, max_size=n)),
        st.just(False),
        st.just(True),
    ),
)


@given(FRAMES)
def test_a_frame_comes_back_as_it_was(frame: Frame) -> None:
    assert unpacked(packed(frame)) == frame


@given(st.binary(max_size=80))
def test_any_bytes_are_a_frame_or_a_reason(data: bytes) -> None:
    found = unpacked(data)
    assert isinstance(found, Frame) or (isinstance(found, str) and found)


def test_the_bytes_are_those_of_linux() -> None:
    data = packed(Frame(0x18FF0001, b"\x01\x02", extended=True))
    assert struct.unpack("=IB3x8s", data) == (0x98FF0001, 2, b"\x01\x02" + bytes(6))
    assert len(packed(Frame(1, bytes(12), fd=True))) == 72


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "0 bytes: a frame has 16 or 72"),
        (struct.pack("=IB11x", 0x40000001, 0), "a remote frame"),
        (struct.pack("=IB11x", 1, 9), "length 9"),
        (struct.pack("=IB67x", 1, 11), "length 11"),
        (struct.pack("=IB11x", 0x800, 0), "id 0x800 has more than 11 bits"),
    ],
)
def test_what_is_no_frame_has_a_reason(data: bytes, why: str) -> None:
    found = unpacked(data)
    assert isinstance(found, str)
    assert found.startswith(why)


def test_frames_are_shown_as_people_write_them() -> None:
    assert shown(Frame(0x110, b"\x00\xab")) == "110#00AB"
    assert shown(Frame(0x110, b"\x00", extended=True)) == "00000110#00"
    assert shown(Frame(0x110, b"\x01", fd=True)) == "110##001"
