"""Programs that some tests look with (a browser, a packet analyser, a terminal).

They come from the distribution, not from `./ws`. Where one is missing its tests are not collected
and the run says so; with VDSIM_TEST_REQUIRE_TOOLS=1, as in continuous integration, it fails.
"""

from __future__ import annotations

import os
import shutil

_missing: set[str] = set()


def has_tool(command: str) -> bool:
    """Whether `command` is there; remembers what is not, for the end of the run."""
    if shutil.which(command):
        return True
    if os.environ.get("VDSIM_TEST_REQUIRE_TOOLS") == "1":
        raise RuntimeError(f"{command} is needed by a test: sudo apt-get install {command}")
    _missing.add(command)
    return False


def missing_tools() -> list[str]:
    """Everything that was asked for and is not there."""
    return sorted(_missing)
