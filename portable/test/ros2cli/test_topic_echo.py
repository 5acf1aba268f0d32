from __future__ import annotations

import pytest
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from ros2cli.arguments import CliError
from ros2cli.topic_echo import Style, render
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

INFO = {
    "source_timestamp": 4,
    "received_timestamp": 5,
    "publication_sequence_number": 6,
    "reception_sequence_number": None,
}


@pytest.fixture
def joints() -> JointState:
    return JointState(header=Header(frame_id="base"), name=["a", "b"], position=[1.0, 2.5])


def test_whole_message_is_a_document(joints: JointState) -> None:
    assert render(Header(frame_id="map"), Style()) == (
        "stamp:\n  sec: 0\n  nanosec: 0\nframe_id: map\n---\n"
    )
    assert "name: [a, b]\nposition: [1.0, 2.5]\n" in render(joints, Style(flow_style=True))


@pytest.mark.parametrize(
    ("field", "style", "text"),
    [
        ("header.frame_id", {}, "base\n---\n"),
        ("header.frame_id", {"csv": True}, "base\n"),
        ("header.stamp", {}, "sec: 0\nnanosec: 0\n---\n"),
        ("header.stamp", {"csv": True}, "0,0\n"),
        ("position", {}, "- 1.0\n- 2.5\n---\n"),
        ("position", {"flow_style": True}, "[1.0, 2.5]\n---\n"),
        ("position", {"csv": True}, "1.0,2.5\n"),
        ("position", {"truncate_length": 1}, "- 1.0\n- '...'\n---\n"),
        ("position", {"no_arr": True}, "<sequence type: double, length: 2>\n---\n"),
        ("velocity", {}, "[]\n---\n"),
    ],
)
def test_one_field(joints: JointState, field: str, style: dict[str, bool], text: str) -> None:
    assert render(joints, Style(field=tuple(field.split(".")), **style)) == text


def test_list_of_messages() -> None:
    path = Path(poses=[PoseStamped()])
    text = render(path, Style(field=("poses",), flow_style=True))
    assert text.startswith("[{header: {stamp: {sec: 0, nanosec: 0}, frame_id: ''}, pose: ")


@pytest.mark.parametrize("field", ["speed", "header.speed", "header.frame_id.x"])
def test_unknown_field(joints: JointState, field: str) -> None:
    with pytest.raises(CliError, match=f"^Invalid field '{field}': '.*' object has no attribute"):
        render(joints, Style(field=tuple(field.split("."))))


def test_message_info_comes_first() -> None:
    head, body = render(Header(), Style(), INFO).split("---\n", 1)
    assert "publication_sequence_number: 6\n" in head
    assert body.startswith("stamp:")
    assert render(Header(), Style(csv=True), INFO) == "4,5,6,None,0,0,\n"
