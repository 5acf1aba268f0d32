"""These tests are of the stand-ins beside them: where upstream's packages are imported, they rest.

A hook and not an option of the command line: `--ignore` of a folder that is an argument itself (as
`testpaths` are) has no effect before pytest 8.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


def _is_upstreams() -> bool:
    """Whether the `ros2cli` that would be imported is not the one beside this folder."""
    find = importlib.util.find_spec
    return find("ros2cli") is not None and find("ros2cli.catalogue") is None


_UPSTREAM = _is_upstreams()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave everything out that would import upstream's packages in place of ours."""
    return True if _UPSTREAM else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what was left out."""
    if _UPSTREAM:
        terminalreporter.write_line(
            "not run: portable/test, as launch and ros2 are upstream's here", yellow=True
        )
