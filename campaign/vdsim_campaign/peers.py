"""The Python that runs a DDS peer of another vendor: the first one that has its package.

It is the one that is named, or else this one, or that of the lane `vendors`, which `./ws test
vendors` makes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

LANES = Path(__file__).resolve().parents[2] / ".ros" / "lanes"
HOW = "no Python has {package}: run ./ws test vendors once, or name one by --peer-python"
_OF_THIS_PYTHON = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH")


def candidates(named: str = "", lanes: Path = LANES) -> list[str]:
    """The interpreters that are asked, in order."""
    if named:
        return [named]
    return [sys.executable, *map(str, sorted(lanes.glob("vendors-*/venv/bin/python")))]


@cache
def python_with(package: str, named: str = "") -> str:
    """The first interpreter that has the package; empty: none."""
    return next((python for python in candidates(named) if _has(python, package)), "")


def environment_of(python: str) -> dict[str, str]:
    """The variables of an interpreter: without this one's packages, unless it is the same."""
    own = python == sys.executable
    return {k: v for k, v in os.environ.items() if own or k not in _OF_THIS_PYTHON}


def _has(python: str, package: str) -> bool:
    look = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({package!r}) is None)"
    try:
        done = subprocess.run(
            [python, "-c", look], env=environment_of(python), capture_output=True, check=False
        )
    except OSError:
        return False
    return done.returncode == 0
