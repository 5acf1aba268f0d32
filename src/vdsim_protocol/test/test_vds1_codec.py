"""Encoding refuses bad values; decoding names the check that failed; both agree with each other."""

import dataclasses
import math
import struct
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_protocol.vds1 import Reason
from vdsim_protocol_kit.vds1 import (
    BODIES,
    COMMAND,
    MESSAGES_AND_VERSIONS,
    STATE,
    encode,
    encode_packet,
    patched,
    with_crc,
)

from vdsim_protocol import vds1

INF, NAN = math.inf, math.nan
finite = st.floats(allow_nan=False, allow_infinity=False)
fraction = st.floats(0.0, 1.0)
advisory = st.one_of(st.just(NAN), finite)
commands = st.builds(
    vds1.Command, finite, fraction, fraction, st.sampled_from((-1, 0, 1)), st.booleans(),
    advisory, advisory,
)  # fmt: skip
wheels = st.tuples(finite, finite, finite, finite)
states = st.builds(
    vds1.State,
    **{
        field.name: wheels
        if "PerWheel" in str(field.type)
        else st.floats(-3.14, math.pi)
        if field.name == "yaw_rad"
        else finite
        for field in dataclasses.fields(vds1.State)
    },
)
headers = st.builds(
    dict,
    seq=st.integers(0, 2**32 - 1),
    timestamp_s=finite,
    version=st.sampled_from(vds1.VERSIONS),
)


def same(left: Any, right: Any) -> bool:
    """Equal, where NaN equals NaN."""
    return repr(left) == repr(right)


@given(commands, headers)
def test_command_round_trip(command: vds1.Command, header: dict[str, Any]) -> None:
    packet = vds1.decode(vds1.encode_command(command, **header))
    assert isinstance(packet, vds1.Packet)
    assert same(packet.body, command)
    expected = (header["version"], 1, header["seq"], 0, header["timestamp_s"])
    assert tuple(packet.header) == expected


@given(states, headers, st.integers(0, 2**32 - 1))
def test_state_round_trip(state: vds1.State, header: dict[str, Any], vehicle: int) -> None:
    vehicle_id = vehicle if header["version"] >= 4 else 0
    frame = vds1.encode_state(state, vehicle_id=vehicle_id, **header)
    packet = vds1.decode(frame)
    assert isinstance(packet, vds1.Packet)
    assert packet.vehicle_id == vehicle_id
    assert encode_packet(packet) == frame
    for name in ("x_world_m", "yaw_rad", "wheel_spin_radps", "tire_fz_n"):
        assert getattr(packet.body, name) == getattr(state, name)


@given(st.binary(max_size=600))
def test_decode_never_raises(datagram: bytes) -> None:
    outcome = vds1.decode(datagram)
    assert isinstance(outcome, vds1.Packet | vds1.Reject)


