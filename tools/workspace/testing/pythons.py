"""The Pythons of this machine that vdsim supports: on the path, and in pyenv's folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MINORS = range(10, 15)  # Python 3.10 to 3.14
_PROBE = "import sys, venv, ensurepip; print('.'.join(map(str, sys.version_info[:3])))"


@dataclass(frozen=True)
class Python:
    """An interpreter that can make environments."""

    version: str  # "3.12.1"
    path: Path

    @property
    def minor(self) -> str:
        """The first two numbers: `3.12`."""
        return self.version.rpartition(".")[0]


def this_python() -> Python:
    """The interpreter that runs `ws`."""
    return Python(".".join(map(str, sys.version_info[:3])), Path(sys.executable))


def installed(environ: Mapping[str, str] = os.environ) -> list[Python]:
    """One interpreter for each supported minor version, oldest first."""
    found: list[Python] = []
    for minor in MINORS:
        works = (python for path in _candidates(minor, environ) if (python := _probe(path, minor)))
        first = next(works, None)
        if first is not None:
            found.append(first)
    return found


def _candidates(minor: int, environ: Mapping[str, str]) -> Iterator[Path]:
    if sys.version_info.minor == minor:
        yield Path(sys.executable)
    on_path = shutil.which(f"python3.{minor}", path=environ.get("PATH"))
    if on_path:
        yield Path(on_path)
    home = environ.get("HOME", "/")
    root = Path(environ.get("PYENV_ROOT") or f"{home}/.pyenv")
    yield from sorted(root.glob(f"versions/3.{minor}.*/bin/python3.{minor}"), reverse=True)


def _probe(path: Path, minor: int) -> Python | None:
    """The interpreter at a path; None when it does not run, as a shim of pyenv without it."""
    try:
        done = subprocess.run(
            [str(path), "-c", _PROBE], capture_output=True, text=True, check=False, timeout=60.0
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = done.stdout.strip()
    if done.returncode or not version.startswith(f"3.{minor}."):
        return None
    return Python(version, path)
