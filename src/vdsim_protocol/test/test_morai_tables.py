"""Every message at its documented offsets and sizes, and every way to get an envelope wrong."""

import dataclasses
import math
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vdsim_protocol.morai import Reason
from vdsim_protocol.morai.envelope import Direction, Message
from vdsim_protocol.morai.table_codec import FLOATS, as_code
from vdsim_protocol.wire import LayoutError, fields_of, record_layout
from vdsim_protocol_kit.morai import VARIANT_IDS, VARIANTS, bodies, example

from vdsim_protocol import morai

DATA_SIZES_AND_TOTALS = {
    "EgoCtrlCmd": [(23, 55), (27, 59)],
    "EgoVehicleStatus": [(94, 123), (132, 161), (152, 181), (200, 229), (216, 245)],
    "ObjectInfo": [(1360, 1392), (1368, 1400), (2128, 2160)],
    "MultiEgoSetting": [(648, 683)],
    "TrafficLightStatus": [(16, 48)],
    "SetTrafficLight": [(14, 46)],
    "CollisionData": [(140, 173), (148, 181)],
    "NpcCollision": [(1120, 1156)],
    "IntersectionStatus": [(8, 37)],
    "SetIntersection": [(8, 40)],
    "ScenarioLoad": [(37, 69)],
    "SaveSensorData": [(91, 125)],
    "SensorControl": [(26, 59)],
    "LampControl": [(2, 33)],
    "EgoGhostCmd": [(32, 63)],
    "NpcGhostCmd": [(1000, 1031)],
    "ImuData": [(80, 107), (88, 115)],
}
TO_SIMULATOR = {
    "EgoCtrlCmd",
    "MultiEgoSetting",
    "SetTrafficLight",
    "SetIntersection",
    "ScenarioLoad",
    "SaveSensorData",
    "SensorControl",
    "LampControl",
    "EgoGhostCmd",
    "NpcGhostCmd",
}
STATUS = next(m for m in morai.MESSAGES if m.table is morai.EgoVehicleStatus)


def test_every_message_is_there() -> None:
    # [VS-3.1]
    sizes = {m.table.__name__: list(m.sizes.values()) for m in morai.MESSAGES}
    assert sizes == DATA_SIZES_AND_TOTALS
    for message in morai.MESSAGES:
        is_to = message.table.__name__ in TO_SIMULATOR
        assert message.direction is (Direction.TO_SIMULATOR if is_to else Direction.FROM_SIMULATOR)
        assert message.latest == len(message.sizes)


@pytest.mark.parametrize(("message", "generation"), VARIANTS, ids=VARIANT_IDS)
def test_round_trip(message: Message, generation: int) -> None:
    body = example(message, generation)
    datagram = morai.encode(body, generation)
    assert len(datagram) == message.sizes[generation][1]
    packet = morai.decode(datagram)
    assert isinstance(packet, morai.Packet)
    assert (packet.kind, packet.generation) == (message, generation)
    for field in fields_of(message.table, generation):
        assert getattr(packet.body, field.name) == getattr(body, field.name), field.name
    assert morai.encode(packet.body, generation) == datagram


@pytest.mark.parametrize(("message", "generation"), VARIANTS, ids=VARIANT_IDS)
def test_random_messages_round_trip(message: Message, generation: int) -> None:
    @settings(max_examples=25, deadline=None)
    @given(bodies(message, generation))
    def check(body: Any) -> None:
        datagram = morai.encode(body, generation)
        packet = morai.decode(datagram)
        assert isinstance(packet, morai.Packet)
        assert packet.kind is message
        assert morai.encode(packet.body, generation) == datagram

    check()


@pytest.mark.parametrize(
    ("generation", "offsets"),
    [
        (1, {"ctrl_mode": 27, "signed_velocity_kph": 29, "pos_x_m": 69, "steer_deg": 117}),
        (2, {"ctrl_mode": 27, "steer_deg": 117, "link_id": 121}),
        (
            3,
            {
                "sec": 27,
                "ctrl_mode": 35,
                "gear": 36,
                "angular_velocity_x_degps": 113,
                "accel_x_mps2": 125,
                "steer_deg": 137,
                "link_id": 141,
            },
        ),
        (4, {"link_id": 141, "tire_lateral_force_n": 179, "side_slip_angle_deg": 195}),
        (5, {"rear_steer_deg": 141, "link_id": 145, "tire_lateral_force_n": 183}),
    ],
)
def test_status_fields_move_with_the_generation(generation: int, offsets: dict[str, int]) -> None:
    found = {f.name: f.wire.offset for f in STATUS.layout(generation).fields}
    assert {name: found[name] for name in offsets} == offsets


