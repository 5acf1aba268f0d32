"""`./ws docs [DIR]`: build the site in the environment of the lane `docs`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from workspace.layout import WorkspaceError
from workspace.testing.lane_environment import LaneEnvironment, ensure_lane_environment
from workspace.testing.pythons import this_python

_OLDEST = (3, 11)  # that Sphinx 9 runs on


def build_docs(root: Path, rest: Sequence[str]) -> int:
    """Build; the exit code is Sphinx's."""
    python = this_python()
    if tuple(map(int, python.minor.split("."))) < _OLDEST:
        raise WorkspaceError(
            f"docs: Sphinx needs Python 3.11 or newer, and this is {python.version}: "
            "VDSIM_PYTHON=python3.12 ./ws docs"
        )
    environment = LaneEnvironment(root, "docs", python)
    ensure_lane_environment(environment, [root / "tools" / "requirements" / "lane-docs.txt"])
    variables = environment.variables()
    variables["PYTHONPATH"] = os.pathsep.join([str(root / "tools"), variables["PYTHONPATH"]])
    command = [str(environment.interpreter), "-m", "site_build.build", *rest]
    return subprocess.run(command, env=variables, check=False).returncode
