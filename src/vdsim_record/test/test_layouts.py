"""A recording of the car as MCAP; and the layouts: what they name is in a recording."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader
from vdsim_interface.ros import topics
from vdsim_interface.sensors.message_form import message_type
from vdsim_plant_node.cli import replay
from vdsim_plant_node.runs.recording import (
    CRC,
    FILE_HEADER,
    FORMAT_VERSION,
    MAGIC,
    RECORD_HEADER,
    RecordKind,
)
from vdsim_protocol_kit.vds1 import COMMAND, STATE

from vdsim_protocol import vds1

LAYOUTS = Path(__file__).resolve().parents[1] / "layouts"
OF_A_RUNNING_INTERFACE = {
    f"/vehicle/{topics.SAFETY_STATUS}": "vdsim_msgs/msg/SafetyStatus",
    "/rosout": "rcl_interfaces/msg/Log",
}
"""Beside those that the packets of the car give."""
STATES_N = 20


def record(kind: RecordKind, tick: int, payload: bytes, vehicle_id: int = 0) -> bytes:
    header = RECORD_HEADER.pack(kind, 0, vehicle_id, len(payload), tick, 0.01 * tick)
    return header + payload + CRC.pack(zlib.crc32(payload, zlib.crc32(header)))


def recording(path: Path, vehicles: tuple[int, ...] = (0,)) -> Path:
    metadata = json.dumps({"vehicles": [{} for _ in vehicles]}).encode()
    data = FILE_HEADER.pack(MAGIC, FORMAT_VERSION, len(metadata)) + metadata
    for tick in range(STATES_N):
        for vehicle_id in vehicles:
            stamp = {"seq": tick + 1, "timestamp_s": 0.01 * tick, "vehicle_id": vehicle_id}
            command = vds1.encode_command(COMMAND, **stamp, version=5)
            state = vds1.encode_state(STATE, **stamp, version=5)
            data += record(RecordKind.CMD, tick, command, vehicle_id)
            data += record(RecordKind.STATE, tick, state, vehicle_id)
    path.write_bytes(data)
    return path


@pytest.fixture
def converted(tmp_path: Path) -> Path:
    run, out = recording(tmp_path / "run.vds"), tmp_path / "run.mcap"
    assert replay.main([str(run), "--mcap", str(out)]) == 0
    return out


def decoded(path: Path, topic: str) -> list[Any]:
    with path.open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        return [each.decoded_message for each in reader.iter_decoded_messages(topics=[topic])]


def kinds_of(path: Path) -> dict[str, str]:
    with AnyReader([path]) as bag:
        assert len(list(bag.messages())) > STATES_N
        return {each.topic: each.msgtype for each in bag.connections}


def test_a_recording_of_the_car_has_its_values_in_the_schemas_of_ros(converted: Path) -> None:
    odometry = decoded(converted, "/vehicle/odometry")
    assert len(odometry) == STATES_N
    assert odometry[3].velocity_mps == pytest.approx(STATE.vx_mps)
    assert odometry[3].stamp.nanosec == 30_000_000
    wire = decoded(converted, "/vehicle/command_trace")[5].wire
    assert (wire.throttle, wire.brake) == (COMMAND.throttle, COMMAND.brake)
    assert wire.front_wheel_angle_rad == COMMAND.steering_tire_angle_rad
    [odom, *_] = decoded(converted, "/vehicle/odom")
    assert odom.pose.pose.position.x == STATE.x_world_m
    assert kinds_of(converted)["/tf"] == "tf2_msgs/msg/TFMessage"
    [packet, *_] = decoded(converted, "/vehicle/vds_state")
    assert packet.vx_mps == STATE.vx_mps


def test_several_vehicles_have_namespaces_and_frames_of_their_own(tmp_path: Path) -> None:
    run, out = recording(tmp_path / "run.vds", (0, 7)), tmp_path / "run.mcap"
    assert replay.main([str(run), f"--mcap={out}"]) == 0
    assert {"/vehicle_0/odom", "/vehicle_7/odom"} <= kinds_of(out).keys()
    assert decoded(out, "/vehicle_7/odom")[0].child_frame_id == "vehicle_7/base_link"


def test_what_is_wrong_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, out = recording(tmp_path / "run.vds"), tmp_path / "run.mcap"
    out.touch()
    assert replay.main([str(run), "--mcap", str(out)]) == 2
    assert f"--mcap {out}: is there already" in capsys.readouterr().err
    assert replay.main([str(out), "--mcap", str(tmp_path / "other.mcap")]) == 2
    assert "is not a vdsim recording" in capsys.readouterr().err
    run.write_bytes(run.read_bytes()[:-10])
    assert replay.main([str(run), "--mcap", str(tmp_path / "cut.mcap")]) == 0
    assert "ends in the middle of a record" in capsys.readouterr().out


def of_foxglove() -> Iterator[str]:
    """Every topic, or topic.field, that the layout names."""
    panels = json.loads((LAYOUTS / "foxglove.json").read_text())["configById"]
    for panel in panels.values():
        yield from (path["value"] for path in panel.get("paths", ()))
        yield from panel.get("topics", ())
        yield from (panel[name] for name in ("topicPath", "topicToRender") if name in panel)


def of_plotjuggler() -> Iterator[str]:
    """The same; a curve is topic/field/field."""
    for curve in ElementTree.parse(LAYOUTS / "plotjuggler.xml").iter("curve"):
        space, topic, *fields = curve.attrib["name"].strip("/").split("/")
        yield ".".join((f"/{space}/{topic}", *fields))


def has_field(kind: Any, fields: list[str]) -> bool:
    for name in fields:
        known = kind.get_fields_and_field_types()
        if name not in known:
            return False
        kind = message_type(known[name].replace("/", "/msg/")) if "/" in known[name] else None
    return True


@pytest.mark.parametrize("named", [of_foxglove, of_plotjuggler])
def test_all_that_a_layout_names_is_in_a_recording(named: Any, converted: Path) -> None:
    kinds = {**kinds_of(converted), **OF_A_RUNNING_INTERFACE}
    names = list(named())
    assert len(names) > 10
    for name in names:
        topic, *fields = name.split(".")
        assert topic in kinds, name
        assert has_field(message_type(kinds[topic]), fields), name
    assert not has_field(message_type(kinds["/vehicle/command_trace"]), ["wire", "thrust"])


def test_each_panel_of_the_layout_is_shown() -> None:
    layout = json.loads((LAYOUTS / "foxglove.json").read_text())

    def shown(part: Any) -> Iterator[str]:
        if isinstance(part, str):
            yield part
        else:
            yield from (*shown(part["first"]), *shown(part["second"]))

    assert sorted(shown(layout["layout"])) == sorted(layout["configById"])
