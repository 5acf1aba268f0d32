"""Workspaces of users beside this one: `./ws colcon build` in a folder of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from workspace import needs, quirks
from workspace.layout import Layout
from workspace.progress import print_status

_INSTALL_BASE = "--install-base"


def has_aftermath(layout: Layout, arguments: Sequence[str]) -> bool:
    """Whether something is to be done after this call of colcon: see `build`."""
    return "build" in arguments and (_cuts_first_lines(layout) or bool(_missing_line()))


def build(layout: Layout, environ: Mapping[str, str], arguments: Sequence[str]) -> int:
    """Run colcon in the current folder; repair what it installed, or explain why it failed.

    Linux cannot start the installed scripts where the path of the clone has a space. colcon ends
    with a traceback where CMake is missing; packages of Python alone do not need it.
    """
    command = [str(layout.python), "-m", "colcon", *arguments]
    code = subprocess.run(command, env=dict(environ), check=False).returncode
    if _cuts_first_lines(layout):
        quirks.repair_interpreter_lines(install_folder(arguments), layout.venv)
    if code and (line := _missing_line()):
        print_status(line)
    return code


def _cuts_first_lines(layout: Layout) -> bool:
    return " " in str(layout.venv)


def _missing_line() -> str:
    return needs.missing_line(needs.CMAKE_NEEDS, " for packages with a CMakeLists.txt")


def install_folder(arguments: Sequence[str]) -> Path:
    """Where colcon installs, below the current folder."""
    for index, argument in enumerate(arguments):
        if argument == _INSTALL_BASE and index + 1 < len(arguments):
            return Path(arguments[index + 1])
        if argument.startswith(f"{_INSTALL_BASE}="):
            return Path(argument.partition("=")[2])
    return Path("install")
