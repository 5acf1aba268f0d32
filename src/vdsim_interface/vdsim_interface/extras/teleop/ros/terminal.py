"""A terminal for a node of a launch file that reads keys."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable, Mapping


def find_terminal(
    environment: Mapping[str, str], which: Callable[[str], str | None] = shutil.which
) -> str:
    """Return the command that opens a terminal here; empty where there is none."""
    if environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"):
        for program in ("x-terminal-emulator", "xterm"):
            if which(program):
                return f"{program} -e"
    return "tmux split-window -l 16" if environment.get("TMUX") and which("tmux") else ""


def in_terminal(opener: str) -> str:
    """Return the prefix that runs a node in a terminal: with its environment, as its child."""
    program = (sys.executable, "-m", "vdsim_interface.extras.teleop.cli.terminal_pane")
    return shlex.join([*program, *shlex.split(opener), "--"])
