"""docs/architecture.md, "To add X, touch Y": each row is tried in a copy of the repository.

What an addition touches is counted against its row. Then all of them are made in one copy, the
generated files are written there, and the tests pass that the rows name, or that would notice what
a row does not name.
"""

from __future__ import annotations

import os
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from vdsim_kit.additions import ROOT, Addition, copied, made, rows
from vdsim_kit.additions_of_autoware import OF_AUTOWARE
from vdsim_kit.additions_of_car import OF_CAR
from vdsim_kit.additions_of_core import OF_CORE
from vdsim_kit.additions_of_interface import OF_INTERFACE

ROWS = rows()
ADDITIONS = (*OF_CORE, *OF_INTERFACE, *OF_CAR, *OF_AUTOWARE)
WRITE = """
import sys
sys.path[:0] = ["tools", *sys.argv[1].split(":")]
from generate.files import write
for path in sys.argv[2:]:
    write(path)
"""
SOURCES = "simulate:campaign:test"


@pytest.mark.parametrize("name", ROWS)
def test_a_row_names_what_is_there(name: str) -> None:
    missing = [word for word, path in ROWS[name].paths.items() if path is None]
    assert not missing


def test_every_row_has_its_addition() -> None:
    assert {addition.row for addition in ADDITIONS} == ROWS.keys()


@pytest.mark.parametrize("addition", ADDITIONS, ids=lambda addition: addition.row)
def test_what_is_touched_is_what_the_row_names(addition: Addition) -> None:
    row = ROWS[addition.row]
    touched = {put.file for put in addition.put}
    free = {*addition.spared, *row.pages}
    assert not [file for file in touched - free if not row.names(file)]
    named = {str(path.relative_to(ROOT)) for path in row.paths.values() if path is not None}
    used = {*touched, *addition.makes}
    idle = {name for name in named - free if not any(_is(name, file) for file in used)}
    assert not idle - row.alike(touched)
    assert not addition.makes or "./ws generate" in row.then


def _is(name: str, file: str) -> bool:
    """Whether a file is the named one, or in the named folder, or of the named pattern."""
    return fnmatchcase(file, name) or file.startswith(f"{name.rstrip('/')}/")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with every addition, and the files that are generated from them."""
    copy = copied(tmp_path_factory.mktemp("additions"))
    for addition in ADDITIONS:
        made(addition, copy)
    makes = sorted({file for addition in ADDITIONS for file in addition.makes})
    assert not ran(copy, "-c", WRITE, sources(copy), *makes)
    return copy


def sources(copy: Path) -> str:
    packages = sorted(str(path.parent) for path in copy.glob("src/*/setup.py"))
    return ":".join([*packages, *(str(copy / name) for name in SOURCES.split(":"))])


def ran(copy: Path, *words: str) -> str:
    """What a command says where it fails, with the sources of the copy; else nothing."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": f"{sources(copy)}:{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        check=False,
    )
    return f"{done.stdout[-8000:]}{done.stderr[-4000:]}" if done.returncode else ""


@pytest.mark.parametrize(
    "addition", [addition for addition in ADDITIONS if addition.makes], ids=lambda each: each.row
)
def test_what_is_generated_has_the_addition(addition: Addition, copy: Path) -> None:
    for file, words in addition.makes.items():
        assert words not in (ROOT / file).read_text(encoding="utf-8")
        assert words in (copy / file).read_text(encoding="utf-8"), file


@pytest.mark.parametrize(
    "addition", [addition for addition in ADDITIONS if addition.commands], ids=lambda each: each.row
)
def test_what_shows_that_it_works_ends_well(addition: Addition, copy: Path) -> None:
    for words in addition.commands:
        assert not ran(copy, *words), words


def test_the_tests_that_the_rows_name_pass(copy: Path) -> None:
    tests = sorted({test for addition in ADDITIONS for test in addition.tests})
    assert not ran(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