@given(st.binary(min_size=48, max_size=48), st.sampled_from(vds1.VERSIONS))
def test_any_command_payload_with_a_right_crc_decodes(payload: bytes, version: int) -> None:
    head = struct.pack("<IHHIId", vds1.MAGIC, version, 1, 5, 0, 1.0)
    outcome = vds1.decode(with_crc(head + payload))
    assert isinstance(outcome, vds1.Packet)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steering_tire_angle_rad": NAN}, "steering_tire_angle_rad=nan: must be finite"),
        ({"steering_tire_angle_rad": -INF}, "steering_tire_angle_rad=-inf: must be finite"),
        ({"steering_tire_angle_rad": "0"}, "steering_tire_angle_rad='0': must be finite"),
        ({"steering_tire_angle_rad": None}, "steering_tire_angle_rad=None: must be finite"),
        ({"throttle": -0.001}, "throttle=-0.001: must be in 0..1"),
        ({"throttle": 1.001}, "throttle=1.001: must be in 0..1"),
        ({"throttle": NAN}, "throttle=nan: must be in 0..1"),
        ({"brake": -0.001}, "brake=-0.001: must be in 0..1"),
        ({"brake": 1.001}, "brake=1.001: must be in 0..1"),
        ({"brake": NAN}, "brake=nan: must be in 0..1"),
        ({"gear": 2}, r"gear=2: must be -1 \(R\), 0 \(N\) or 1 \(D\)"),
        ({"gear": -2}, r"gear=-2: must be -1"),
        ({"gear": 0.5}, r"gear=0.5: must be -1"),
        ({"aux_accel_target_mps2": INF}, "aux_accel_target_mps2=inf: must be finite, or NaN"),
        ({"aux_speed_target_mps": -INF}, "aux_speed_target_mps=-inf: must be finite, or NaN"),
        ({"throttle": 2.0, "brake": 2.0}, "throttle=2.0: must be in 0..1"),
        ({"throttle": 1.0, "brake": 2.0}, "brake=2.0: must be in 0..1"),
        ({"throttle": 0.0, "brake": 2.0}, "brake=2.0: must be in 0..1"),
        ({"gear": -1, "aux_speed_target_mps": INF}, "aux_speed_target_mps=inf"),
        ({"gear": 0, "aux_speed_target_mps": INF}, "aux_speed_target_mps=inf"),
        ({"gear": 1, "aux_accel_target_mps2": NAN, "aux_speed_target_mps": INF}, "aux_speed"),
    ],
)
def test_bad_commands_are_refused(changes: dict[str, Any], message: str) -> None:
    command = dataclasses.replace(COMMAND, **changes)
    with pytest.raises(vds1.EncodeError, match=f"^{message}"):
        vds1.encode_command(command, seq=0, timestamp_s=0.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"throttle": 0.0, "brake": 1.0},
        {"throttle": 1.0, "brake": 0.0},
        {"gear": -1},
        {"gear": 0},
        {"steering_tire_angle_rad": -1e300, "aux_accel_target_mps2": -1e300},
    ],
)
def test_the_limits_themselves_are_sent(changes: dict[str, float]) -> None:
    packet = vds1.decode(encode(dataclasses.replace(COMMAND, **changes)))  # type: ignore[arg-type]
    assert isinstance(packet, vds1.Packet)
    assert {name: getattr(packet.body, name) for name in changes} == changes


@pytest.mark.parametrize("steer", [10**400, -(10**400)])
def test_a_number_too_large_is_refused(steer: int) -> None:
    command = dataclasses.replace(COMMAND, steering_tire_angle_rad=steer)
    with pytest.raises(vds1.EncodeError, match=r"^steering_tire_angle_rad=.*must be finite"):
        vds1.encode_command(command, seq=0, timestamp_s=0.0)
    with pytest.raises(vds1.EncodeError, match=r"^x_world_m=.*must be finite"):
        vds1.encode_state(dataclasses.replace(STATE, x_world_m=steer), seq=0, timestamp_s=0.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x_world_m": NAN}, "x_world_m=nan: must be finite"),
        ({"vz_mps": INF}, "vz_mps=inf: must be finite"),
        ({"x_world_m": INF, "y_world_m": -INF}, "x_world_m=inf: must be finite"),
        (
            {"tire_fy_n": (0.0, 0.0, NAN, 0.0)},
            r"tire_fy_n=\(0.0, 0.0, nan, 0.0\): must be 4 finite",
        ),
        ({"tire_fz_n": (1.0, 2.0)}, r"tire_fz_n=\(1.0, 2.0\): must be 4 finite numbers"),
        ({"tire_fz_n": 1.0}, "tire_fz_n=1.0: must be 4 finite numbers"),
        ({"m_steer_rad": "1"}, "m_steer_rad='1': must be finite"),
        ({"m_steer_rad": Decimal(1)}, "m_steer_rad=Decimal.*: must be finite"),
        ({"yaw_rad": 3.15}, r"yaw_rad=3.15: must be in \(-pi, pi\]"),
        ({"yaw_rad": -3.15}, r"yaw_rad=-3.15: must be in \(-pi, pi\]"),
        ({"yaw_rad": NAN}, r"yaw_rad=nan: must be in \(-pi, pi\]"),
        ({"yaw_rad": "1"}, r"yaw_rad='1': must be finite"),
    ],
)
def test_bad_states_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(vds1.EncodeError, match=f"^{message}"):
        vds1.encode_state(dataclasses.replace(STATE, **changes), seq=0, timestamp_s=0.0)


