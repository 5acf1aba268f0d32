"""Run modules with ``@pytest.mark.launch_test`` on ``generate_test_description`` as launch tests.

pytest loads this at every start, so ``launch`` is imported only when there is a launch test.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from ros2cli.prefix import add_own_prefix

if TYPE_CHECKING:
    from ..loader import TestRun
    from ..results import RunResult

_MARKER = "launch_test"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of launch tests."""
    group = parser.getgroup("launch_testing")
    group.addoption(
        "--launch-args",
        nargs="*",
        default=[],
        help="'<name>:=<value>' arguments for all launch tests",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and let launch tests find the packages of this environment."""
    add_own_prefix(os.environ)
    config.addinivalue_line(
        "markers", f"{_MARKER}: on generate_test_description(): this module is a launch test"
    )


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    """Collect modules that may be launch tests; pytest collects the others."""
    text = module_path.read_text(encoding="utf-8", errors="replace")
    if "def generate_test_description(" not in text or _MARKER not in text:
        return None
    module: pytest.Module = LaunchTestModule.from_parent(parent, path=module_path)
    return module


class LaunchTestFailure(Exception):  # noqa: N818 (the name is upstream's)
    """A launch test did not pass."""

    def __init__(self, result: RunResult) -> None:
        super().__init__(f"{result.name}: {len(result.failures)} failures")
        self.result = result


class LaunchTestModule(pytest.Module):
    """A module that is one launch test, not a collection of its TestCases."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Yield one item for each run, or what pytest finds when the marker is missing."""
        function = getattr(self.obj, "generate_test_description", None)
        marks = getattr(function, "pytestmark", [])
        if not any(mark.name == _MARKER for mark in marks):
            return super().collect()
        return self._collect_runs()

    def _collect_runs(self) -> Iterator[pytest.Item]:
        from ..loader import load_test_runs

        for run in load_test_runs(self.obj):
            suffix = run.full_name.removeprefix(run.name)
            item = LaunchTestItem.from_parent(self, name=f"launch_test{suffix}", run=run)
            item.own_markers.extend(getattr(run.description_function, "pytestmark", []))
            yield item


class LaunchTestItem(pytest.Item):
    """One run of a launch test."""

    def __init__(self, *, run: TestRun, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._run = run

    def runtest(self) -> None:
        """Run it."""
        from ros2launch.api import parse_launch_arguments

        from ..test_runner import LaunchTestRunner

        arguments = parse_launch_arguments(self.config.getoption("--launch-args"))
        verbosity = 1 + max(self.config.get_verbosity(), 0)
        result = LaunchTestRunner(self._run, arguments, verbosity=verbosity).run()
        if result.was_interrupted:
            raise KeyboardInterrupt
        if not result.was_successful:
            raise LaunchTestFailure(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the failures of the tests inside."""
        if not isinstance(excinfo.value, LaunchTestFailure):
            return super().repr_failure(excinfo, style)
        return "\n".join(
            f"{case.class_name}.{case.name} {case.kind}:\n{case.text}"
            for case in excinfo.value.result.failures
        )

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the location of the test."""
        return self.path, 0, f"launch test {self.path.name}: {self.name}"
