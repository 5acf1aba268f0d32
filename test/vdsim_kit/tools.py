"""Programs that some tests need (a browser, a packet analyser, a terminal), and whose launch it is.

The distribution provides them, not `./ws`. Where one is missing its tests are not collected and
the summary names it; with VDSIM_TEST_REQUIRE_TOOLS=1, as in continuous integration, it fails.
"""

from __future__ import annotations

import importlib.util
import os
import shutil

_missing: set[str] = set()


def has_tool(command: str) -> bool:
    """Whether `command` is installed; a missing one is listed in the summary of the run."""
    if shutil.which(command):
        return True
    if os.environ.get("VDSIM_TEST_REQUIRE_TOOLS") == "1":
        raise RuntimeError(f"{command} is needed by a test: sudo apt-get install {command}")
    _missing.add(command)
    return False


def is_launch_upstreams() -> bool:
    """Whether ROS 2 itself brings `launch` and `ros2`, so that portable/ is not in use."""
    find = importlib.util.find_spec
    return find("ros2cli") is not None and find("ros2cli.catalogue") is None  # only ours has it


def missing_tools() -> list[str]:
    """The programs that tests needed and that are not installed."""
    return sorted(_missing)