def test_records_hold_their_documented_offsets() -> None:
    objects = {f.name: f.wire.offset for f in record_layout(morai.ObjectRecord).fields}
    assert (objects["heading_deg"], objects["velocity_x_kph"], objects["accel_z_mps2"]) == (
        *(16, 44),
        64,
    )
    egos = {f.name: f.wire.offset for f in record_layout(morai.EgoRecord).fields}
    assert (egos["pos_x_m"], egos["velocity_kph"], egos["ctrl_mode"]) == (2, 26, 31)


def test_a_wrong_total_fails_on_import() -> None:
    with pytest.raises(LayoutError, match="Lamps, generation 1: documented total 34 is not 13"):
        Message(
            morai.LampControl,
            "Lamps",
            Direction.TO_SIMULATOR,
            identifier="#LampControl$",
            sizes={1: (2, 34)},
        )


def test_missing_fields_have_their_defaults() -> None:
    packet = morai.decode(morai.encode(example(STATUS, 1), 1))
    assert isinstance(packet, morai.Packet)
    assert (packet.body.link_id, packet.body.sec) == ("", 0)
    assert math.isnan(packet.body.angular_velocity_z_degps)
    assert repr(packet.body.tire_lateral_force_n) == "(nan, nan, nan, nan)"


def test_traffic_lights_are_distinguished_by_length() -> None:
    status = morai.decode(morai.encode(morai.TrafficLightStatus("C1", 0, 16)))
    command = morai.decode(morai.encode(morai.SetTrafficLight("C1", 5)))
    assert isinstance(status, morai.Packet)
    assert isinstance(command, morai.Packet)
    assert status.body.lamps == morai.TrafficLightLamps.GREEN
    lamps = morai.TrafficLightLamps
    assert command.body.lamps == lamps.RED | lamps.YELLOW
    assert isinstance(command.body.lamps, lamps)


def test_names_are_trimmed() -> None:
    for raw in (b"AB\0junk\0\0\0\0\0", b" AB         ", b"AB\0         "):
        datagram = bytearray(morai.encode(morai.SetTrafficLight("", 1)))
        datagram[30:42] = raw.ljust(12, b"\0")[:12]
        packet = morai.decode(datagram)
        assert isinstance(packet, morai.Packet)
        assert packet.body.index == "AB"


@pytest.mark.parametrize("count", [0, 1, 3, 20, 21])
def test_object_info_accepts_any_number_of_records(count: int) -> None:
    # [VS-3.6]
    record = example(next(m for m in morai.MESSAGES if m.table is morai.ObjectInfo), 1).objects[0]
    data = b"".join([morai.encode(morai.ObjectInfo((record,)))[30:98]] * count)
    head = b"#MoraiObjInfo$" + struct.pack("<i", len(data)) + bytes(12)
    packet = morai.decode(head + data + b"\r\n")
    assert isinstance(packet, morai.Packet)
    assert packet.body.objects == (record,) * count
    assert packet.generation == 1


def test_unused_object_records_are_dropped() -> None:
    record = morai.ObjectRecord(object_id=3, pos_x_m=1.0)
    datagram = morai.encode(morai.ObjectInfo((record,)))
    assert len(datagram) == 1392
    packet = morai.decode(datagram)
    assert isinstance(packet, morai.Packet)
    assert len(packet.body.objects) == 20
    assert packet.body.present == (record,)


def test_status_without_its_tail_is_accepted() -> None:
    datagram = morai.encode(example(STATUS, 1), 1)
    short = morai.decode(datagram[:-2])
    assert isinstance(short, morai.Packet)
    assert repr(short) == repr(morai.decode(datagram))
    for generation in (2, 3, 4, 5):
        outcome = morai.decode(morai.encode(example(STATUS, generation), generation)[:-2])
        assert isinstance(outcome, morai.Reject)
    lamps = morai.encode(morai.LampControl(0, 0))
    assert isinstance(morai.decode(lamps[:-2]), morai.Reject)
    assert isinstance(morai.decode(datagram[:-1]), morai.Reject)


LAMPS = morai.encode(morai.LampControl(1, 0))


