"""Releases against a transcription of what their public sources state, and received values."""

from __future__ import annotations

import dataclasses
import math
import struct

import pytest
from vdsim_protocol_kit.morai import example

from vdsim_protocol import morai

TOTALS = {
    "21": {"EgoCtrlCmd": 55, "EgoVehicleStatus": 123, "ObjectInfo": 1392, "CollisionData": 173},
    "22.R2": {"EgoCtrlCmd": 55, "EgoVehicleStatus": 161, "ObjectInfo": 1392, "CollisionData": 173},
    "23.R1": {"EgoCtrlCmd": 55, "EgoVehicleStatus": 181, "ObjectInfo": 2160, "CollisionData": 181},
    "24.R2": {"EgoCtrlCmd": 55, "EgoVehicleStatus": 229, "ObjectInfo": 2160, "CollisionData": 181},
    "25.S4": {"EgoCtrlCmd": 55, "EgoVehicleStatus": 229, "ObjectInfo": 2160, "CollisionData": 181},
    "26.R1": {"EgoCtrlCmd": 59, "EgoVehicleStatus": 245, "ObjectInfo": 2160, "CollisionData": 181},
}
UNCHANGED = {
    "MultiEgoSetting": 683, "TrafficLightStatus": 48, "SetTrafficLight": 46, "NpcCollision": 1156,
    "IntersectionStatus": 37, "SetIntersection": 40, "ScenarioLoad": 69, "SaveSensorData": 125,
    "SensorControl": 59, "LampControl": 33, "EgoGhostCmd": 63, "NpcGhostCmd": 1031,
}  # fmt: skip
MESSAGE = {message.table.__name__: message for message in morai.MESSAGES}


@pytest.mark.parametrize("name", TOTALS)
def test_every_message_has_its_size_in_every_release(name: str) -> None:
    # [VS-3.1]
    release = morai.RELEASES[name]
    for table, total in (TOTALS[name] | UNCHANGED).items():
        message = MESSAGE[table]
        generation = release.generation(message.table)
        assert len(morai.encode(example(message, generation), generation)) == total, table
    assert set(TOTALS[name]) | set(UNCHANGED) | {"ImuData"} == set(MESSAGE)


def test_limits_and_marks_of_the_releases() -> None:
    assert list(morai.RELEASES) == list(TOTALS)
    for name in ("23.R1", "24.R2"):
        release = morai.RELEASES[name]
        assert (release.accel_most_mps2, release.decel_most_mps2) == (1.0, 2.0)
        assert "velocity limits" not in release.inferred
    titles = {message.title for message in morai.MESSAGES}
    for release in morai.RELEASES.values():
        assert set(release.inferred) <= titles | {"steering", "velocity limits"}
        assert "steering" in release.inferred, "no page states the side"
    text = morai.release_text()
    assert "Object Info, bytes" in text
    assert "2160 inferred" in text
    assert "-2 to +1" in text


def stamped(identifier: bytes, records: bytes) -> bytes:
    """A datagram of 24.R2 by the layout of its official client: sec, nsec, then the records."""
    data = struct.pack("<ii", 12, 500_000_000) + records
    head = identifier + struct.pack("<iiii", len(data), 0, 0, 0)
    return head + data + b"\r\n"


def test_object_info_of_24_r2_is_read_at_its_offsets() -> None:
    record = struct.pack(
        "<hh16f38s", 7, 1, 1.0, 2.0, 3.0, 90.0, 1.9, 4.6, 1.6, 0.8, 2.9, 0.9,
        36.0, 1.0, 0.0, 0.5, 0.25, 0.0, b"A2229W010086",
    )  # fmt: skip
    assert len(record) == 106
    datagram = stamped(b"#MoraiObjInfo$", record + bytes(19 * 106))
    assert len(datagram) == 2160
    packet = morai.decode(datagram)
    assert isinstance(packet, morai.Packet)
    assert (packet.generation, packet.body.sec, packet.body.nsec) == (3, 12, 500_000_000)
    (seen,) = packet.body.present
    assert (seen.object_id, seen.pos_y_m, seen.heading_deg) == (7, 2.0, 90.0)
    assert (seen.velocity_x_kph, seen.link_id) == (36.0, "A2229W010086")
    assert morai.encode(packet.body, 3) == datagram


