"""A file of YAML with the line of everything in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_can.car.yaml_lines import read_yaml_lines
from vdsim_protocol.checked_file import FileError


def lines_of(tmp_path: Path, text: str) -> tuple[object, dict[tuple[object, ...], int]]:
    file = tmp_path / "a.yaml"
    file.write_text(text, encoding="utf-8")
    return read_yaml_lines(file)


def test_each_key_and_item_has_its_line(tmp_path: Path) -> None:
    value, lines = lines_of(tmp_path, "a: 1\nb:\n  on: {x: [1,\n    2]}\nc:\n- d\n- e: 3\n")
    assert value == {"a": 1, "b": {True: {"x": [1, 2]}}, "c": ["d", {"e": 3}]}
    assert lines == {
        ("a",): 1, ("b",): 2, ("b", True): 3, ("b", True, "x"): 3, ("b", True, "x", 0): 3,
        ("b", True, "x", 1): 4, ("c",): 5, ("c", 0): 6, ("c", 1): 7, ("c", 1, "e"): 7,
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["", "7", "- &a [1]\n- *a\n", "a: &a {x: 1}\nb:\n  <<: *a\n  y: 2\n", "a: 2020-01-01\n"],
)
def test_whatever_can_be_read_has_lines(tmp_path: Path, text: str) -> None:
    _, lines = lines_of(tmp_path, text)
    assert all(isinstance(line, int) for line in lines.values())


@pytest.mark.parametrize("text", ["a: [", "a: 1\na: 2\n", "&a [*a]", "? [1]\n: 2\n"])
def test_what_the_checked_reader_refuses_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileError):
        lines_of(tmp_path, text)
