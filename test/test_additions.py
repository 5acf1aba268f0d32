"""docs/architecture.md, "To add X, touch Y": each row is tried in a copy of the repository.

What an addition touches is counted against its row; in the copy the generated files are written,
and the tests pass that the row names, or that would notice what it does not name.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from vdsim_kit.additions import ADDITIONS, ROOT, Addition, applied, copied, rows

ROWS = rows()
WRITE = """
import sys
sys.path[:0] = ["tools", *sys.argv[1].split(":")]
from generate.files import is_stale, write
for path in sys.argv[2:]:
    assert is_stale(path), f"{path}: nothing of the addition is in it"
    write(path)
"""
SOURCES = "simulate:campaign:test"


@pytest.mark.parametrize("name", ROWS)
def test_a_row_names_what_is_there(name: str) -> None:
    missing = [word for word, path in ROWS[name].paths.items() if path is None]
    assert not missing


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("additions"))


def sources(copy: Path) -> str:
    packages = sorted(str(path.parent) for path in copy.glob("src/*/setup.py"))
    return ":".join([*packages, *(str(copy / name) for name in SOURCES.split(":"))])


def ran(copy: Path, *words: str) -> str:
    """What a command says where it fails, with the sources of the copy; else nothing."""
    done = subprocess.run(
        [sys.executable, *words], cwd=copy, capture_output=True, text=True, check=False
    )
    return f"{done.stdout[-4000:]}{done.stderr[-4000:]}" if done.returncode else ""


@pytest.mark.parametrize("addition", ADDITIONS, ids=lambda addition: addition.row)
def test_what_is_touched_is_what_the_row_names(addition: Addition, copy: Path) -> None:
    touched = {put.file for put in addition.put}
    named = {
        str(path.relative_to(ROOT))
        for path in ROWS[addition.row].paths.values()
        if path is not None
    }
    assert touched - {*addition.spared} <= {*named, "docs/weather.md"}
    assert named - touched - {*addition.makes} <= {*addition.spared, "docs"}
    with applied(addition, copy):
        if addition.makes:
            assert "./ws generate" in ROWS[addition.row].then
            assert not ran(copy, "-c", WRITE, sources(copy), *addition.makes)
        for test in addition.tests:
            words = shlex.split(test)
            assert not ran(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words)
