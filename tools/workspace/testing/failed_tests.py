"""A plug-in of pytest that writes the tests that failed, and who repeats them (`./ws test`)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest  # each command of ./ws imports this module, and nobody waits for pytest there

FILE = "VDSIM_FAILED_TESTS"
"""The variable that names the file to which each run of pytest appends a line for each failure."""
PLUGIN = "workspace.testing.failed_tests"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Append a test that failed, or whose fixtures did."""
    if report.failed:
        note(report.nodeid, Path(os.environ[FILE]))


def note(name: str | None, file: Path) -> None:
    """Append a line: a test, or None for the end of a run."""
    with file.open("a", encoding="utf-8") as notes:
        notes.write(json.dumps(name) + "\n")


def noted(file: Path) -> list[str | None]:
    """Return the lines in their order."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def read(file: Path) -> list[str]:
    """Each failed test once."""
    return list(dict.fromkeys(name for name in noted(file) if name))
