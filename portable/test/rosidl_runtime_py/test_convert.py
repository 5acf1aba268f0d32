from __future__ import annotations

from typing import Any

import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor
from rosidl_runtime_py import message_to_csv, message_to_ordereddict, message_to_yaml
from sensor_msgs.msg import JointState
from std_msgs.msg import Byte, ByteMultiArray, Empty, Float64, Header, String


def test_nested_message_round_trips_through_yaml() -> None:
    msg = Odometry(child_frame_id="base")
    msg.pose.covariance[0] = 0.5
    msg.twist.twist.linear.x = float("inf")
    values = yaml.safe_load(message_to_yaml(msg))
    assert values == message_to_ordereddict(msg)
    assert values["pose"]["covariance"] == [0.5] + [0.0] * 35
    assert values["twist"]["twist"]["linear"]["x"] == float("inf")


@pytest.mark.parametrize(
    ("msg", "text"),
    [
        (String(data="true"), "data: 'true'\n"),
        (String(data="Fahrt über Öl"), "data: Fahrt über Öl\n"),
        (Float64(data=1e-7), "data: 1.0e-07\n"),
        (Float64(data=float("nan")), "data: .nan\n"),
        (Byte(data=b"\x07"), 'data: "\\a"\n'),
        (String(data="x" * 300), f"data: {'x' * 300}\n"),
    ],
)
def test_scalars(msg: Any, text: str) -> None:
    assert message_to_yaml(msg) == text


def test_flow_style_puts_lists_on_one_line() -> None:
    msg = DiagnosticArray(
        status=[DiagnosticStatus(name="a", values=[KeyValue(key="k", value="v,w")])]
    )
    assert message_to_yaml(msg, flow_style=True) == (
        "header:\n  stamp:\n    sec: 0\n    nanosec: 0\n  frame_id: ''\n"
        "status: [{level: \"\\0\", name: a, message: '', hardware_id: '', "
        "values: [{key: k, value: 'v,w'}]}]\n"
    )


def test_truncation_marks_what_is_missing() -> None:
    msg = JointState(name=["abc", "abcd", "x", "y"], position=[1.0, 2.0, 3.0])
    values = message_to_ordereddict(msg, truncate_length=3)
    assert values["name"] == ["abc", "abc...", "x", "..."]
    assert values["position"] == [1.0, 2.0, 3.0]
    assert message_to_csv(msg, truncate_length=2) == "0,0,,ab...,ab...,...,1.0,2.0,...,,"


def test_summaries_in_place_of_arrays_and_strings() -> None:
    assert message_to_ordereddict(Odometry(), no_arr=True)["pose"]["covariance"] == (
        "<array type: double[36]>"
    )
    bounded = ParameterDescriptor(floating_point_range=[FloatingPointRange()])
    assert message_to_ordereddict(bounded, no_arr=True)["floating_point_range"] == (
        "<sequence type: rcl_interfaces/msg/FloatingPointRange[1], length: 1>"
    )
    assert message_to_csv(Header(frame_id="map"), no_str=True) == "0,0,<string length: <3>>"
    assert message_to_csv(JointState(), no_arr=True).endswith("<sequence type: double, length: 0>")


def test_csv_of_octets_and_of_nothing() -> None:
    assert message_to_csv(ByteMultiArray(data=[b"\x01", b"a"])) == ",0,b'\\x01',b'a'"
    assert message_to_csv(Byte(data=b"a"), truncate_length=0) == "b'...'"
    assert message_to_csv(Empty()) == ""
    assert message_to_yaml(Empty()) == "{}\n"
