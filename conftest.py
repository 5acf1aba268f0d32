"""For every test of the workspace: what was not run for want of a program is said at the end."""

from __future__ import annotations

import os
import signal

import pytest
from vdsim_kit.tools import missing_tools

# A value that a message's field cannot hold is an error in some releases of ROS 2, and let through
# or bent in others unless this is said before the messages are loaded.
os.environ["ROS_PYTHON_CHECK_FIELDS"] = "1"

# A run in the background of a shell script ignores Ctrl-C, and so would every process that the
# tests start and then end with it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the programs whose tests were left out."""
    for tool in missing_tools():
        terminalreporter.write_line(
            f"not run: the tests that need {tool} (sudo apt-get install {tool})", yellow=True
        )
