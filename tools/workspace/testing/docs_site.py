"""`./ws docs`, `browser_car` and `wheels`: what is made in the environment of a lane."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from workspace.layout import WorkspaceError
from workspace.testing.lane_environment import LaneEnvironment, ensure_lane_environment
from workspace.testing.pythons import Python, this_python

_OLDEST = (3, 11)  # that Sphinx 9 runs on


def build_docs(root: Path, rest: Sequence[str]) -> int:
    """Build the site; the exit code is Sphinx's."""
    python = this_python()
    if tuple(map(int, python.minor.split("."))) < _OLDEST:
        raise WorkspaceError(
            f"docs: Sphinx needs Python 3.11 or newer, and this is {python.version}: "
            "VDSIM_PYTHON=python3.12 ./ws docs"
        )
    return _run(root, "docs", python, "site_build.build", rest)


def build_browser_car(root: Path, rest: Sequence[str]) -> int:
    """Write the page with the car; 0, or 2 where it cannot be written."""
    return _run(root, "browser", this_python(), "browser_car.build", rest)


def build_wheels(root: Path, rest: Sequence[str]) -> int:
    """Build and check the wheels; 1 where that fails."""
    return _run(root, "wheels", this_python(), "wheels.run", rest)


def _run(root: Path, lane: str, python: Python, module: str, rest: Sequence[str]) -> int:
    environment = LaneEnvironment(root, lane, python)
    ensure_lane_environment(environment, [root / "tools" / "requirements" / f"lane-{lane}.txt"])
    variables = environment.variables()
    variables["PYTHONPATH"] = os.pathsep.join([str(root / "tools"), variables["PYTHONPATH"]])
    command = [str(environment.interpreter), "-m", module, *rest]
    return subprocess.run(command, env=variables, check=False).returncode
