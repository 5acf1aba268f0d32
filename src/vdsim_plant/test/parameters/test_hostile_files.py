"""Any file gives a value or one line that names it, in bounded time and memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vdsim_plant.ground import load_ground
from vdsim_plant.layer_files import load_actuator, load_sensor
from vdsim_plant.parameters import ParameterError, load_tyre, load_vehicle
from vdsim_plant.parameters.errors import shown, wrong_value
from vdsim_plant.parameters.files import DATA_FOLDER
from vdsim_plant.parameters.input_file import read_text
from vdsim_plant.parameters.yaml_text import LARGEST_YAML_BYTES, parse_yaml

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE = {
    "braces of a template": "mass_kg: {{ speed }}\n",
    "a list as a key": "? [a, b]\n: 1\n",
    "a group as a key": "? {a: 1}\n: 1\n",
    "a date that does not exist": "day: 2020-13-45\n",
    "a tag that does not fit": "x: !!int word\n",
    "a truth value that is none": "x: !!bool word\n",
    "a tag of Python": "x: !!python/object/apply:os.system [ls]\n",
    "binary that is none": "x: !!binary '***'\n",
    "five thousand digits": f"x: {'9' * 5000}\n",
    "a number beyond every float": f"body: {{mass_kg: {'9' * 400}}}\n",
    "deep lists": "[" * 5000,
    "deep groups": "".join(f"{' ' * n}k:\n" for n in range(1200)),
    "aliases of aliases": BOMB,
    "a merge of merges": BOMB.replace("[x, x, x, x, x, x, x, x, x]", "{x: 1}") + "m: {<<: *i}\n",
    "an alias to itself": "a: &a [*a]\n",
    "a merge of a word": "<<: word\n",
    "a long key": f"{'k' * 1000}: 1\n",
    "a long word": f"body: {'k' * 200_000}\n",
    "tabs": "a:\n\t- b\n",
    "no text": "\x00\x01\x02",
    "two documents": "a: 1\n---\nb: 2\n",
}
READERS = {
    "vehicle": load_vehicle,
    "tyre": load_tyre,
    "ground": load_ground,
    "actuator": load_actuator,
    "sensor": load_sensor,
}


def fault(read: Any, path: Path) -> str:
    """The one line that a reader gives for a file; empty when it takes it."""
    try:
        read(str(path))
    except ParameterError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", READERS)
def test_a_hostile_file_is_one_line_that_names_it(tmp_path: Path, kind: str, name: str) -> None:
    path = tmp_path / "hostile.yaml"
    path.write_text(HOSTILE[name], encoding="utf-8")
    line = fault(READERS[kind], path)
    assert line.startswith("hostile.yaml: ")
    assert "\n" not in line
    assert len(line) < 1000


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("a list as a key", "line 1: a key must be plain text"),
        ("a date that does not exist", "line 1: cannot be read as timestamp"),
        ("a tag that does not fit", "line 1: cannot be read as int"),
        ("aliases of aliases", "the document: has more than 200000 values"),
        ("an alias to itself", "line 1: an alias stands for itself"),
        ("deep lists", "the document: is nested too deeply"),
    ],
)
def test_the_line_names_the_place(name: str, place: str) -> None:
    with pytest.raises(ParameterError) as error:
        parse_yaml(HOSTILE[name], source="file.yaml")
    assert str(error.value) == f"file.yaml: {place}"


def assert_read_or_refused(text: str) -> None:
    line = ""
    try:
        parse_yaml(text, source="file.yaml")
    except ParameterError as error:
        line = str(error)
    assert line == "" or line.startswith("file.yaml: ")
    assert "\n" not in line


TEXTS = [path.read_text(encoding="utf-8") for path in sorted(DATA_FOLDER.glob("*/*.yaml"))]
PIECES = st.sampled_from(
    [*"{}[]&*!|>%@`\"':,?-#\t\n ", "<<: ", "!!int ", "!!bool ", "2020-13-45", "1e999", ".nan", "~"]
)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_changed_file_is_read_or_refused(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        text = text[:start] + data.draw(PIECES | st.text(max_size=5)) + text[end:]
    assert_read_or_refused(text)


@given(st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    assert_read_or_refused(text)


def test_what_never_ends_is_no_file(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo.yaml"
    os.mkfifo(fifo)
    for path in (fifo, Path("/dev/zero")):
        with pytest.raises(ParameterError, match="cannot be read: is no regular file"):
            read_text(path)


def test_a_file_that_is_too_large_is_named(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_text("a: 1\n" * (LARGEST_YAML_BYTES // 5 + 1), encoding="utf-8")
    assert fault(load_vehicle, path) == "large.yaml: file: has more than 1 MiB"


def test_a_value_is_shown_short_whatever_it_holds() -> None:
    ring: list[Any] = []
    ring.append(ring)
    bomb: list[Any] = ["x"] * 9
    for _ in range(12):
        bomb = [bomb] * 9
    for value in (ring, bomb, {"a": bomb}, 10**6000, "x" * 10**6, "two\nlines", b"x" * 10**6):
        assert len(shown(value)) <= 60
        assert "\n" not in str(wrong_value("key", value, "short"))


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("ending", ["", ".yaml", "/x.yaml"])
def test_a_name_that_no_file_can_have_is_one_line(kind: str, ending: str) -> None:
    with pytest.raises(ParameterError) as error:
        READERS[kind]("x" * 5000 + ending)
    assert "\n" not in str(error.value)
