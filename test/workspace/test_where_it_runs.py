"""docs/where-it-runs.md and `./ws doctor` say the same of a cell, from one table."""

from __future__ import annotations

import json
import platform
import re
import subprocess
from pathlib import Path

import pytest
from workspace import distro
from workspace.matrix import (
    DATA,
    IMPOSSIBLE,
    NOT_TRIED,
    WITHOUT_ROS,
    Cell,
    doctor_line,
    matrix,
    parse,
)
from workspace.testing import pythons

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/where-it-runs.md"


def _words_of_the_page() -> dict[Cell, str]:
    """Every cell of the page's tables, read from the page itself."""
    machine_of = {title: key for key, title in matrix().machines.items()}
    words, machine, columns = {}, "", []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("### "):
            machine = machine_of[line[4:]]
        columns = re.findall(r"Python (3\.\d+)", line) if line.startswith("| |") else columns
        row = re.match(r"\| (?:(\w+), (installed|wheels)|no ROS 2[^|]*) \| (.*) \|$", line)
        if row and machine:
            name = row[1].lower() if row[1] else WITHOUT_ROS
            for python, word in zip(columns, row[3].split(" | "), strict=True):
                words[Cell(name, row[2] or "wheels", python, machine)] = word
    return words


def test_the_page_has_every_cell_of_the_table() -> None:
    words = _words_of_the_page()
    table = matrix()
    assert len(words) == len(table.pythons) * len(table.machines) * (2 * len(table.distros) + 1)
    assert words == {cell: table.word(cell) for cell in words}
    assert {entry.cell for entry in table.tried} <= words.keys()


def test_doctor_names_this_machines_cell_with_the_pages_word() -> None:
    done = subprocess.run([str(ROOT / "ws"), "doctor"], capture_output=True, text=True, check=False)
    line = re.search(r"^this cell +(.+)$", done.stdout, re.MULTILINE)
    assert line, done.stdout
    [cell] = [cell for cell in _words_of_the_page() if line[1].startswith(f"{cell.title}: ")]
    assert cell.machine == platform.machine()
    word = _words_of_the_page()[cell]
    # Somebody may have built a ROS 2 on a Python that its packages do not have.
    expected = NOT_TRIED if word == IMPOSSIBLE else word
    assert line[1].startswith(f"{cell.title}: {expected}")


def test_a_cell_that_nobody_tried_is_called_that() -> None:
    untried = Cell("humble", "installed", "3.10", "aarch64")
    assert doctor_line(untried) == (
        "humble installed, Python 3.10, ARM, 64 bits: not tried, see docs/where-it-runs.md"
    )
    unknown = Cell("rolling", "installed", "3.15", "riscv64")
    assert doctor_line(unknown).startswith("rolling installed, Python 3.15, riscv64: not tried")


def test_the_table_agrees_with_what_ws_can_choose() -> None:
    assert list(matrix().pythons) == [f"3.{minor}" for minor in pythons.MINORS]
    with_wheels = {name for name, (_, wheels) in matrix().distros.items() if wheels}
    assert with_wheels == set(distro.WHEEL_DISTROS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ros": "humble", "origin": "wheels", "python": "3.10"}, "no cell"),
        ({"ros": "jazzy", "origin": "installed", "python": "3.11"}, "no cell"),
        ({"result": "perfect"}, "perfect: no cell"),
        ({}, "twice"),
    ],
)
def test_an_entry_that_is_no_cell_is_refused(change: dict[str, str], message: str) -> None:
    content = json.loads(DATA.read_text(encoding="utf-8"))
    content["tried"].append({**content["tried"][0], **change})
    with pytest.raises(ValueError, match=message):
        parse(content)
