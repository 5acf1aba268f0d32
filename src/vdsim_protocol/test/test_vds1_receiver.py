"""The receiver drops what it must, in order, counts it, and lets nothing dropped change it."""

import dataclasses
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_protocol.link import LinkStatistics
from vdsim_protocol.vds1 import Accepted, Reason, Receiver, Reject
from vdsim_protocol.vds1.messages import LAYOUTS
from vdsim_protocol_kit.vds1 import COMMAND, SOURCE, STATE, encode, patched, with_crc

from vdsim_protocol import vds1

INF, NAN = math.inf, math.nan


def reason_of(outcome: Accepted[Any] | Reject) -> Reason | None:
    return outcome.reason if isinstance(outcome, Reject) else None


def raw_command(seq: int = 0, timestamp_s: float = 0.0, **changes: Any) -> bytes:
    """A CMD frame with values that `encode_command` would refuse."""
    values = dataclasses.replace(COMMAND, **changes)
    return with_crc(
        struct.pack(
            "<IHHIIddddiB3xdd",
            *(vds1.MAGIC, 3, 1, seq, 0, timestamp_s),
            *(values.steering_tire_angle_rad, values.throttle, values.brake),
            *(values.gear, values.handbrake),
            *(values.aux_accel_target_mps2, values.aux_speed_target_mps),
        )
    )


def test_a_good_stream_is_accepted() -> None:
    receiver, sender = Receiver(vds1.Command), vds1.Sender()
    for step in range(5):
        now = step / 100
        outcome = receiver.receive(sender.command(COMMAND, now), SOURCE, now)
        assert isinstance(outcome, Accepted)
        assert outcome.packet.body.throttle == COMMAND.throttle
        assert outcome.packet.seq == step
        assert (outcome.clamped, outcome.new_session, outcome.skipped) == ((), step == 0, 0)
    counters = receiver.counters()
    assert (counters.accepted, counters.sessions, counters.clamped) == (5, 1, 0)
    assert counters.rejected_total == 0
    assert set(counters.rejected) == set(Reason)


def test_a_state_receiver_accepts_states_only() -> None:
    receiver = Receiver(vds1.State)
    outcome = receiver.receive(encode(STATE, version=5), SOURCE, 0.0)
    assert isinstance(outcome, Accepted)
    assert outcome.packet.body == STATE
    assert (outcome.clamped, outcome.new_session, outcome.skipped) == ((), True, 0)
    later = receiver.receive(encode(STATE, 4, version=5), SOURCE, 0.0)
    assert isinstance(later, Accepted)
    assert (later.clamped, later.new_session, later.skipped) == ((), False, 3)
    assert reason_of(receiver.receive(encode(COMMAND), SOURCE, 0.0)) is Reason.TYPE


OTHER_SOURCE = ("127.0.0.1", 7003)
REJECTS: list[tuple[Reason, bytes, str]] = [
    (Reason.LENGTH, b"x", "1 bytes"),
    (Reason.MAGIC, patched(encode(COMMAND), 0, b"XXXX"), "starts with 58585858"),
    (Reason.VERSION, encode(COMMAND, version=2), "version 2"),
    (Reason.TYPE, encode(STATE), "msg_type 2"),
    (Reason.CRC, encode(COMMAND)[:-1] + b"\xff", "ends with"),
    (Reason.VEHICLE, encode(COMMAND, version=4, vehicle_id=8), "vehicle_id 8"),
    (Reason.OTHER_SOURCE, encode(COMMAND, 101, 1.01), "from 127.0.0.1:7003, it is 127.0.0.1"),
    (Reason.DUPLICATE, encode(COMMAND, 100, 1.0), "seq 100 after 100"),
    (Reason.REORDERED, encode(COMMAND, 98, 0.98), "seq 98 after 100"),
    (Reason.STALE, encode(COMMAND, 5, 0.98), "seq 5 after 100"),
    (Reason.JUMP, encode(COMMAND, 1 << 30, 1.01), "seq 1073741824 after 100"),
    (Reason.NON_FINITE, raw_command(101, throttle=NAN), "throttle=nan"),
]


