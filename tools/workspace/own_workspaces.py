"""Workspaces of users beside this one: `./ws colcon build` in a folder of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from workspace import quirks
from workspace.layout import Layout

_INSTALL_BASE = "--install-base"


def needs_repair(layout: Layout, arguments: Sequence[str]) -> bool:
    """Whether this call of colcon installs scripts that Linux cannot start as they are."""
    return " " in str(layout.venv) and "build" in arguments


def build(layout: Layout, environ: Mapping[str, str], arguments: Sequence[str]) -> int:
    """Run colcon in the current folder, then repair the scripts that it installed."""
    command = [str(layout.python), "-m", "colcon", *arguments]
    code = subprocess.run(command, env=dict(environ), check=False).returncode
    quirks.repair_interpreter_lines(install_folder(arguments), layout.venv)
    return code


def install_folder(arguments: Sequence[str]) -> Path:
    """Where colcon installs, below the current folder."""
    for index, argument in enumerate(arguments):
        if argument == _INSTALL_BASE and index + 1 < len(arguments):
            return Path(arguments[index + 1])
        if argument.startswith(f"{_INSTALL_BASE}="):
            return Path(argument.partition("=")[2])
    return Path("install")
