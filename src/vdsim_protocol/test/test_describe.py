"""Descriptions of a datagram by vdsim_dump: its values, or the reason why it is discarded."""

import json
import math

import pytest
from vdsim_protocol.capture import Datagram, Describer, to_json_object, to_line
from vdsim_protocol.capture.describe import MAX_STREAMS
from vdsim_protocol_kit.vds1 import COMMAND, STATE, encode, patched

from vdsim_protocol import morai


def datagram(payload: bytes, time_s: float = 0.0, source: str = "") -> Datagram:
    return Datagram(time_s, payload, source, "127.0.0.1:7001" if source else "")


def test_a_command_as_a_line() -> None:
    description = Describer().describe(datagram(encode(COMMAND, 3, 1.25), 0.5, "127.0.0.1:5000"))
    assert to_line(description) == (
        "0.500000 127.0.0.1:5000 > 127.0.0.1:7001 VDS1 CMD version=3 seq=3 vehicle_id=0 "
        "timestamp_s=1.25 steering_tire_angle_rad=0.1 throttle=0.25 brake=0 gear=1 "
        "handbrake=False aux_accel_target_mps2=nan aux_speed_target_mps=nan"
    )
    assert to_line(description, ("brake",)).endswith("timestamp_s=1.25 brake=0")


def test_a_state_as_json() -> None:
    # [VS-0.10.2]
    description = Describer().describe(datagram(encode(STATE, 3, 1.25, 4, 0), 0.5, "127.0.0.1:5"))
    found = to_json_object(description)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert (found["protocol"], found["message"], found["time_s"]) == ("VDS1", "STATE", 0.5)
    assert (found["source"], found["destination"]) == ("127.0.0.1:5", "127.0.0.1:7001")
    assert found["header"] == {"version": 4, "seq": 3, "vehicle_id": 0, "timestamp_s": 1.25}
    assert found["fields"]["wheel_spin_radps"] == [30.0, 30.5, 31.0, 31.5]
    assert "throttle_applied" not in found["fields"]
    assert to_json_object(description, ("yaw_rad", "vx_mps"))["fields"] == {
        "yaw_rad": 0.5,
        "vx_mps": 10.0,
    }
    assert "reject" not in found
    assert "clamped" not in found


def test_nan_becomes_null() -> None:
    found = to_json_object(Describer().describe(datagram(encode(COMMAND))))
    assert found["fields"]["aux_accel_target_mps2"] is None
    assert "source" not in found


def test_a_damaged_packet_shows_its_reason_and_bytes() -> None:
    broken = encode(COMMAND)[:-4] + bytes(4)
    description = Describer().describe(datagram(broken))
    reason = "crc: the CRC-32 does not match the bytes (ends with 00000000)"
    assert to_line(description) == f"0.000000 VDS1 ? REJECT {reason}"
    found = to_json_object(description)
    assert (found["reject"], found["hex"]) == (reason, broken.hex())
    assert "header" not in found
    assert "fields" not in found


def test_copies_and_late_packets_show() -> None:
    describer = Describer()
    lines = [
        to_line(describer.describe(datagram(encode(COMMAND, seq, seq / 100), index / 100)), ("x",))
        for index, seq in enumerate((0, 2, 2, 1))
    ]
    assert "REJECT" not in lines[0] + lines[1]
    assert (
        "REJECT duplicate: this sequence number was already received (seq 2 after 2)" in (lines[2])
    )
    assert "REJECT reordered: late: a newer packet arrived first (seq 1 after 2)" in lines[3]


def test_clamped_values_show() -> None:
    loud = patched(encode(COMMAND), 32, b"\0\0\0\0\0\0\x10\x40")  # throttle 4.0
    description = Describer().describe(datagram(loud))
    assert " CLAMPED throttle version=3" in to_line(description)
    assert to_json_object(description)["clamped"] == ["throttle"]
    assert description.fields["throttle"] == 4.0  # what was on the wire


def test_streams_are_kept_apart() -> None:
    describer = Describer()
    for source in ("127.0.0.1:1", "127.0.0.1:2"):
        for vehicle in (0, 7):
            for body in (COMMAND, STATE):
                payload = encode(body, 5, 0.0, 4, vehicle)
                assert not describer.describe(datagram(payload, 0.0, source)).reject
    links = describer.links()
    assert len(links) == 8
    assert "CMD vehicle 7 127.0.0.1:2 > 127.0.0.1:7001" in links
    assert all(link.accepted == 1 for link in links.values())


def test_the_number_of_streams_is_bounded() -> None:
    describer = Describer()
    for vehicle in range(MAX_STREAMS + 10):
        describer.describe(datagram(encode(COMMAND, 0, 0.0, 4, vehicle)))
    links = describer.links()
    assert len(links) == MAX_STREAMS
    assert "CMD vehicle 9" not in links
    assert "CMD vehicle 10" in links


def test_link_statistics_follow_the_times_of_the_capture() -> None:
    describer = Describer()
    for step in range(101):
        describer.describe(datagram(encode(COMMAND, step, step / 100), step / 100))
    (link,) = describer.links().values()
    assert link.rate_hz == pytest.approx(100.0)
    assert link.age_s == 0.0


def test_morai() -> None:
    describer = Describer()
    lamps = morai.encode(morai.LampControl(morai.TurnSignal.LEFT, 0))
    description = describer.describe(datagram(lamps))
    line = "0.000000 MORAI Turn Signal Lamp Control generation=1 turn=LEFT emergency=OFF"
    assert to_line(description) == line
    assert to_json_object(description)["fields"] == {"turn": 1, "emergency": 0}
    light = morai.encode(morai.SetTrafficLight("C1", 0))
    assert to_line(describer.describe(datagram(light))).endswith("index=C1 lamps=0")
    cut = describer.describe(datagram(lamps[:-2]))
    assert (cut.message, cut.reject) == (
        "#LampControl$",
        "size: the datagram's size does not follow from its data length (31 bytes, must be 33)",
    )
    unknown = describer.describe(datagram(b"#What$"))
    assert unknown.message == "?"
    assert unknown.reject.startswith("identifier: ")


def test_morai_records() -> None:
    hit = morai.CollisionRecord(morai.ObjectType.VEHICLE, 4, 1.5)
    description = Describer().describe(datagram(morai.encode(morai.CollisionData((hit,)))))
    line = to_line(description)
    assert "collisions=[{object_type=VEHICLE object_id=4 pos_x_m=1.5 pos_y_m=0" in line
    records = to_json_object(description)["fields"]["collisions"]
    assert len(records) == 5
    assert (records[0]["object_type"], records[0]["pos_x_m"]) == (1, 1.5)
    assert not math.isnan(records[4]["pos_x_m"])
