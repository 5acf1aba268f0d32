"""Checksums and counters against published values and an implementation of others."""

from __future__ import annotations

from collections.abc import Callable

import crccheck.crc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_can.dbc import Message, Signal
from vdsim_can.integrity import (
    Checksum,
    Counter,
    CounterCheck,
    Crc,
    IdBytes,
    Sum,
    Xor,
    checksum_of,
    count_after,
    crc_of,
    value_at,
)
from vdsim_can_kit.networks import UNHURRIED

J1850 = Crc(width=8, poly=0x1D, init=0xFF, xor_out=0xFF)
AUTOSAR = Crc(width=8, poly=0x2F, init=0xFF, xor_out=0xFF)
REFLECTED = {"reflect_in": True, "reflect_out": True}


# Of the usual catalogues: the result for the text 123456789.
@pytest.mark.parametrize(
    ("name", "crc", "check"),
    [
        ("CRC-3/GSM", Crc(width=3, poly=3, xor_out=7), 0x4),
        ("CRC-4/G-704", Crc(width=4, poly=3, **REFLECTED), 0x7),
        ("CRC-5/USB", Crc(width=5, poly=5, init=31, xor_out=31, **REFLECTED), 0x19),
        ("CRC-7/MMC", Crc(width=7, poly=9), 0x75),
        ("CRC-8/SMBUS", Crc(width=8, poly=7), 0xF4),
        ("CRC-8/SAE-J1850", J1850, 0x4B),
        ("CRC-8/AUTOSAR", AUTOSAR, 0xDF),
        ("CRC-8/MAXIM-DOW", Crc(width=8, poly=0x31, **REFLECTED), 0xA1),
        ("CRC-8/ROHC", Crc(width=8, poly=7, init=0xFF, **REFLECTED), 0xD0),
        ("CRC-12/UMTS", Crc(width=12, poly=0x80F, reflect_out=True), 0xDAF),
        ("CRC-15/CAN", Crc(width=15, poly=0x4599), 0x059E),
        ("CRC-16/IBM-3740", Crc(width=16, poly=0x1021, init=0xFFFF), 0x29B1),
        ("CRC-16/XMODEM", Crc(width=16, poly=0x1021), 0x31C3),
        ("CRC-16/KERMIT", Crc(width=16, poly=0x1021, **REFLECTED), 0x2189),
        ("CRC-16/ARC", Crc(width=16, poly=0x8005, **REFLECTED), 0xBB3D),
        ("CRC-16/MODBUS", Crc(width=16, poly=0x8005, init=0xFFFF, **REFLECTED), 0x4B37),
        ("CRC-32", Crc(width=32, poly=0x04C11DB7, init=(1 << 32) - 1, xor_out=(1 << 32) - 1,
                       **REFLECTED), 0xCBF43926),
    ],
)  # fmt: skip
def test_a_published_crc_has_its_check_value(name: str, crc: Crc, check: int) -> None:
    assert crc_of(crc, b"123456789") == check, name


@UNHURRIED
@given(st.integers(8, 64), st.booleans(), st.booleans(), st.binary(max_size=70), st.data())
def test_any_crc_is_that_of_crccheck(
    width: int, reflect_in: bool, reflect_out: bool, data: bytes, more: st.DataObject
) -> None:
    poly, init, xor_out = (more.draw(st.integers(0, (1 << width) - 1)) for _ in range(3))
    crc = Crc(
        width=width,
        poly=poly,
        init=init,
        xor_out=xor_out,
        reflect_in=reflect_in,
        reflect_out=reflect_out,
    )
    judge = crccheck.crc.Crc(width, poly, init, reflect_in, reflect_out, xor_out)
    assert crc_of(crc, data) == judge.process(data).final()


def protected(*, can_id: int = 0x123, length: int = 8, width: int = 8, start: int = 0) -> Message:
    signal = Signal(name="CRC", start=start, length=width)
    return Message(name="M", can_id=can_id, length=length, signals=(signal,))


def rule(algorithm: Crc | Sum | Xor, **more: object) -> Checksum:
    return Checksum(signal="CRC", algorithm=algorithm, **more)  # type: ignore[arg-type]


def test_profile_1_of_autosar_gives_the_value_of_its_specification() -> None:
    crc = Crc(width=8, poly=0x1D)  # the profile cancels start value and final exclusive or
    protection = rule(crc, data_ids=(0x123,), data_id_bytes=2, data_id_first=True)
    assert checksum_of(protection, protected())(bytes(8), 0) == 0xCC


@pytest.mark.parametrize(("count", "expected"), [(1, 0x1B), (2, 0x98), (3, 0x31)])
def test_profile_2_of_autosar_takes_the_data_id_of_its_counter(count: int, expected: int) -> None:
    protection = rule(AUTOSAR, data_ids=tuple(range(1, 17)))
    counter = Counter(signal="CTR", first=0, last=15)
    frame = bytes([0, count, 0, 0, 0, 0, 0, 0])
    assert checksum_of(protection, protected(), counter)(frame, count) == expected