def test_a_huge_but_finite_state_is_sent() -> None:
    """The quick check adds the values up; an overflow of the sum alone is no reason to refuse."""
    state = dataclasses.replace(STATE, x_world_m=1.7e308, y_world_m=1.7e308)
    packet = vds1.decode(vds1.encode_state(state, seq=0, timestamp_s=0.0))
    assert isinstance(packet, vds1.Packet)
    assert packet.body.y_world_m == 1.7e308


def test_values_that_the_version_does_not_carry_are_not_looked_at() -> None:
    state = dataclasses.replace(STATE, throttle_applied=NAN, tire_fx_n=vds1.State.__slots__)
    assert len(vds1.encode_state(state, seq=0, timestamp_s=0.0, version=2)) == 372
    with pytest.raises(vds1.EncodeError, match=r"^tire_fx_n="):
        vds1.encode_state(state, seq=0, timestamp_s=0.0, version=3)
    with pytest.raises(vds1.EncodeError, match=r"^throttle_applied=nan"):
        encode(dataclasses.replace(STATE, throttle_applied=NAN), version=5)


@pytest.mark.parametrize(("yaw", "sent"), [(-math.pi, math.pi), (math.pi, math.pi), (0.0, 0.0)])
def test_yaw_goes_out_in_its_half_open_range(yaw: float, sent: float) -> None:
    # [VS-0.6]
    packet = vds1.decode(encode(dataclasses.replace(STATE, yaw_rad=yaw)))
    assert isinstance(packet, vds1.Packet)
    assert packet.body.yaw_rad == sent


@pytest.mark.parametrize("body", BODIES.values(), ids=["command", "state"])
@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"version": 0}, r"version=0: must be one of \(1, 2, 3, 4, 5\)"),
        ({"version": 6}, r"version=6: must be one of"),
        ({"seq": -1}, r"seq=-1: must be in 0..4294967295"),
        ({"seq": 2**32}, r"seq=4294967296: must be in 0..4294967295"),
        ({"timestamp_s": NAN}, "timestamp_s=nan: must be finite"),
        ({"timestamp_s": INF}, "timestamp_s=inf: must be finite"),
        ({"timestamp_s": INF, "seq": 2**32 - 1}, "timestamp_s=inf: must be finite"),
        ({"timestamp_s": INF, "seq": 0}, "timestamp_s=inf: must be finite"),
        ({"vehicle_id": 1}, "vehicle_id=1: must be 0 before version 4"),
        ({"vehicle_id": -1, "version": 4}, r"vehicle_id=-1: must be in 0..4294967295"),
        ({"vehicle_id": 2**32, "version": 5}, r"vehicle_id=4294967296: must be in 0..4294967295"),
    ],
)
def test_bad_headers_are_refused(body: vds1.Body, header: dict[str, Any], message: str) -> None:
    with pytest.raises(vds1.EncodeError, match=f"^{message}"):
        encode(body, **header)


@pytest.mark.parametrize("seq", [0, 2**32 - 1])
@pytest.mark.parametrize(("version", "vehicle"), [(3, 0), (4, 0), (4, 1), (5, 2**32 - 1)])
@pytest.mark.parametrize("body", BODIES.values(), ids=["command", "state"])
def test_extreme_headers_are_sent(body: vds1.Body, version: int, vehicle: int, seq: int) -> None:
    packet = vds1.decode(encode(body, seq=seq, version=version, vehicle_id=vehicle))
    assert isinstance(packet, vds1.Packet)
    assert (packet.seq, packet.vehicle_id, packet.header.version) == (seq, vehicle, version)


@pytest.mark.parametrize(("message", "version"), MESSAGES_AND_VERSIONS)
def test_reject_reasons(message: vds1.MessageType, version: int) -> None:
    # [VS-0.3.2]
    frame = encode(BODIES[message], version=version)
    other = 220 if message is vds1.MessageType.CMD else 76
    cases = [
        (b"", Reason.LENGTH, "0 bytes"),
        (frame + b"\0", Reason.LENGTH, f"{len(frame) + 1} bytes"),
        (patched(frame, 0, b"VDS1"), Reason.MAGIC, "starts with 56445331"),
        (patched(frame, 4, b"\x06\0"), Reason.VERSION, "version 6"),
        (patched(frame, 4, b"\0\0"), Reason.VERSION, "version 0"),
        (patched(frame, 6, b"\x03\0"), Reason.TYPE, "msg_type 3"),
        (frame[:-4] + bytes(4), Reason.CRC, "ends with 00000000"),
        (
            with_crc(frame.ljust(other, b"\0")[: other - 4]),
            Reason.LENGTH,
            f"{message.name} of version {version} has {len(frame)} bytes, this has {other}",
        ),
    ]
    for datagram, reason, detail in cases:
        outcome = vds1.decode(datagram)
        assert isinstance(outcome, vds1.Reject)
        assert (outcome.reason, outcome.detail) == (reason, detail)
        assert outcome.header is None
        assert str(outcome) == f"{reason.value}: {vds1.REASON_TEXT[reason]} ({detail})"


