"""`./ws test` runs two halves at once: what fails in either fails the run."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from workspace.layout import Layout
from workspace.testing import checks

ROOT = Path(__file__).resolve().parents[2]
WAITS = re.compile(r"^\s*(?:import|from) (?:rclpy|vdsim_kit\.(?:launched|driving|spinning))", re.M)
PYTHON = """#!/bin/sh
# Stands for the interpreter: each half says how it was called, and fails when it shall.
case "$*" in
    *ruff*|*mypy*) exit 0 ;;
    *no:cacheprovider*) echo "cores $*"; exit "$CORES" ;;
    *) echo "others $*"; exit "$OTHERS" ;;
esac
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path, "jazzy")
    made.python.parent.mkdir(parents=True)
    made.python.write_text(PYTHON)
    made.python.chmod(0o755)
    made.variables.write_text(json.dumps({"portable": True}))
    return made


@pytest.mark.parametrize(("others", "cores", "code"), [(0, 0, 0), (1, 0, 1), (0, 3, 3), (1, 3, 1)])
def test_either_half_fails_the_run(
    layout: Layout, capfd: pytest.CaptureFixture[str], others: int, cores: int, code: int
) -> None:
    environ = {**os.environ, "OTHERS": str(others), "CORES": str(cores)}
    assert checks.test(layout, environ, []) == code
    printed = capfd.readouterr().out.splitlines()
    [first] = [line for line in printed if line.startswith("others ")]
    [second] = [line for line in printed if line.startswith("cores ")]
    assert printed.index(first) < printed.index(second), "never mixed"
    for path in checks.CORES:
        assert f"--ignore={path}" in first.split()
        assert path in second.split()


@pytest.mark.parametrize("path", checks.CORES)
def test_what_runs_beside_the_others_waits_for_nothing(path: str) -> None:
    place = ROOT / path
    files = [place] if place.is_file() else list(place.rglob("test_*.py"))
    assert files, "there is nothing"
    assert not [file for file in files if WAITS.search(file.read_text(encoding="utf-8"))]
