"""Every kind of checksum that opendbc computes is a rule here: the same values, no code."""

from __future__ import annotations

import random
from collections import Counter as Counts
from collections.abc import Callable

import pytest
from opendbc.can.dbc import Signal as TheirSignal
from opendbc.can.dbc import SignalType
from opendbc.car.volkswagen.mqbcan import VOLKSWAGEN_MQB_MEB_CONSTANTS
from vdsim_can.dbc import Message, parse_dbc
from vdsim_can.integrity import Checksum, Counter, Crc, IdBytes, Sum, Xor, checksum_of
from vdsim_can_kit.opendbc_networks import NAMES, as_opendbc, texts

FRAMES_N = 16
J1850 = Crc(width=8, poly=0x1D, init=0xFF, xor_out=0xFF)
AUTOSAR = Crc(width=8, poly=0x2F, init=0xFF, xor_out=0xFF)
BY_LENGTH = {8: 0x5F29, 16: 0x041D, 24: 0x819D, 32: 0x9F5B}
GIORGIO = {0xDE: 0x10, 0x106: 0xF6, 0x122: 0xF1}
PSA = {0x452: 0x4, 0x38D: 0x7, 0x42D: 0xC}
MLB = {
    **{0x109: 0x08, 0x111: 0x10, 0x30C: 0x0F, 0x324: 0x27, 0x10B: 0x0A},
    **{0x10D: 0x0C, 0x10F: 0x0E, 0x311: 0x12, 0x397: 0x94, 0x10C: 0x0D},
}
COUNT = Counter(signal="COUNTER", first=0, last=15)


def honda(message: Message, name: str) -> Checksum:
    start = -11 if message.extended else -8
    return Checksum(
        signal=name,
        algorithm=Sum(start=start, nibbles=True, negate=True),
        id_bytes=IdBytes.ALL,
    )


def volkswagen(message: Message, name: str) -> Checksum:
    data_ids = tuple(VOLKSWAGEN_MQB_MEB_CONSTANTS.get(message.can_id) or ())
    return Checksum(signal=name, algorithm=AUTOSAR, data_ids=data_ids)


def audi(message: Message, name: str) -> Checksum:
    if message.can_id not in MLB:
        return volkswagen(message, name)
    return Checksum(signal=name, algorithm=Xor(start=MLB[message.can_id]))


def hyundai(message: Message, name: str) -> Checksum:
    xor_out = BY_LENGTH.get(message.length, 0)
    return Checksum(
        signal=name,
        algorithm=Crc(width=16, poly=0x1021, xor_out=xor_out),
        over=tuple(range(2, message.length)),
        id_bytes=IdBytes.LOW_HIGH,
        id_after=True,
    )


def body(message: Message, name: str) -> Checksum:
    backwards = tuple(range(message.length - 2, -1, -1))
    return Checksum(signal=name, algorithm=Crc(width=8, poly=0xD5, init=0xFF), over=backwards)


Rule = Callable[[Message, str], Checksum]
RULES: dict[int, Rule] = {
    SignalType.HONDA_CHECKSUM: honda,
    SignalType.TOYOTA_CHECKSUM: lambda message, name: Checksum(
        signal=name,
        algorithm=Sum(),
        over=tuple(range(message.length - 1)),
        id_bytes=IdBytes.ALL,
        add_length=True,
    ),
    SignalType.BODY_CHECKSUM: body,
    SignalType.VOLKSWAGEN_MQB_MEB_CHECKSUM: volkswagen,
    SignalType.XOR_CHECKSUM: lambda _, name: Checksum(signal=name, algorithm=Xor()),
    SignalType.SUBARU_CHECKSUM: lambda message, name: Checksum(
        signal=name,
        algorithm=Sum(),
        id_bytes=IdBytes.ALL,
        over=tuple(range(1, message.length)),
    ),
    SignalType.CHRYSLER_CHECKSUM: lambda message, name: Checksum(
        signal=name, algorithm=J1850, over=tuple(range(message.length - 1)), skip_own=False
    ),
    SignalType.HKG_CAN_FD_CHECKSUM: hyundai,
    SignalType.FCA_GIORGIO_CHECKSUM: lambda message, name: Checksum(
        signal=name,
        algorithm=Crc(width=8, poly=0x1D, xor_out=GIORGIO.get(message.can_id, 0x0A)),
        over=tuple(range(message.length - 1)),
        skip_own=False,
    ),
    SignalType.TESLA_CHECKSUM: lambda _, name: Checksum(
        signal=name, algorithm=Sum(), id_bytes=IdBytes.LOW_HIGH
    ),
    SignalType.PSA_CHECKSUM: lambda message, name: Checksum(
        signal=name,
        algorithm=Sum(start=-PSA.get(message.can_id, 0xB), nibbles=True, negate=True),
    ),
    SignalType.VOLKSWAGEN_MLB_CHECKSUM: audi,
}


def cleared(frame: bytes, message: Message, name: str) -> bytes:
    """A frame whose checksum is 0, as opendbc's packer begins with."""
    number = int.from_bytes(frame, "little")
    signal = message.signal(name)
    assert signal is not None
    for bit in signal.bits():
        number &= ~(1 << bit)
    return number.to_bytes(message.length, "little")


def compared(message: Message, judge: TheirSignal, chance: random.Random) -> int:
    """How many frames were compared."""
    compute = checksum_of(RULES[judge.type](message, judge.name), message, COUNT)
    for _ in range(FRAMES_N):
        frame = cleared(chance.randbytes(message.length), message, judge.name)
        count = frame[1] & 0x0F if message.length > 1 else 0
        assert judge.calc_checksum is not None
        size = (1 << judge.size) - 1
        expected = judge.calc_checksum(message.can_id, judge, bytearray(frame)) & size
        assert compute(frame, count) == expected, (message.name, judge.name, frame.hex())
    return FRAMES_N


@pytest.mark.parametrize("name", NAMES)
def test_every_checksum_of_a_network_is_a_rule(name: str) -> None:
    network = parse_dbc(texts()[name], source=name).network
    theirs, chance = as_opendbc(name), random.Random(name)
    for message in network.messages.values():
        for judge in theirs[message.can_id].sigs.values():
            if judge.type > SignalType.COUNTER and message.signal(judge.name) is not None:
                assert compared(message, judge, chance) == FRAMES_N


def test_every_kind_of_opendbc_has_its_rule() -> None:
    kinds: Counts[int] = Counts()
    for name in NAMES:
        for message in as_opendbc(name).values():
            kinds.update(s.type for s in message.sigs.values() if s.type > SignalType.COUNTER)
    print(f"{sum(kinds.values())} checksum signals of {len(kinds)} kinds")
    assert kinds.keys() == RULES.keys()
    assert sum(kinds.values()) > 1000
