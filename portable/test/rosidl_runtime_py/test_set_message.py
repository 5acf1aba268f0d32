from __future__ import annotations

from typing import Any

import pytest
import yaml
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry, Path
from rcl_interfaces.msg import ParameterDescriptor
from rosidl_runtime_py import message_to_ordereddict, set_message_fields
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Byte, Float64, Header, Int32, String, UInt8, UInt8MultiArray


def filled(msg: Any, text: str) -> Any:
    assert set_message_fields(msg, yaml.safe_load(text)) == []
    return msg


def test_values_of_every_depth() -> None:
    msg = filled(Odometry(), "{child_frame_id: base, pose: {pose: {position: {x: 1, y: 2.5}}}}")
    assert (msg.child_frame_id, msg.pose.pose.position.x, msg.pose.pose.position.y) == (
        "base",
        1.0,
        2.5,
    )
    assert msg.pose.pose.orientation.w == 1.0


def test_lists_of_scalars_and_of_messages() -> None:
    joints = filled(JointState(), "{name: [a, b], position: [1, .nan]}")
    assert joints.name == ["a", "b"]
    assert joints.position[0] == 1.0
    path = filled(Path(), "{poses: [{pose: {position: {z: 3}}}, {}]}")
    assert [pose.pose.position.z for pose in path.poses] == [3.0, 0.0]


@pytest.mark.parametrize(
    ("msg", "text", "value"),
    [
        (Float64(), "1e-3", 0.001),  # a string to YAML 1.1
        (Int32(), "0x10", 16),
        (Int32(), "'-7'", -7),
        (Int32(), "3.0", 3),
        (Bool(), "yes", True),
        (Bool(), "0", False),
        (String(), "5", "5"),
        (Byte(), "5", b"\x05"),
        (Byte(), "a", b"a"),
    ],
)
def test_scalars_are_converted(msg: Any, text: str, value: Any) -> None:
    assert filled(msg, f"{{data: {text}}}").data == value


@pytest.mark.parametrize(
    ("msg", "text", "message"),
    [
        (UInt8(), "{data: 256}", "data: uint8 must be within 0 to 255, got 256"),
        (UInt8(), "{data: -1}", "data: uint8 must be within 0 to 255, got -1"),
        (Int32(), "{data: 1.5}", "data: expects an integer, got 1.5"),
        (Int32(), "{data: }", "data: expects an integer, got None"),
        (Int32(), "{data: .inf}", "data: expects an integer, got inf"),
        (Float64(), "{data: fast}", "data: expects a number, got 'fast'"),
        (Bool(), "{data: maybe}", "data: expects true or false, got 'maybe'"),
        (Byte(), "{data: 256}", "data: expects a number within 0 to 255, got 256"),
        (String(), "{data: [a]}", "data: expects a text, got ['a']"),
        (String(), "{data: }", "data: expects a text, got None"),
        (String(), "{text: a}", "'String' object has no attribute 'text' (it has: data)"),
        (Odometry(), "{pose: 3}", "pose: expects a mapping, got 3"),
        (Odometry(), "{pose: {covariance: [1]}}", "pose.covariance: expects 36 values, got 1"),
        (JointState(), "{position: 1}", "position: expects a list, got 1"),
        (JointState(), "{position: [1, a]}", "position[1]: expects a number, got 'a'"),
        (UInt8MultiArray(), "{data: [1, 999]}", "data[1]: uint8 must be within 0 to 255, got 999"),
        (
            ParameterDescriptor(),
            "{integer_range: [{}, {}]}",
            "integer_range: expects at most 1 values, got 2",
        ),
        (Header(), "{stamp: {sec: x}}", "stamp.sec: expects an integer, got 'x'"),
    ],
)
def test_what_does_not_fit_is_named(msg: Any, text: str, message: str) -> None:
    with pytest.raises((AttributeError, TypeError, ValueError)) as raised:
        set_message_fields(msg, yaml.safe_load(text))
    assert str(raised.value) == message


@pytest.mark.parametrize("text", ["{header: auto}", "{header: {stamp: now, frame_id: map}}"])
def test_automatic_stamps_are_set_before_each_sending(text: str) -> None:
    msg = PoseStamped()
    setters = set_message_fields(
        msg, yaml.safe_load(text), expand_header_auto=True, expand_time_now=True
    )
    for seconds in (7, 8):
        for set_stamp in setters:
            set_stamp(Time(sec=seconds))
        assert msg.header.stamp.sec == seconds
    assert len(setters) == 1


def test_automatic_stamps_need_to_be_asked_for() -> None:
    with pytest.raises(TypeError, match=r"^header: expects a mapping, got 'auto'$"):
        set_message_fields(PoseStamped(), {"header": "auto"})


def test_messages_themselves_are_values() -> None:
    msg = PoseStamped()
    set_message_fields(msg, {"header": Header(frame_id="map")})
    assert message_to_ordereddict(msg)["header"]["frame_id"] == "map"
