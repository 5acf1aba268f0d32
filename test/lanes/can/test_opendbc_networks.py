"""Every message of the 94 networks in the opendbc wheel, packed and unpacked as by two judges.

opendbc's own parser reads all of them; cantools reads those that are written as it expects.
"""

from __future__ import annotations

import io
import random
from collections import Counter

import cantools
import pytest
from opendbc.can.packer import set_value
from opendbc.can.parser import get_raw_value
from vdsim_can.dbc import Message, codec_of, parse_dbc
from vdsim_can_kit.opendbc_networks import NAMES, as_opendbc, texts

FRAMES_N = 4
LEFT_OUT = {"does not fit": 26, "more than 29 bits": 32}
"""What no frame can carry, over all networks."""


def messages(name: str) -> tuple[dict[int, Message], tuple[str, ...]]:
    file = parse_dbc(texts()[name], source=f"{name}.dbc")
    return {message.can_id: message for message in file.network.messages.values()}, file.notes


def raw_of(value: int, length: int, signed: bool) -> int:
    return value - (1 << length) if signed and value >> (length - 1) else value


def test_every_network_is_read_and_what_is_left_out_is_known() -> None:
    counts: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for name in NAMES:
        ours, notes = messages(name)
        theirs = as_opendbc(name)
        counts["networks"] += 1
        counts["messages"] += len(ours)
        counts["of opendbc"] += len(theirs)
        for sentence in LEFT_OUT:
            left[sentence] += sum(sentence in note for note in notes)
        assert ours.keys() <= theirs.keys(), name
    print(dict(counts))
    assert dict(left) == LEFT_OUT
    assert counts["networks"] == 94
    assert counts["of opendbc"] - counts["messages"] == LEFT_OUT["more than 29 bits"] + 5


@pytest.mark.parametrize("name", NAMES)
def test_a_network_is_unpacked_as_by_opendbc(name: str) -> None:
    chance = random.Random(name)
    theirs = as_opendbc(name)
    for can_id, message in messages(name)[0].items():
        judge = theirs[can_id].sigs
        codec = codec_of(message)
        present = {signal.name for signal in message.signals}
        assert present <= judge.keys()
        for _ in range(FRAMES_N):
            frame = chance.randbytes(message.length)
            unpacked = codec.unpack(frame)
            assert unpacked is not None
            for signal_name, value in unpacked.items():
                signal = judge[signal_name]
                expected = raw_of(get_raw_value(frame, signal), signal.size, signal.is_signed)
                assert value == expected, (message.name, signal_name, frame.hex())
                ours = message.signal(signal_name)
                assert ours is not None
                assert (ours.scale, ours.offset) == (signal.factor or 1.0, signal.offset)


@pytest.mark.parametrize("name", NAMES)
def test_a_network_is_packed_as_by_opendbc(name: str) -> None:
    """Signals may overlap where a file leaves multiplexing out: each is packed by itself."""
    chance = random.Random(name)
    theirs = as_opendbc(name)
    for can_id, message in messages(name)[0].items():
        codec = codec_of(message)
        for signal in message.signals:
            if signal.selector:
                continue
            low, high = signal.raw_range()
            value = chance.randint(low, high)
            expected = bytearray(message.length)
            set_value(expected, theirs[can_id].sigs[signal.name], value % (1 << signal.length))
            assert codec.pack({signal.name: value}) == expected, (message.name, signal.name)


def test_the_networks_that_cantools_reads_are_unpacked_as_by_cantools() -> None:
    counts: Counter[str] = Counter()
    for name in NAMES:
        try:
            database = cantools.database.load(
                io.StringIO(texts()[name]), database_format="dbc", strict=False
            )
        except Exception:
            counts["refused by cantools"] += 1
            continue
        counts["read by cantools"] += 1
        chance = random.Random(name)
        ours, _ = messages(name)
        for judge in database.messages:
            message = ours.get(judge.frame_id)
            if message is None or judge.length != message.length or not judge.signals:
                continue
            codec = codec_of(message)
            for _ in range(FRAMES_N):
                frame = chance.randbytes(message.length)
                try:
                    expected = judge.decode(frame, scaling=False, decode_choices=False)
                except cantools.database.DecodeError:
                    continue  # no signal is selected by this frame
                unpacked = codec.unpack(frame)
                assert unpacked is not None
                shared = unpacked.keys() & expected.keys()
                assert {n: unpacked[n] for n in shared} == {n: expected[n] for n in shared}
                counts["signals compared"] += len(shared)
    print(dict(counts))
    assert counts["read by cantools"] >= 60
    assert counts["signals compared"] > 50_000