@pytest.mark.parametrize(
    ("datagram", "reason", "detail", "kind"),
    [
        (b"", Reason.IDENTIFIER, "starts with b''", ""),
        (b"#", Reason.IDENTIFIER, "starts with b'#'", ""),
        (b"$", Reason.IDENTIFIER, "starts with b'$'", ""),
        (b"#Nothing$" + LAMPS[13:], Reason.IDENTIFIER, "starts with b'#Nothing", ""),
        (LAMPS[:16], Reason.TRUNCATED, "16 bytes", "#LampControl$"),
        (LAMPS[:17], Reason.SIZE, "17 bytes, must be 33", "#LampControl$"),
        (LAMPS[:13] + b"\x03" + LAMPS[14:], Reason.DATA_LENGTH, "data length 3", "#LampControl$"),
        (
            LAMPS[:13] + b"\xfe\xff\xff\xff" + LAMPS[17:],
            Reason.DATA_LENGTH,
            "data length -2",
            "#LampControl$",
        ),
        (LAMPS[:-1], Reason.SIZE, "32 bytes, must be 33", "#LampControl$"),
        (LAMPS + b"\0", Reason.SIZE, "34 bytes, must be 33", "#LampControl$"),
        (LAMPS[:-2] + b"\n\r", Reason.TAIL, "ends with 0a0d", "#LampControl$"),
        (
            morai.encode(morai.ObjectInfo(()))[:14] + struct.pack("<i", -68) + bytes(14),
            Reason.DATA_LENGTH,
            "data length -68",
            "#MoraiObjInfo$",
        ),
        (
            morai.encode(morai.ObjectInfo(()))[:14] + struct.pack("<i", 67) + bytes(81),
            Reason.DATA_LENGTH,
            "data length 67",
            "#MoraiObjInfo$",
        ),
    ],
)
def test_reject_reasons(datagram: bytes, reason: Reason, detail: str, kind: str) -> None:
    outcome = morai.decode(datagram)
    assert isinstance(outcome, morai.Reject)
    assert (outcome.reason, outcome.kind) == (reason, kind)
    assert outcome.detail.startswith(detail)
    assert str(outcome) == f"{reason.value}: {morai.REASON_TEXT[reason]} ({outcome.detail})"


def test_every_reason_has_a_text() -> None:
    assert set(morai.REASON_TEXT) == set(Reason)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_must_be_finite(value: float) -> None:
    for index, (message, generation) in enumerate(VARIANTS):
        datagram = morai.encode(example(message, generation), generation)
        for field in message.layout(generation).fields:
            form = field.wire.format
            if form not in FLOATS or field.wire.count > 1:
                continue
            at = field.wire.offset
            damaged = datagram[:at] + struct.pack(f"<{form}", value) + datagram[at + field.size :]
            outcome = morai.decode(damaged)
            if field.wire.may_be_nan:
                assert isinstance(outcome, morai.Packet), (index, field.name)
            else:
                assert isinstance(outcome, morai.Reject)
                assert (outcome.reason, outcome.detail) == (
                    Reason.NON_FINITE,
                    f"{field.name}={value}",
                )


def test_a_value_deep_in_a_record_must_be_finite_too() -> None:
    npc = next(m for m in morai.MESSAGES if m.table is morai.NpcCollision)
    datagram = morai.encode(example(npc, 1))
    at = 34 + 9 * 112 + 56 + 16  # the heading of the second vehicle of the last record
    outcome = morai.decode(datagram[:at] + struct.pack("<f", math.nan) + datagram[at + 4 :])
    assert isinstance(outcome, morai.Reject)
    assert outcome.detail == "heading_deg=nan"


