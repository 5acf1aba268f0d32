"""The checks of a frame: whatever arrives is a frame or a counted reason."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_interface.guard import frames
from vdsim_interface.guard.frames import (
    LARGEST,
    TO_GUARD,
    TO_SHELL,
    Frame,
    FrameReader,
    FrameWriter,
    Reject,
    RejectReason,
)
from vdsim_interface.values import HighLevelCommand

NOW = 100.0


def frame(payload: frames.Payload | None = None, *, sent_s: float = NOW, n: int = 1) -> bytes:
    """The n-th frame of a connection."""
    writer = FrameWriter()
    for _ in range(n - 1):
        writer.write(frames.AskHealth(), sent_s)
    return writer.write(payload or frames.ChangeMode(True), sent_s)[1]


def sealed(body: bytes) -> bytes:
    """Bytes with a valid checksum."""
    return body + struct.pack("<I", zlib.crc32(body))


def read(*data: bytes) -> Frame | Reject:
    """The outcome of the last."""
    reader = FrameReader(TO_GUARD)
    outcomes = [reader.read(each, NOW) for each in data]
    return outcomes[-1]


def test_a_frame_arrives_with_its_counter_and_time() -> None:
    assert read(frame(n=3)) == Frame(3, NOW, frames.ChangeMode(True))


GOOD = frame()
BAD = {
    RejectReason.LENGTH: [b"", GOOD[:10], GOOD[:19], b"VG" + bytes(LARGEST)],
    RejectReason.MAGIC: [sealed(b"XX" + GOOD[2:-4])],
    RejectReason.VERSION: [sealed(GOOD[:2] + b"\x63" + GOOD[3:-4])],
    RejectReason.CRC: [GOOD[:-1] + bytes([GOOD[-1] ^ 1]), GOOD[:16] + b"\x00" + GOOD[17:]],
    RejectReason.KIND: [
        sealed(GOOD[:3] + b"\x00" + GOOD[4:-4]),
        frame(frames.Health({}, {}, ())),  # goes the other way
    ],
    RejectReason.TIME: [frame(sent_s=NOW + 1e-6), frame(sent_s=float("nan"))],
    RejectReason.CONTENT: [sealed(GOOD[:-4] + b"\x00"), sealed(GOOD[:-5] + b"\x02")],
}


@pytest.mark.parametrize(
    ("reason", "data"), [(reason, data) for reason, each in BAD.items() for data in each]
)
def test_each_fault_has_its_reason_and_is_counted(reason: RejectReason, data: bytes) -> None:
    reader = FrameReader(TO_GUARD)
    outcome = reader.read(data, NOW)
    assert isinstance(outcome, Reject)
    assert outcome.reason is reason, outcome
    assert reader.rejected == {reason: 1}
    # It does not disturb what follows.
    assert isinstance(reader.read(GOOD, NOW), Frame)


def test_every_reason_is_provoked() -> None:
    assert {*BAD, RejectReason.COUNTER} == set(RejectReason)


def test_a_frame_counts_once_and_in_order() -> None:
    first, second = frame(n=1), frame(n=2)
    for data in ((first, first), (second, first)):
        outcome = read(*data)
        assert isinstance(outcome, Reject)
        assert outcome.reason is RejectReason.COUNTER


def test_missing_frames_are_counted() -> None:
    reader = FrameReader(TO_GUARD)
    reader.read(frame(n=1), NOW)
    reader.read(frame(n=5), NOW)
    assert reader.lost_n == 3


@given(st.binary(max_size=200), st.sampled_from((TO_GUARD, TO_SHELL)), st.booleans())
def test_no_bytes_raise(data: bytes, table: dict[int, type], is_sealed: bool) -> None:
    FrameReader(table).read(sealed(data) if is_sealed else data, NOW)


@given(st.sampled_from(sorted({**TO_GUARD, **TO_SHELL})), st.binary(max_size=300))
def test_no_content_of_a_frame_with_a_valid_checksum_raises(number: int, payload: bytes) -> None:
    head = struct.pack("<2sBBId", b"VG", frames.VERSION, number, 1, NOW)
    FrameReader({**TO_GUARD, **TO_SHELL}).read(sealed(head + payload), NOW)


@given(st.integers(0, 8 * len(GOOD) - 1))
def test_every_flipped_bit_is_found(bit: int) -> None:
    data = bytearray(frame(frames.CommandReceived(HighLevelCommand(1.0, 2.0, 3.0))))
    data[bit // 8] ^= 1 << bit % 8
    assert isinstance(read(bytes(data)), Reject)
