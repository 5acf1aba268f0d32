"""A STATE of a version that is not known yet: strict by default, its known fields by request."""

from __future__ import annotations

import math
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_protocol_kit.vds1 import COMMAND, SOURCE, STATE, encode

from vdsim_protocol import vds1

NEWEST = vds1.VERSIONS[-1]


def sealed(content: bytes) -> bytes:
    return content + struct.pack("<I", zlib.crc32(content))


def newer_state(
    seq: int = 0, version: int = NEWEST + 1, appended: bytes = b"", time_s: float = 0.0
) -> bytes:
    """A STATE as the next version could be: the fields of today, and something behind them."""
    known = encode(STATE, seq, time_s, NEWEST, 7)[:-4]
    return sealed(known[:4] + struct.pack("<H", version) + known[6:] + appended)


def receiver(**options: bool) -> vds1.Receiver[vds1.State]:
    return vds1.Receiver(vds1.State, vehicle_ids=(7,), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("appended", [b"", b"\1", bytes(32), b"\xff" * 1000])
@pytest.mark.parametrize("version", [NEWEST + 1, NEWEST + 2, 0xFFFF])
def test_by_request_the_known_fields_are_read(version: int, appended: bytes) -> None:
    reading = receiver(accept_newer=True)
    outcome = reading.receive(newer_state(5, version, appended, 1.5), SOURCE, 0.0)
    assert isinstance(outcome, vds1.Accepted)
    packet = outcome.packet
    assert packet.body == STATE
    assert packet.header == vds1.Header(version, vds1.MessageType.STATE, 5, 7, 1.5)
    assert reading.counters().newer == reading.counters().accepted == 1


def test_each_newer_packet_is_counted_and_none_of_a_known_version() -> None:
    reading = receiver(accept_newer=True)
    for seq, version in enumerate(vds1.VERSIONS[-2:]):
        known = encode(STATE, seq, seq / 100, version, 7)
        assert isinstance(reading.receive(known, SOURCE, seq / 100), vds1.Accepted), version
    assert reading.counters().newer == 0
    for newer_n in (1, 2):
        seq += 1
        reading.receive(newer_state(seq, time_s=seq / 100), SOURCE, seq / 100)
        assert reading.counters().newer == newer_n
    newest = newer_state()
    assert isinstance(
        vds1.make_decoder(tuple(vds1.MessageType), vds1.VERSIONS)(newest), vds1.Reject
    )


@pytest.mark.parametrize("appended", [b"", bytes(32)])
def test_without_the_request_it_is_rejected(appended: bytes) -> None:
    reading = receiver()
    outcome = reading.receive(newer_state(appended=appended), SOURCE, 0.0)
    assert isinstance(outcome, vds1.Reject)
    assert outcome.reason in (vds1.Reason.VERSION, vds1.Reason.LENGTH)
    assert reading.counters().newer == reading.counters().accepted == 0


def test_a_command_of_a_newer_version_is_never_read() -> None:
    with pytest.raises(ValueError, match=r"^accept_newer=True: must be False for commands$"):
        vds1.Receiver(vds1.Command, accept_newer=True)
    command = encode(COMMAND)[:-4]
    newer = sealed(command[:4] + struct.pack("<H", NEWEST + 1) + command[6:])
    assert isinstance(receiver(accept_newer=True).receive(newer, SOURCE, 0.0), vds1.Reject)
    assert vds1.newer_version(sealed(newer[:-4] + bytes(400))) is None, "msg_type is CMD"


def test_sequence_and_vehicle_are_checked_as_ever() -> None:
    reading = receiver(accept_newer=True)
    assert isinstance(reading.receive(newer_state(5), SOURCE, 0.0), vds1.Accepted)
    again = reading.receive(newer_state(5), SOURCE, 0.01)
    assert isinstance(again, vds1.Reject)
    assert again.reason is vds1.Reason.DUPLICATE
    other = vds1.Receiver(vds1.State, accept_newer=True).receive(newer_state(), SOURCE, 0.0)
    assert isinstance(other, vds1.Reject)
    assert other.reason is vds1.Reason.VEHICLE


def test_a_known_field_must_be_finite_and_an_unknown_one_may_be_anything() -> None:
    nan = struct.pack("<d", math.nan)
    reading = receiver(accept_newer=True)
    assert isinstance(reading.receive(newer_state(appended=nan), SOURCE, 0.0), vds1.Accepted)
    content = newer_state(1)[:-4]
    bad = reading.receive(sealed(content[:24] + nan + content[32:]), SOURCE, 0.01)
    assert isinstance(bad, vds1.Reject)
    assert bad.reason is vds1.Reason.NON_FINITE
    assert "x_world_m" in bad.detail


@pytest.mark.parametrize("version", vds1.VERSIONS)
def test_known_versions_stay_strict(version: int) -> None:
    """A longer packet of a known version is damaged, not newer."""
    longer = sealed(encode(STATE, version=version)[:-4] + bytes(300))
    outcome = vds1.Receiver(vds1.State, accept_newer=True).receive(longer, SOURCE, 0.0)
    assert isinstance(outcome, vds1.Reject)
    assert outcome.reason is vds1.Reason.LENGTH


@given(st.data())
def test_damage_is_found(data: st.DataObject) -> None:
    frame = newer_state(appended=bytes(16))
    place = data.draw(st.integers(0, len(frame) - 1))
    bit = data.draw(st.integers(0, 7))
    flipped = frame[:place] + bytes([frame[place] ^ 1 << bit]) + frame[place + 1 :]
    for damaged in (flipped, frame[:place]):
        outcome = receiver(accept_newer=True).receive(damaged, SOURCE, 0.0)
        assert isinstance(outcome, vds1.Reject)


@given(st.binary(max_size=600), st.integers(0, 0xFFFF), st.booleans())
def test_whatever_arrives_nothing_raises(body: bytes, version: int, is_sealed: bool) -> None:
    content = b"1SDV" + struct.pack("<HH", version, 2) + body
    reading = vds1.Receiver(vds1.State, accept_newer=True)
    outcome = reading.receive(sealed(content) if is_sealed else content, SOURCE, 0.0)
    if isinstance(outcome, vds1.Accepted):
        assert version > NEWEST
        assert len(content) + 4 >= vds1.datagram_size(vds1.MessageType.STATE, NEWEST)
        assert all(math.isfinite(value) for value in (outcome.packet.body.vx_mps,))
    counters = reading.counters()
    assert counters.accepted + counters.rejected_total == 1