@pytest.mark.parametrize(
    ("reason", "datagram", "detail"), REJECTS, ids=[r[0].value for r in REJECTS]
)
def test_every_reason_is_provoked_counted_and_changes_nothing(
    reason: Reason, datagram: bytes, detail: str
) -> None:
    receiver = Receiver(vds1.Command, versions=(3, 4))
    receiver.receive(encode(COMMAND, 97, 0.97), SOURCE, 0.0)
    receiver.receive(encode(COMMAND, 100, 1.0), SOURCE, 0.01)
    before = receiver.counters()
    source = OTHER_SOURCE if reason is Reason.OTHER_SOURCE else SOURCE
    outcome = receiver.receive(datagram, source, 0.02)
    assert isinstance(outcome, Reject)
    assert outcome.reason is reason
    assert detail in outcome.detail
    is_trusted = reason in list(Reason)[list(Reason).index(Reason.SOURCE) :]
    assert (outcome.header is not None) == is_trusted
    after = receiver.counters()
    assert after.rejected == {**before.rejected, reason: 1}
    assert after.rejected_total == 1
    assert (after.accepted, after.sessions) == (before.accepted, before.sessions)
    following = receiver.receive(encode(COMMAND, 101, 1.01), SOURCE, 0.03)
    assert isinstance(following, Accepted)
    assert (following.new_session, following.skipped) == (False, 0)


def test_a_reject_after_the_crc_carries_the_header() -> None:
    receiver = Receiver(vds1.Command, allowed_sources=())
    outcome = receiver.receive(encode(COMMAND, 4, 2.0), SOURCE, 0.0)
    assert isinstance(outcome, Reject)
    assert outcome.header == (3, vds1.MessageType.CMD, 4, 0, 2.0)
    assert outcome.detail == "from 127.0.0.1:7001"


@pytest.mark.parametrize(
    ("allowed", "is_accepted"),
    [
        (None, True),
        (["127.0.0.1"], True),
        ([("127.0.0.1", 7001)], True),
        (["10.0.0.9", "127.0.0.1"], True),
        ([], False),
        (["127.0.0.2"], False),
        ([("127.0.0.1", 7002)], False),
    ],
)
def test_allow_list(allowed: Any, is_accepted: bool) -> None:
    receiver = Receiver(vds1.Command, allowed_sources=allowed)
    outcome = receiver.receive(encode(COMMAND), SOURCE, 0.0)
    assert reason_of(outcome) is (None if is_accepted else Reason.SOURCE)


def test_source_is_checked_after_the_crc_and_before_the_vehicle() -> None:
    receiver = Receiver(vds1.Command, allowed_sources=())
    assert reason_of(receiver.receive(encode(COMMAND)[:-1] + b"x", SOURCE, 0.0)) is Reason.CRC
    other = encode(COMMAND, version=4, vehicle_id=8)
    assert reason_of(receiver.receive(other, SOURCE, 0.0)) is Reason.SOURCE


def test_sequence_is_checked_before_values() -> None:
    receiver = Receiver(vds1.Command)
    receiver.receive(encode(COMMAND, 5), SOURCE, 0.0)
    assert reason_of(receiver.receive(raw_command(5, 9.0, brake=NAN), SOURCE, 0.0)) is (
        Reason.DUPLICATE
    )


def test_each_vehicle_has_its_own_sequence() -> None:
    receiver = Receiver(vds1.Command, vehicle_ids=(1, 2))
    for vehicle, seq in [(1, 50), (2, 3), (1, 51), (2, 4)]:
        datagram = encode(COMMAND, seq, seq / 100, 4, vehicle)
        assert isinstance(receiver.receive(datagram, SOURCE, 0.0), Accepted)
    assert receiver.counters().sessions == 2
    assert reason_of(receiver.receive(encode(COMMAND, 52), SOURCE, 0.0)) is Reason.VEHICLE


def test_a_server_that_numbers_its_vehicles_together_loses_nothing() -> None:
    receiver, link = Receiver(vds1.State, vehicle_ids=(1,)), LinkStatistics()
    for seq in range(100):
        datagram = encode(STATE, seq, seq / 100, 5, seq % 2)
        link.observe(receiver.receive(datagram, SOURCE, seq / 100), seq / 100)
    snapshot, counters = link.snapshot(1.0), receiver.counters()
    assert (snapshot.accepted, snapshot.lost, snapshot.loss_ratio) == (50, 0, 0.0)
    assert (snapshot.other_vehicles, sum(snapshot.rejected.values())) == (50, 0)
    assert (counters.accepted, counters.other_vehicles, counters.rejected_total) == (50, 50, 0)


def test_a_command_to_a_vehicle_that_is_not_here_is_a_reject() -> None:
    receiver, link = Receiver(vds1.Command), LinkStatistics()
    link.observe(receiver.receive(encode(COMMAND, 0, 0.0, 5, 1), SOURCE, 0.0), 0.0)
    counters, snapshot = receiver.counters(), link.snapshot(0.0)
    assert (counters.rejected[Reason.VEHICLE], counters.other_vehicles) == (1, 0)
    assert (snapshot.rejected[Reason.VEHICLE], snapshot.other_vehicles) == (1, 0)