FRAME = bytes([0xFF, 1, 2, 3, 4, 5, 6, 0x17])


@pytest.mark.parametrize(
    ("protection", "message", "expected"),
    [
        (rule(Sum()), protected(), 1 + 2 + 3 + 4 + 5 + 6 + 0x17),
        (rule(Sum(start=9)), protected(), 1 + 2 + 3 + 4 + 5 + 6 + 0x17 + 9),
        (rule(Sum(), over=(1, 2)), protected(), 3),
        (rule(Sum(), id_bytes=IdBytes.LOW), protected(), (44 + 0x23) & 0xFF),
        (rule(Sum(), id_bytes=IdBytes.LOW_HIGH), protected(), (44 + 0x23 + 1) & 0xFF),
        (rule(Sum(), id_bytes=IdBytes.LOW_HIGH, add_length=True), protected(), 44 + 0x23 + 1 + 8),
        (rule(Sum(nibbles=True)), protected(), 21 + 1 + 7),
        (rule(Sum(nibbles=True, negate=True)), protected(width=4), -(29 + 15) & 0xF),
        (rule(Sum(), id_bytes=IdBytes.ALL), protected(can_id=0x18010203), (44 + 30) & 0xFF),
        (rule(Xor()), protected(), 1 ^ 2 ^ 3 ^ 4 ^ 5 ^ 6 ^ 0x17),
        (rule(Xor(start=0xF0), id_bytes=IdBytes.NIBBLES), protected(), 7 ^ 0x17 ^ 0xF0 ^ 1 ^ 2 ^ 3),
        (rule(Xor(), before=b"\x40", after=b"\x20"), protected(), 7 ^ 0x17 ^ 0x60),
        (rule(Sum(), xor_out_by_counter=(1, 0x80)), protected(), 44 ^ 0x80),
        (rule(Sum(), shift=4), protected(width=4), (44 + 0xF0) >> 4 & 0xF),
        (rule(Sum(), skip_own=False), protected(), 44),
    ],
)
def test_each_part_of_a_rule_does_what_its_text_says(
    protection: Checksum, message: Message, expected: int
) -> None:
    counter = Counter(signal="CTR", first=0, last=15)
    assert checksum_of(protection, message, counter)(FRAME, 1) == expected


def test_the_bits_of_the_checksum_itself_never_count() -> None:
    for width in (4, 8, 12):
        compute = checksum_of(rule(J1850), protected(width=width))
        own = (1 << width) - 1
        frames = [
            ((0x123456789ABCDE << 8 & ~own) | value).to_bytes(8, "little") for value in (0, own)
        ]
        assert compute(frames[0], 0) == compute(frames[1], 0)


@pytest.mark.parametrize(
    ("protection", "problem"),
    [
        (rule(J1850, over=(8,)), "M has 8 bytes: no byte 8"),
        (Checksum(signal="X", algorithm=J1850), "M has no signal X"),
    ],
)
def test_a_rule_that_does_not_fit_its_message_is_refused(
    protection: Checksum, problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        checksum_of(protection, protected())


COUNTERS = [
    Counter(signal="C", first=0, last=15),
    Counter(signal="C", first=0, last=14, start=7),
    Counter(signal="C", first=1, last=255, step=3, start=1),
]


@pytest.mark.parametrize("counter", COUNTERS)
def test_the_frames_of_a_sender_are_accepted_for_ever(counter: Counter) -> None:
    check, value = CounterCheck(counter), counter.start
    for frame_n in range(600):
        assert value == value_at(counter, frame_n)
        assert check.reject(value) == ""
        value = count_after(counter, value)


def test_a_rejected_counter_does_not_move_what_is_accepted_next() -> None:
    check = CounterCheck(COUNTERS[0])
    assert check.reject(4) == ""
    for replayed in (11, 12, 13, 14):
        assert check.reject(replayed) == f"counter {replayed} after 4"
    assert check.reject(5) == ""


def _refused(*values: int) -> Callable[[], str]:
    def last() -> str:
        check = CounterCheck(Counter(signal="C", first=0, last=14))
        *before, value = values
        assert [check.reject(v) for v in before] == [""] * len(before)
        return check.reject(value)

    return last


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        (_refused(3, 3), "counter stands at 3"),
        (_refused(3, 2), "counter 2 after 3"),
        (_refused(3, 7), "counter 7 after 3"),
        (_refused(13, 15), "counter 15, not of 0 to 14"),
        (_refused(3, 6), ""),
        (_refused(13, 1), ""),
    ],
)
def test_a_counter_may_skip_lost_frames_and_nothing_else(
    refused: Callable[[], str], reason: str
) -> None:
    assert refused() == reason


def test_after_a_message_was_stale_any_counter_is_accepted() -> None:
    check = CounterCheck(COUNTERS[0])
    assert check.reject(4) == ""
    check.forget()
    assert check.reject(12) == ""
