"""A plug-in of pytest that notes which tests have begun, and leaves out those that had before.

A test may take pytest with it: it is stuck, or the process crashes. The others are still to run.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from workspace.testing.failed_tests import note, noted

if TYPE_CHECKING:
    import pytest  # each command of ./ws imports this module, and nobody waits for pytest there

FILE = "VDSIM_BEGUN_TESTS"
"""The variable that names the file: a line for each test that begins, and one at the end."""
PLUGIN = "workspace.testing.begun_tests"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has begun in a run before."""
    begun = set(noted(Path(os.environ[FILE])))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in begun])
    items[:] = [item for item in items if item.nodeid not in begun]


def pytest_runtest_logstart(nodeid: str) -> None:
    """Note a test."""
    note(nodeid, Path(os.environ[FILE]))


def pytest_sessionfinish() -> None:
    """Note that this run has an end."""
    note(None, Path(os.environ[FILE]))


def last(file: Path) -> str:
    """Return the test that took pytest with it; empty where none did."""
    return next((name or "" for name in reversed(noted(file))), "")


def have_ended(file: Path) -> bool:
    """Whether the last run came to its end, with or without failures."""
    return noted(file)[-1:] == [None]