def test_silence_opens_a_session_at_the_set_time() -> None:
    receiver = Receiver(vds1.Command, silence_s=0.5)
    receiver.receive(encode(COMMAND, 1000, 1.0), SOURCE, 0.0)
    assert reason_of(receiver.receive(encode(COMMAND, 10, 9.0), SOURCE, 0.4)) is Reason.STALE
    outcome = receiver.receive(encode(COMMAND, 11, 9.1), SOURCE, 0.5)
    assert isinstance(outcome, Accepted)
    assert outcome.new_session
    assert receiver.counters().sessions == 2


@pytest.mark.parametrize("value", [NAN, INF, -INF])
@pytest.mark.parametrize("name", ["steering_tire_angle_rad", "throttle", "brake"])
def test_what_drives_must_be_finite(name: str, value: float) -> None:
    receiver = Receiver(vds1.Command)
    outcome = receiver.receive(raw_command(**{name: value}), SOURCE, 0.0)
    assert isinstance(outcome, Reject)
    assert outcome.reason is Reason.NON_FINITE
    assert outcome.detail == f"{name}={value}"


@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_the_stamp_must_be_finite(value: float) -> None:
    outcome = Receiver(vds1.Command).receive(raw_command(0, value), SOURCE, 0.0)
    assert isinstance(outcome, Reject)
    assert (outcome.reason, outcome.detail) == (Reason.NON_FINITE, f"timestamp_s={value}")


@pytest.mark.parametrize("version", vds1.VERSIONS)
@pytest.mark.parametrize("bits", ["000000000000f87f", "000000000000f07f", "000000000000f0ff"])
def test_every_value_of_a_state_must_be_finite(version: int, bits: str) -> None:
    frame = encode(STATE, version=version)
    for offset in range(24, len(frame) - 4, 8):
        damaged = patched(frame, offset, bytes.fromhex(bits))
        outcome = Receiver(vds1.State).receive(damaged, SOURCE, 0.0)
        assert isinstance(outcome, Reject), offset
        assert outcome.reason is Reason.NON_FINITE
    last = LAYOUTS[vds1.MessageType.STATE][version].fields[-1].name
    assert outcome.detail.startswith(last)


def test_a_state_whose_sum_overflows_is_still_finite() -> None:
    state = dataclasses.replace(STATE, x_world_m=1.7e308, y_world_m=1.7e308)
    assert isinstance(Receiver(vds1.State).receive(encode(state), SOURCE, 0.0), Accepted)


@pytest.mark.parametrize(
    ("name", "value", "used"),
    [
        ("steering_tire_angle_rad", 0.61, 0.6),
        ("steering_tire_angle_rad", -1e12, -0.6),
        ("throttle", 1.5, 1.0),
        ("throttle", -0.5, 0.0),
        ("brake", 7.0, 1.0),
        ("brake", -1e-9, 0.0),
        ("gear", 5, 1),
        ("gear", -3, -1),
    ],
)
def test_out_of_range_is_clamped_and_counted(name: str, value: float, used: float) -> None:
    receiver = Receiver(vds1.Command, max_steer_rad=0.6)
    outcome = receiver.receive(raw_command(7, 0.5, **{name: value}), SOURCE, 0.0)
    assert isinstance(outcome, Accepted)
    assert outcome.clamped == (name,)
    assert getattr(outcome.packet.body, name) == used
    assert outcome.packet.header == (3, vds1.MessageType.CMD, 7, 0, 0.5)
    assert receiver.counters().clamped == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("steering_tire_angle_rad", 0.6),
        ("steering_tire_angle_rad", -0.6),
        ("throttle", 1.0),
        ("throttle", 0.0),
        ("brake", 1.0),
        ("brake", 0.0),
        ("gear", -1),
        ("gear", 1),
        ("aux_accel_target_mps2", 1e300),
        ("aux_speed_target_mps", -1e300),
    ],
)
def test_the_limits_themselves_are_in_range(name: str, value: float) -> None:
    receiver = Receiver(vds1.Command, max_steer_rad=0.6)
    outcome = receiver.receive(raw_command(**{name: value}), SOURCE, 0.0)
    assert isinstance(outcome, Accepted)
    assert outcome.clamped == ()
    assert getattr(outcome.packet.body, name) == value
    assert receiver.counters().clamped == 0


@pytest.mark.parametrize("name", ["aux_accel_target_mps2", "aux_speed_target_mps"])
@pytest.mark.parametrize("value", [INF, -INF, NAN])
def test_an_advisory_target_that_is_not_finite_is_unused(name: str, value: float) -> None:
    # [VS-0.4.3]
    outcome = Receiver(vds1.Command).receive(raw_command(**{name: value}), SOURCE, 0.0)
    assert isinstance(outcome, Accepted)
    assert math.isnan(getattr(outcome.packet.body, name))
    assert outcome.clamped == (() if math.isnan(value) else (name,))


