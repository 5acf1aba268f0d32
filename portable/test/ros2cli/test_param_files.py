"""Parameter trees: from a node to a file and from a file to a node."""

from __future__ import annotations

from typing import Any

import pytest
from rclpy.parameter import Parameter
from ros2cli.param_files import nested_values, node_values

FILE = {
    "/**": {"ros__parameters": {"rate": 1.0, "limits": {"low": 0, "high": 5}}},
    "/ns/car": {"ros__parameters": {"rate": 2.0}},
    "other": {"ros__parameters": {"rate": 3.0}},
}


def test_dump_nests_by_dots() -> None:
    parameters = [
        Parameter("a.b.c", value=1),
        Parameter("a.d", value=[1.0, 2.0]),
        Parameter("e", value="x"),
        Parameter("none"),
    ]
    assert nested_values(parameters) == {"a": {"b": {"c": 1}, "d": [1.0, 2.0]}, "e": "x"}


def test_own_values_win_over_the_wildcards() -> None:
    assert node_values(FILE, "/ns/car", use_wildcard=True) == {
        "rate": 2.0,
        "limits.low": 0,
        "limits.high": 5,
    }
    assert node_values(FILE, "/ns/car", use_wildcard=False) == {"rate": 2.0}
    assert node_values(FILE, "/other", use_wildcard=False) == {"rate": 3.0}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (None, "expected a mapping of node names"),
        ({"/b": {"ros__parameters": {}}}, "no parameters for node '/a'"),
        ({"/a": {"rate": 1}}, "'/a' has no mapping 'ros__parameters'"),
        ({"/a": {"ros__parameters": [1]}}, "'/a' has no mapping 'ros__parameters'"),
    ],
)
def test_files_without_values_for_the_node(document: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        node_values(document, "/a", use_wildcard=True)
