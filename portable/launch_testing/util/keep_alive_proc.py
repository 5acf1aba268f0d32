"""A process that only stays."""

import sys

from launch.actions import ExecuteProcess

_WAIT = """
import signal, sys
signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
signal.pause()
"""


def KeepAliveProc() -> ExecuteProcess:  # noqa: N802 (the name is upstream's)
    """Return a process that does nothing and so keeps the launch from ending before the tests."""
    return ExecuteProcess(cmd=[sys.executable, "-c", _WAIT], name="keep_alive")
