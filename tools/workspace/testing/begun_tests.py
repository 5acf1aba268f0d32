"""A plug-in of pytest that notes which tests have begun, and leaves out those that had before.

A test may take pytest with it: it is stuck, or the process crashes. The others are still to run.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest  # each command of ./ws imports this module, and nobody waits for pytest there

FILE = "VDSIM_BEGUN_TESTS"
"""The variable that names the file: a line for each test that begins, and one at the end."""
PLUGIN = "workspace.testing.begun_tests"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has begun in a run before."""
    begun = set(_read(Path(os.environ[FILE])))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in begun])
    items[:] = [item for item in items if item.nodeid not in begun]


def pytest_runtest_logstart(nodeid: str) -> None:
    """Note a test."""
    _append(nodeid)


def pytest_sessionfinish() -> None:
    """Note that this run has an end."""
    _append(None)


def last(file: Path) -> str:
    """Return the test that took pytest with it; empty where none did."""
    return next((name or "" for name in reversed(_read(file))), "")


def have_ended(file: Path) -> bool:
    """Whether the last run came to its end, with or without failures."""
    return _read(file)[-1:] == [None]


def _append(name: str | None) -> None:
    with Path(os.environ[FILE]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(name) + "\n")


def _read(file: Path) -> list[str | None]:
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return [json.loads(line) for line in text.splitlines()]