def test_checks_come_in_the_documented_order() -> None:
    """Damage several things at once: the first check in the order names the reason."""
    frame = encode(COMMAND)
    bad_crc = frame[:-4] + bytes(4)
    bad_type = bad_crc[:6] + b"\x09\0" + bad_crc[8:]
    bad_version = bad_type[:4] + b"\x09\0" + bad_type[6:]
    bad_magic = b"XXXX" + bad_version[4:]
    bad_length = bad_magic + b"\0"
    reasons = [vds1.decode(d) for d in (bad_crc, bad_type, bad_version, bad_magic, bad_length)]
    assert [r.reason for r in reasons if isinstance(r, vds1.Reject)] == [
        Reason.CRC, Reason.TYPE, Reason.VERSION, Reason.MAGIC, Reason.LENGTH,
    ]  # fmt: skip


def test_every_reason_has_a_text() -> None:
    assert set(vds1.REASON_TEXT) == set(Reason)


def test_a_narrow_decoder_refuses_the_rest() -> None:
    decode = vds1.make_decoder((vds1.MessageType.STATE,), (3, 5))
    assert isinstance(decode(encode(STATE, version=3)), vds1.Packet)
    assert isinstance(decode(encode(STATE, version=5)), vds1.Packet)
    for frame, reason in [
        (encode(STATE, version=4), Reason.VERSION),
        (encode(STATE, version=1), Reason.VERSION),
        (encode(COMMAND, version=3), Reason.TYPE),
    ]:
        outcome = decode(frame)
        assert isinstance(outcome, vds1.Reject)
        assert outcome.reason is reason


def test_reserved_bytes_are_ignored() -> None:
    frame = encode(COMMAND, version=3)
    packet = vds1.decode(patched(patched(frame, 12, b"\x07\0\0\0"), 53, b"abc"))
    assert isinstance(packet, vds1.Packet)
    assert packet.vehicle_id == 0
    assert same(packet, vds1.decode(frame))


@pytest.mark.parametrize(("byte", "value"), [(0, False), (1, True), (2, True), (255, True)])
def test_any_handbrake_byte_but_zero_is_on(byte: int, value: bool) -> None:
    packet = vds1.decode(patched(encode(COMMAND), 52, bytes([byte])))
    assert isinstance(packet, vds1.Packet)
    assert packet.body.handbrake is value


def test_packet_is_header_and_body() -> None:
    packet = vds1.decode(encode(STATE, seq=9, timestamp_s=2.0, version=4, vehicle_id=3))
    assert isinstance(packet, vds1.Packet)
    assert packet.header == (4, vds1.MessageType.STATE, 9, 3, 2.0)
    assert (packet.seq, packet.vehicle_id, packet.timestamp_s) == (9, 3, 2.0)
    assert isinstance(packet.header.msg_type, vds1.MessageType)
    assert vds1.Packet.of(packet.header, packet.body) == packet
    assert repr(packet).startswith("Packet(header=Header(version=4, msg_type=<MessageType.STATE")


def test_command_values_are_the_fields_of_command() -> None:
    """Same names, order and defaults, and the same datagram."""
    names = [field.name for field in dataclasses.fields(vds1.Command)]
    assert list(vds1.CommandValues._fields) == names
    arguments = (0.1, 0.5, 0.0, 1, False)
    values, command = vds1.CommandValues(*arguments), vds1.Command(*arguments)
    assert repr(tuple(values)) == repr(dataclasses.astuple(command))
    sent = (vds1.encode_command(each, seq=3, timestamp_s=1.5) for each in (values, command))
    assert len(set(sent)) == 1
