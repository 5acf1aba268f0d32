"""Command lines that are printed work where they are read."""

from __future__ import annotations

import pytest
from vdsim_protocol.why.typed import typed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "engage: ros2 service call /v/change_mode",
            "engage: ./ws ros2 service call /v/change_mode",
        ),
        (
            "`ros2 launch a b`, or ./ws ros2 topic list",
            "`./ws ros2 launch a b`, or ./ws ros2 topic list",
        ),
        ("ros2 param get a\nros2 topic hz b", "./ws ros2 param get a\n./ws ros2 topic hz b"),
        ("the package vdsim_ros2 is there, ros2: no", "the package vdsim_ros2 is there, ros2: no"),
    ],
)
def test_each_ros2_command_begins_with_ws(text: str, expected: str) -> None:
    assert typed(text, "./ws") == expected
    assert typed(text, "") == text
