"""For every test of the workspace: what was not run for want of a program is said at the end."""

from __future__ import annotations

import pytest
from tools_kit import missing_tools


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the programs whose tests were left out."""
    for tool in missing_tools():
        terminalreporter.write_line(
            f"not run: the tests that need {tool} (sudo apt-get install {tool})", yellow=True
        )