@pytest.mark.parametrize(("message", "generation"), VARIANTS, ids=VARIANT_IDS)
def test_bit_flips_truncations_and_extensions_never_raise(
    message: Message, generation: int
) -> None:
    datagram = morai.encode(example(message, generation), generation)
    for bit in range(0, 8 * len(datagram), 1 if len(datagram) < 300 else 7):
        damaged = bytearray(datagram)
        damaged[bit // 8] ^= 1 << bit % 8
        outcome = morai.decode(damaged)
        # The IMU's data length may leave out its time stamp, 8 bytes.
        stamp_bit = 8 * len(message.identifier) + 3
        if message.table is morai.ImuData and generation == 2 and bit == stamp_bit:
            continue
        if bit // 8 < message.data_start - 12 or bit // 8 >= len(datagram) - 2:
            assert isinstance(outcome, morai.Reject), bit
    for size in range(len(datagram)):
        outcome = morai.decode(datagram[:size])
        tailless = message.table is morai.EgoVehicleStatus and generation == 1
        if not (tailless and size == len(datagram) - 2):
            assert isinstance(outcome, morai.Reject), size
    assert isinstance(morai.decode(datagram + b"\0"), morai.Reject)


@settings(deadline=None)
@given(
    st.sampled_from([message.identifier.encode() for message in morai.MESSAGES]),
    st.binary(max_size=2000),
)
def test_decode_never_raises(identifier: bytes, rest: bytes) -> None:
    assert isinstance(morai.decode(identifier + rest), morai.Packet | morai.Reject)
    assert isinstance(morai.decode(rest), morai.Packet | morai.Reject)


COMMAND = morai.EgoCtrlCmd(morai.CtrlMode.AUTO, morai.Gear.DRIVE, morai.CmdType.PEDALS)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"accel": 1.01}, "accel=1.01: must be in 0..1"),
        ({"brake": -0.01}, "brake=-0.01: must be in 0..1"),
        ({"steering": -1.5}, "steering=-1.5: must be in -1..1"),
        ({"steering": math.nan}, "steering=nan: must be finite"),
        ({"velocity_kph": 1e39}, "velocity_kph=1e[+]39: must fit a 4-byte float"),
        ({"velocity_kph": "fast"}, "velocity_kph='fast': must fit a 4-byte float"),
        ({"gear": 6}, r"gear=6: must be one of 0 \(MANUAL\), 1 \(PARKING\)"),
        ({"gear": 256}, "gear=256: must fit uint8"),
        ({"gear": 1.0}, "gear=1.0: must fit uint8"),
    ],
)
def test_bad_values_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(morai.EncodeError, match=f"^{message}"):
        morai.encode(dataclasses.replace(COMMAND, **changes))


def test_other_bad_values_are_refused() -> None:
    status = example(STATUS, 5)
    cases = [
        (morai.SetTrafficLight("x" * 13, 1), 1, "index='x.*: must be at most 12 characters"),
        (morai.SetTrafficLight("a\0b", 1), 1, r"index='a\\x00b': must be at most 12"),
        (morai.SetTrafficLight("\u20ac", 1), 1, "index='\u20ac': must be ASCII"),
        (morai.SetTrafficLight("x", 40000), 1, "lamps=40000: must fit int16"),
        (morai.ObjectInfo((morai.ObjectRecord(),) * 21), 1, "objects: holds 21 records, must be"),
        (morai.MultiEgoSetting(21, 0, ()), 1, r"num_of_ego=21: must be in 0\.\.20"),
        (morai.MultiEgoSetting(-1, 0, ()), 1, r"num_of_ego=-1: must be in 0\.\.20"),
        (
            dataclasses.replace(status, tire_lateral_force_n=(1.0, 2.0)),
            5,
            r"tire_lateral_force_n=\(1.0, 2.0\): must be 4 values",
        ),
        (COMMAND, 3, "EgoCtrlCmd: no message with a generation 3"),
        ("text", 1, "str: no message with a generation 1"),
    ]
    for body, generation, message in cases:
        with pytest.raises(morai.EncodeError, match=f"^{message}"):
            morai.encode(body, generation)


def test_the_limits_themselves_are_sent() -> None:
    for changes in (
        {"accel": 0.0, "brake": 1.0, "steering": -1.0},
        {"accel": 1.0, "steering": 1.0},
    ):
        packet = morai.decode(morai.encode(dataclasses.replace(COMMAND, **changes), 2))
        assert isinstance(packet, morai.Packet)
    for count in (0, 20):
        assert isinstance(
            morai.decode(morai.encode(morai.MultiEgoSetting(count, 0, ()))), morai.Packet
        )
    assert morai.encode(morai.SetTrafficLight("x" * 12, 1))[30:42] == b"x" * 12


def test_tyre_values_may_be_nan() -> None:
    status = dataclasses.replace(example(STATUS, 4), side_slip_angle_deg=(math.nan,) * 4)
    packet = morai.decode(morai.encode(status, 4))
    assert isinstance(packet, morai.Packet)
    assert repr(packet.body.side_slip_angle_deg) == "(nan, nan, nan, nan)"


def test_unknown_codes_stay_numbers() -> None:
    datagram = bytearray(morai.encode(COMMAND))
    datagram[31] = 77
    packet = morai.decode(datagram)
    assert isinstance(packet, morai.Packet)
    assert (packet.body.gear, type(packet.body.gear)) == (77, int)
    assert packet.body.ctrl_mode is morai.CtrlMode.AUTO
    assert as_code(morai.TrafficLightLamps, -5) == -5
    assert as_code(morai.ObjectType, -1) is morai.ObjectType.EGO
    assert as_code(morai.TrafficLightLamps, 0) == 0
