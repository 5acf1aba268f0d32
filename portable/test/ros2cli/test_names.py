from __future__ import annotations

import pytest
from ros2cli.names import absolute, full_node_name, is_hidden, split_node_name, with_types


@pytest.mark.parametrize(("name", "hidden"), [("/a/b", False), ("/_a/b", True), ("/a/_b", True)])
def test_hidden_names(name: str, hidden: bool) -> None:
    assert is_hidden(name) is hidden


@pytest.mark.parametrize(
    ("full", "parts"), [("/a", ("a", "/")), ("/n/a", ("a", "/n")), ("/n/m/a", ("a", "/n/m"))]
)
def test_node_names_join_and_split(full: str, parts: tuple[str, str]) -> None:
    assert full_node_name(*parts) == full
    assert split_node_name(full) == parts
    assert split_node_name(full.lstrip("/")) == parts


def test_spelling() -> None:
    assert absolute("a/b") == absolute("/a/b") == "/a/b"
    assert with_types("/a", ["x/msg/A", "x/msg/B"]) == "/a [x/msg/A, x/msg/B]"