def test_without_a_limit_a_wheel_turns_a_quarter_at_most() -> None:
    outcome = Receiver(vds1.Command).receive(raw_command(steering_tire_angle_rad=3.0), SOURCE, 0.0)
    assert isinstance(outcome, Accepted)
    assert outcome.packet.body.steering_tire_angle_rad == math.pi / 2


def test_several_values_are_clamped_together() -> None:
    command, clamped = vds1.clamp_command(vds1.Command(9.0, 2.0, -1.0, 3, False, INF, 1.0), 0.5)
    assert clamped == (
        "steering_tire_angle_rad",
        "throttle",
        "brake",
        "gear",
        "aux_accel_target_mps2",
    )
    assert repr(command) == repr(vds1.Command(0.5, 1.0, 0.0, 1, False, NAN, 1.0))


def test_a_command_in_range_is_passed_on_as_it_is() -> None:
    assert vds1.clamp_command(COMMAND, 0.5)[0] is COMMAND


def test_every_clamped_packet_is_counted() -> None:
    receiver = Receiver(vds1.Command)
    for seq in range(3):
        receiver.receive(raw_command(seq, throttle=2.0), SOURCE, 0.0)
    receiver.receive(raw_command(3), SOURCE, 0.0)
    assert receiver.counters().clamped == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"versions": (3, 9)}, r"versions=\(3, 9\): must be some of"),
        ({"versions": ()}, r"versions=\(\): must be some of"),
        ({"silence_s": 0.0}, r"silence_s=0.0: must be > 0"),
        ({"silence_s": NAN}, r"silence_s=nan: must be > 0"),
        ({"max_steer_rad": 0.0}, r"max_steer_rad=0.0: must be > 0"),
        ({"max_steer_rad": NAN}, r"max_steer_rad=nan: must be > 0"),
    ],
)
def test_bad_parameters_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        Receiver(vds1.Command, **arguments)


def test_counters_are_a_snapshot() -> None:
    receiver = Receiver(vds1.Command)
    before = receiver.counters()
    receiver.receive(b"", SOURCE, 0.0)
    assert before.rejected[Reason.LENGTH] == 0
    assert receiver.counters().rejected[Reason.LENGTH] == 1


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.floats(0, 100), st.floats(0, 0.3))))
def test_every_datagram_is_accepted_or_counted_once(
    packets: list[tuple[int, float, float]],
) -> None:
    receiver, now, last_seq = Receiver(vds1.Command), 0.0, None
    for count, (seq, stamp_s, wait_s) in enumerate(packets, start=1):
        now += wait_s
        outcome = receiver.receive(encode(COMMAND, seq, stamp_s), SOURCE, now)
        counters = receiver.counters()
        assert counters.accepted + counters.rejected_total == count
        if isinstance(outcome, Accepted):
            assert outcome.new_session or (seq - (last_seq or 0)) % 2**32 == outcome.skipped + 1
            last_seq = seq


class TestSender:
    def test_starts_at_zero_and_counts_up(self) -> None:
        sender = vds1.Sender()
        packets = [vds1.decode(sender.state(STATE, step / 100)) for step in range(3)]
        assert [(p.seq, p.timestamp_s) for p in packets if isinstance(p, vds1.Packet)] == [
            (0, 0.0),
            (1, 0.01),
            (2, 0.02),
        ]
        assert sender.next_seq == 3

    def test_version_and_vehicle_are_sent(self) -> None:
        sender = vds1.Sender(version=5, vehicle_id=6)
        for datagram in (sender.command(COMMAND, 1.0), sender.state(STATE, 1.0)):
            packet = vds1.decode(datagram)
            assert isinstance(packet, vds1.Packet)
            assert (packet.header.version, packet.vehicle_id) == (5, 6)

    def test_a_refused_value_leaves_no_gap(self) -> None:
        sender = vds1.Sender()
        with pytest.raises(vds1.EncodeError):
            sender.command(dataclasses.replace(COMMAND, throttle=2.0), 0.0)
        with pytest.raises(vds1.EncodeError):
            sender.state(dataclasses.replace(STATE, vx_mps=NAN), 0.0)
        assert sender.next_seq == 0

    def test_the_number_wraps(self) -> None:
        sender = vds1.Sender()
        sender.next_seq = 2**32 - 1
        frames = [sender.command(COMMAND, now) for now in (1.0, 1.01)]
        receiver = Receiver(vds1.Command)
        outcomes = [receiver.receive(frame, SOURCE, 0.0) for frame in frames]
        assert [o.packet.seq for o in outcomes if isinstance(o, Accepted)] == [2**32 - 1, 0]
        assert receiver.counters().sessions == 1