@pytest.mark.parametrize("count", [0, 1, 5, 19])
def test_stamped_object_info_may_have_fewer_records(count: int) -> None:
    record = struct.pack("<hh16f38s", 7, 1, *[0.0] * 16, b"")
    packet = morai.decode(stamped(b"#MoraiObjInfo$", record * count))
    assert isinstance(packet, morai.Packet), packet
    assert len(packet.body.objects) == count
    assert packet.body.sec == 12


def test_object_info_of_2023_has_the_stamp_and_the_short_records() -> None:
    record = struct.pack("<hh16f", 7, 1, 1.0, 2.0, *[0.0] * 14)
    packet = morai.decode(stamped(b"#MoraiObjInfo$", record + bytes(19 * 68)))
    assert isinstance(packet, morai.Packet)
    assert (packet.generation, packet.body.sec) == (2, 12)
    assert packet.body.present[0].pos_y_m == 2.0


def test_collision_data_of_24_r2_is_read_at_its_offsets() -> None:
    record = struct.pack("<hh6f", 2, 100, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    datagram = stamped(b"#CollisionData$", record + bytes(4 * 28))
    assert len(datagram) == 181
    packet = morai.decode(datagram)
    assert isinstance(packet, morai.Packet)
    assert (packet.body.sec, packet.body.collisions[0].object_id) == (12, 100)
    assert packet.body.collisions[0].global_offset_z_m == 6.0
    assert morai.encode(packet.body, 2) == datagram


IMU = struct.pack("<10d", 1.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.3, 1.0, 2.0, 9.81)


@pytest.mark.parametrize(("declared", "stamp"), [(80, b""), (88, bytes(8)), (80, bytes(8))])
def test_the_imu_is_read_with_and_without_its_stamp(declared: int, stamp: bytes) -> None:
    """Three forms are known; in the third the data length does not count the stamp."""
    head = b"#IMUData$" + struct.pack("<iiii", declared, 0, 0, 0)
    packet = morai.decode(head + stamp + IMU + b"\r\n")
    assert isinstance(packet, morai.Packet), packet
    assert packet.generation == (2 if stamp else 1)
    assert packet.body.orientation_w == 1.0
    assert packet.body.angular_velocity_z_radps == 0.3
    assert packet.body.accel_z_mps2 == 9.81


def test_values_out_of_range_are_named() -> None:
    command = morai.EgoCtrlCmd(morai.CtrlMode.AUTO, morai.Gear.DRIVE, morai.CmdType.PEDALS)
    assert morai.faults_of(command) == ()
    bad = dataclasses.replace(command, gear=9, steering=5.0, accel=-0.5)
    assert morai.faults_of(bad) == (
        "gear=9: must be one of 0 (MANUAL), 1 (PARKING), 2 (REVERSE), 3 (NEUTRAL), 4 (DRIVE), "
        "5 (LOW)",
        "accel=-0.5: must be in 0..1",
        "steering=5: must be in -1..1",
    )
    assert morai.faults_of(dataclasses.replace(command, brake=math.nextafter(1.0, 2.0))) != ()


@pytest.mark.parametrize(
    ("data", "total"), [(1420, 1452), (1420, 1472), (1440, 1472), (1360, 1472)]
)
def test_object_info_in_the_sizes_of_its_page_is_20_whole_records(data: int, total: int) -> None:
    """The page of 2021 states a data length of 1420 and 1472 bytes; 20 records have 1360."""
    whole = morai.encode(example(MESSAGE["ObjectInfo"], 1), 1)
    padded = whole[:14] + struct.pack("<i", data) + whole[18:-2]
    datagram = padded.ljust(total - 2, b"\x5a") + b"\r\n"
    packet = morai.decode(datagram)
    assert isinstance(packet, morai.Packet), packet
    assert (packet.generation, packet.body) == (1, morai.decode(whole).body)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("data", "total"), [(1420, 1451), (1421, 1453), (1300, 1472), (1500, 1472)]
)
def test_no_other_rest_of_object_info_is_taken(data: int, total: int) -> None:
    head = b"#MoraiObjInfo$" + struct.pack("<iiii", data, 0, 0, 0)
    assert isinstance(morai.decode(head.ljust(total - 2, b"\0") + b"\r\n"), morai.Reject)


def test_the_imu_of_26_r1_has_no_stamp_as_its_public_reader_expects() -> None:
    release = morai.RELEASES["26.R1"]
    generation = release.generation(morai.ImuData)
    assert len(morai.encode(example(MESSAGE["ImuData"], generation), generation)) == 107
    assert "IMU" in release.inferred
