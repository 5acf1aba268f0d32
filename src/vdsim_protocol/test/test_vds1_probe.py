"""Probes: what comes back is measured by our own clock, and nothing else is believed."""

from __future__ import annotations

import math

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
