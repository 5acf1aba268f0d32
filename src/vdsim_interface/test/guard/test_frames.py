"""The checks of a frame: whatever arrives is a frame or a counted reason."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_interface.guard import frames
from vdsim_interface.guard.frames import (
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
    RejectReason.LENGTH: [b"", GOOD[:10], GOOD[:19], sealed(bytes(65532)), b"VG" + bytes(1 << 20)],
    RejectReason.MAGIC: [sealed(b"XX" + GOOD[2:-4])],
    RejectReason.VERSION: [sealed(GOOD[:2] + b"\x63" + GOOD[3:-4])],
    RejectReason.CRC: [GOOD[:-1] + bytes([GOOD[-1] ^ 1]), GOOD[:16] + b"\x00" + GOOD[17:]],
    RejectReason.KIND: [
        sealed(GOOD[:3] + b"\x00" + GOOD[4:-4]),
        frame(frames.Health({}, {})),  # goes the other way
    ],
    RejectReason.TIME: [
        frame(sent_s=NOW + 1e-6),
        *(frame(sent_s=float(time)) for time in ("nan", "inf", "-inf")),
    ],
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
    for n, lost_n in ((1, 0), (2, 0), (6, 3), (7, 3), (9, 4)):
        reader.read(frame(n=n), NOW)
        assert reader.lost_n == lost_n


def test_rejected_frames_are_counted_by_reason() -> None:
    reader = FrameReader(TO_GUARD)
    for data in (b"", GOOD, GOOD, b"", GOOD):
        reader.read(data, NOW)
    assert reader.rejected == {RejectReason.LENGTH: 2, RejectReason.COUNTER: 2}


def numbered(counter: int) -> bytes:
    """A frame without content."""
    return sealed(struct.pack("<2sBBId", b"VG", frames.VERSION, 5, counter, NOW))


@pytest.mark.parametrize(
    ("before", "after", "lost_n"),
    [
        (1, 2**31, 2**31 - 2),  # the farthest that is ahead
        (1, 2**31 + 1, None),
        (2**31 - 1, 2**32 - 1, None),
        (2**31 - 1, 2**32 - 2, 2**31 - 2),
        (2**32 - 1, 0, 0),  # the counter begins again
        (2**32 - 1, 1, 1),
        (2**32 - 2, 2**32 - 1, 0),
        (2**32 - 1, 2**32 - 2, None),
        (0, 2**32 - 1, None),
        (5, 5, None),
        (5, 4, None),
    ],
)
def test_a_counter_is_ahead_or_behind_by_half_its_range(
    before: int, after: int, lost_n: int | None
) -> None:
    reader = FrameReader(TO_GUARD)
    reader._last = before
    known_n = reader.lost_n
    outcome = reader.read(numbered(after), NOW)
    assert isinstance(outcome, Reject) is (lost_n is None)
    if isinstance(outcome, Reject):
        assert outcome.reason is RejectReason.COUNTER
    else:
        assert reader.lost_n - known_n == lost_n


def test_the_counter_of_a_writer_begins_with_1_and_again_with_0() -> None:
    writer = FrameWriter()
    assert [writer.write(frames.AskHealth(), NOW)[0] for _ in range(3)] == [1, 2, 3]
    writer._counter = 2**32 - 2
    numbers = [writer.write(frames.AskHealth(), NOW) for _ in range(3)]
    assert [counter for counter, _ in numbers] == [2**32 - 1, 0, 1]
    assert [struct.unpack_from("<I", data, 4)[0] for _, data in numbers] == [2**32 - 1, 0, 1]


def test_the_bytes_of_a_frame_are_those_of_its_version() -> None:
    """Guard and shell may be of two installations: what changes here needs another version."""
    assert frame(frames.ChangeMode(True), sent_s=100.0) == bytes.fromhex(
        "56470704010000000000000000005940019b87634c"
    )


NUMBERS = {
    frames.Activate: 1,
    frames.Configure: 2,
    frames.Deactivate: 3,
    frames.ChangeMode: 4,
    frames.AskHealth: 5,
    frames.CommandReceived: 6,
    frames.Front: 7,
    frames.StateReceived: 8,
    frames.CabinReceived: 9,
    frames.OverrideReceived: 10,
    frames.AuxiliaryReceived: 11,
    frames.InputPublishers: 12,
    frames.EmergencyReceived: 13,
    frames.Answer: 65,
    frames.Report: 66,
    frames.Output: 67,
    frames.Status: 68,
    frames.Health: 69,
    frames.Ending: 70,
}
"""As of version 6: a number never changes its meaning."""


def test_each_kind_keeps_its_number() -> None:
    assert {kind: number for number, kind in (TO_GUARD | TO_SHELL).items()} == NUMBERS


@pytest.mark.parametrize(("length", "is_read"), [(65535, True), (65536, False)])
def test_a_frame_may_have_64_kib_less_one_byte(length: int, is_read: bool) -> None:
    empty_n = len(frame(frames.Configure({"text": ""})))
    data = frame(frames.Configure({"text": "a" * (length - empty_n)}))
    assert len(data) == length
    outcome = read(data)
    assert isinstance(outcome, Frame) is is_read


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
