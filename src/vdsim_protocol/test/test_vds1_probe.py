"""Probes: what comes back is measured by our own clock, and nothing else is believed."""

from __future__ import annotations

import math
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_protocol.capture import Datagram, Describer, to_json_object
from vdsim_protocol.vds1.messages import VERSIONS, MessageType, datagram_size
from vdsim_protocol.vds1.probe import (
    ANSWER,
    FORGOTTEN_AFTER_S,
    PERIOD_S,
    PROBE,
    PROBE_SIZE,
    Probe,
    Prober,
    answer_to,
    encode_probe,
    read_probe,
)
from vdsim_protocol_kit.vds1 import SOURCE

from vdsim_protocol import vds1


def sent(prober: Prober, now: float) -> Probe:
    datagram = prober.probe(now)
    assert datagram is not None
    probe = read_probe(datagram)
    assert probe is not None
    return probe


def answered(probe: Probe) -> Probe:
    answer = read_probe(answer_to(probe))
    assert answer is not None
    return answer


def test_the_round_trip_is_the_time_until_the_answer() -> None:
    prober = Prober()
    probe = sent(prober, 10.0)
    assert math.isnan(probe.round_trip_s)
    assert math.isnan(prober.round_trip_s(10.0))
    prober.on_answer(answered(probe), 10.012)
    assert prober.round_trip_s(10.02) == pytest.approx(0.012)
    assert sent(prober, 10.1).round_trip_s == pytest.approx(0.012), "so that the peer knows it"


def test_probes_come_ten_times_a_second() -> None:
    prober = Prober()
    probes = [prober.probe(0.01 * tick) for tick in range(100)]
    assert sum(probe is not None for probe in probes) == round(1.0 / PERIOD_S)


def test_a_round_trip_is_forgotten() -> None:
    prober = Prober()
    prober.on_answer(answered(sent(prober, 0.0)), 0.01)
    assert prober.round_trip_s(0.01 + FORGOTTEN_AFTER_S) == pytest.approx(0.01)
    assert math.isnan(prober.round_trip_s(0.02 + FORGOTTEN_AFTER_S))
    late = sent(prober, 5.0)
    prober.on_answer(answered(late), 5.1 + FORGOTTEN_AFTER_S)
    assert math.isnan(prober.round_trip_s(5.1 + FORGOTTEN_AFTER_S))


@pytest.mark.parametrize(
    "change",
    [
        {"kind": PROBE},
        {"number": 7},
        {"number": 0xFFFFFFFF},
    ],
)
def test_what_answers_no_open_probe_is_not_used(change: dict[str, int]) -> None:
    prober = Prober()
    prober.on_answer(answered(sent(prober, 1.0))._replace(**change), 1.01)
    assert prober.answers == 0
    assert math.isnan(prober.round_trip_s(1.01))


def test_an_answer_counts_once_and_its_clock_is_not_believed() -> None:
    prober = Prober()
    answer = answered(sent(prober, 1.0))._replace(sent_s=-1e300, round_trip_s=math.inf)
    prober.on_answer(answer, 1.01)
    prober.on_answer(answer, 1.5)
    assert prober.answers == 1
    assert prober.round_trip_s(1.5) == pytest.approx(0.01)


def test_each_probe_has_the_next_number_and_its_answer_counts_while_it_is_open() -> None:
    prober = Prober()
    probes = [sent(prober, 1000.0 + 0.125 * number) for number in range(5)]
    assert [probe.number for probe in probes] == [0, 1, 2, 3, 4]
    for answers, probe in enumerate(probes):
        prober.on_answer(answered(probe), 1000.75)
        assert prober.answers == answers + 1
        assert prober.round_trip_s(1000.75) == 0.75 - 0.125 * probe.number


def test_one_time_has_one_probe() -> None:
    prober = Prober()
    assert prober.probe(1.0) is not None
    assert prober.probe(1.0) is None


def test_an_answer_may_take_no_time_and_as_long_as_it_is_not_forgotten() -> None:
    for late_s in (0.0, FORGOTTEN_AFTER_S):
        prober = Prober()
        probe = sent(prober, 8.0)
        if late_s:
            sent(prober, 8.0 + late_s)  # which forgets what is older
        prober.on_answer(answered(probe), 8.0 + late_s)
        assert prober.round_trip_s(8.0 + late_s) == late_s
        assert prober.round_trip_s(8.0 + late_s + FORGOTTEN_AFTER_S) == late_s
        assert math.isnan(prober.round_trip_s(8.125 + late_s + FORGOTTEN_AFTER_S))


def sealed(content: bytes) -> bytes:
    return content + struct.pack("<I", zlib.crc32(content))


def test_the_bytes_of_a_probe_are_the_documented_ones() -> None:
    content = struct.pack("<IIIIdd", 0x56445350, 1, 7, 0, 1.5, 0.25)
    assert encode_probe(Probe(PROBE, 7, 1.5, 0.25)) == sealed(content)
    assert read_probe(sealed(content)) == Probe(PROBE, 7, 1.5, 0.25)


@pytest.mark.parametrize(("magic", "kind"), [(0x56445351, 1), (0x56445350, 3), (0x56445350, 0)])
def test_another_magic_or_kind_is_no_probe_though_its_checksum_matches(
    magic: int, kind: int
) -> None:
    assert read_probe(sealed(struct.pack("<IIIIdd", magic, kind, 7, 0, 1.5, 0.25))) is None


def test_time_that_jumps_back_stops_nothing() -> None:
    prober = Prober()
    before = sent(prober, 1000.0)
    probe = sent(prober, 3.0)
    prober.on_answer(answered(before), 3.01)
    assert math.isnan(prober.round_trip_s(3.01))
    prober.on_answer(answered(probe), 3.02)
    assert prober.round_trip_s(3.02) == pytest.approx(0.02)


@given(st.integers(0, 8 * PROBE_SIZE - 1))
def test_every_flipped_bit_is_found(bit: int) -> None:
    datagram = bytearray(encode_probe(Probe(PROBE, 5, 1.5, math.nan)))
    datagram[bit // 8] ^= 1 << bit % 8
    assert read_probe(bytes(datagram)) is None


@given(st.binary(max_size=2 * PROBE_SIZE))
def test_whatever_arrives_nothing_raises(data: bytes) -> None:
    assert read_probe(data) is None


def test_a_peer_that_does_not_know_probes_discards_them_by_their_length() -> None:
    sizes = {datagram_size(message, version) for message in MessageType for version in VERSIONS}
    assert PROBE_SIZE not in sizes
    outcome = vds1.Receiver(vds1.Command).receive(
        encode_probe(Probe(PROBE, 0, 0.0, math.nan)), SOURCE, 0.0
    )
    assert isinstance(outcome, vds1.Reject)
    assert outcome.reason is vds1.Reason.LENGTH


@pytest.mark.parametrize(("kind", "name"), [(PROBE, "PROBE"), (ANSWER, "ANSWER")])
def test_a_capture_names_them(kind: int, name: str) -> None:
    payload = encode_probe(Probe(kind, 5, 1.5, 0.01))
    shown = to_json_object(Describer().describe(Datagram(0.0, payload)))
    assert shown["message"] == name
    assert shown["fields"] == {"number": 5, "sent_s": 1.5, "round_trip_s": 0.01}
    assert "reject" not in shown
