"""docs/architecture.md, "To add X, touch Y": each row is tried in a copy of the repository.

What an addition touches is counted against its row. Then all of them are made in one copy, the
generated files are written there, and the tests pass that the rows name, or that would notice what
a row does not name.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from vdsim_kit.additions import ADDITIONS, ROOT, Addition, copied, made, rows

ROWS = rows()
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


@pytest.mark.parametrize("addition", ADDITIONS, ids=lambda addition: addition.row)
def test_what_is_touched_is_what_the_row_names(addition: Addition) -> None:
    touched = {put.file for put in addition.put}
    named = {
        str(path.relative_to(ROOT))
        for path in ROWS[addition.row].paths.values()
        if path is not None
    }
    pages = ROWS[addition.row].pages
    assert touched - {*addition.spared} <= {*named, *pages, "docs/weather.md"}
    assert named - touched - {*addition.makes} <= {*addition.spared, "docs"}
    assert not addition.makes or "./ws generate" in ROWS[addition.row].then


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
        [sys.executable, *words], cwd=copy, capture_output=True, text=True, check=False
    )
    return f"{done.stdout[-8000:]}{done.stderr[-4000:]}" if done.returncode else ""


@pytest.mark.parametrize(
    "addition", [addition for addition in ADDITIONS if addition.makes], ids=lambda each: each.row
)
def test_what_is_generated_has_the_addition(addition: Addition, copy: Path) -> None:
    for file, words in addition.makes.items():
        assert words not in (ROOT / file).read_text(encoding="utf-8")
        assert words in (copy / file).read_text(encoding="utf-8"), file


def test_the_tests_that_the_rows_name_pass(copy: Path) -> None:
    tests = sorted({test for addition in ADDITIONS for test in addition.tests})
    assert not ran(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
