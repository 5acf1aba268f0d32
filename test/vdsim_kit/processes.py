"""Child processes that end as commands in a terminal do.

Ctrl-C in a terminal signals every process of the foreground group. Upstream's `ros2 run` relies on
it: a SIGINT to itself alone does not reach the node that it started.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress


def start(command: Sequence[str], stdout: int = subprocess.PIPE) -> subprocess.Popen[str]:
    """Start a command in a process group of its own; its errors go where its output goes."""
    return subprocess.Popen(
        command, stdout=stdout, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def end(process: subprocess.Popen[str], limit_s: float = 180.0) -> str:
    """Press Ctrl-C; return the output. A group that does not end in time is killed."""
    press_ctrl_c(process)
    try:
        output, _ = process.communicate(timeout=limit_s)
    finally:
        kill(process)
    return output or ""


def press_ctrl_c(process: subprocess.Popen[str]) -> None:
    """Signal the whole group, as a terminal does."""
    _signal(process, signal.SIGINT)


def kill(process: subprocess.Popen[str]) -> None:
    """Kill what is left of the group."""
    _signal(process, signal.SIGKILL)


def _signal(process: subprocess.Popen[str], number: int) -> None:
    with suppress(ProcessLookupError):  # the whole group has ended
        os.killpg(process.pid, number)
