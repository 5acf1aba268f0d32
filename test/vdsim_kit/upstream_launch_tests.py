"""Collects launch tests where upstream's launch_testing is installed, with every pytest.

Upstream's own plug-in of pytest imports each test file twice and does not load on pytest 9, whose
hooks have no argument `path` any more. pyproject.toml leaves it out; conftest.py takes this one in
its place. What runs the tests is upstream's.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_MARKER = "launch_test"
_IS_LAUNCH_TEST = re.compile(rf"^@pytest\.mark\.{_MARKER}$", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that upstream's runner of launch tests reads."""
    parser.addoption("--launch-args", action="append", nargs="*", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers", f"{_MARKER}: on generate_test_description(): this module is a launch test"
    )


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Collect launch tests; pytest collects the others."""
    text = module_path.read_text(encoding="utf-8")
    if not _IS_LAUNCH_TEST.search(text):
        return None
    from launch_testing.pytest.hooks import LaunchTestModule

    module: pytest.Collector = LaunchTestModule.from_parent(parent, path=module_path)
    return module
