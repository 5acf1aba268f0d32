from __future__ import annotations

import pytest
from ros2cli.interface import Comments, definition_lines, nested_type, without_comment


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("int32 a  # the count", "int32 a"),
        ("# all of it", ""),
        ('string s "a # b"  # text', 'string s "a # b"'),
        ("string s 'it # is'", "string s 'it # is'"),
        ("  ", ""),
    ],
)
def test_code_of_a_line(line: str, code: str) -> None:
    assert without_comment(line) == code


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("float64[36] covariance", None),
        ("string<=10 name", None),
        ("uint8 A = 1", None),
        ("---", None),
        ("", None),
        ("Pose pose", "here/msg/Pose"),
        ("std_msgs/Header header", "std_msgs/msg/Header"),
        ("geometry_msgs/Point32[<=3] points", "geometry_msgs/msg/Point32"),
    ],
)
def test_nested_messages_are_recognised(code: str, name: str | None) -> None:
    assert nested_type(code, "here") == name


def test_nested_definitions_are_indented() -> None:
    lines = list(definition_lines("geometry_msgs/msg/PoseStamped", Comments.NONE))
    assert lines[:5] == [
        "std_msgs/Header header",
        "\tbuiltin_interfaces/Time stamp",
        "\t\tint32 sec",
        "\t\tuint32 nanosec",
        "\tstring frame_id",
    ]


def test_comments_by_depth() -> None:
    name = "geometry_msgs/msg/PoseStamped"
    own = [line for line in definition_lines(name, Comments.TOP) if "#" in line]
    all_of_them = [line for line in definition_lines(name, Comments.ALL) if "#" in line]
    assert own
    assert not any(line.startswith("\t") for line in own)
    assert any(line.startswith("\t\t#") for line in all_of_them)


def test_unknown_interfaces() -> None:
    with pytest.raises(LookupError, match="Could not find the interface"):
        list(definition_lines("std_msgs/msg/Nothing", Comments.ALL))
    with pytest.raises(ValueError, match="Expected three parts"):
        list(definition_lines("std_msgs/Header", Comments.ALL))
