"""Python's virtual environments, above all the one at .ros/<name>/venv."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from workspace.layout import Layout, WorkspaceError


def create(layout: Layout, python: Path, *, system_packages: bool) -> None:
    """Create it, and note where: a clone that was moved keeps the old paths inside its scripts."""
    layout.state.mkdir(parents=True, exist_ok=True)
    make(python, layout.venv, *(["--system-site-packages"] if system_packages else []))
    if not system_packages:
        _remove_setuptools(layout)
    _place(layout).write_text(str(layout.venv), encoding="utf-8")


def make(python: Path, folder: Path, *options: str) -> None:
    """Run `python -m venv`; raises WorkspaceError with one line."""
    command = [str(python), "-m", "venv", *options, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["unknown reason"]
        raise WorkspaceError(f"python -m venv failed: {reason[0]}")


def add_modules(layout: Layout, folder: str) -> None:
    """Let the environment import from another folder too, after its own modules."""
    for own in layout.venv.glob("lib/python3*/site-packages"):
        (own / "ros_2.pth").write_text(f"{folder}\n", encoding="utf-8")


def _remove_setuptools(layout: Layout) -> None:
    """Remove the setuptools that comes with Python before 3.12: another version takes its place."""
    for folder in layout.venv.glob("lib/python3*/site-packages"):
        for pattern in ("setuptools*", "pkg_resources", "_distutils_hack", "distutils-*.pth"):
            for path in folder.glob(pattern):
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()


def recorded_place(layout: Layout) -> str:
    """The path at which it was completely created; empty when it was not."""
    return _place(layout).read_text(encoding="utf-8") if _place(layout).is_file() else ""


def _place(layout: Layout) -> Path:
    return layout.venv / "place"


def evaluate(layout: Layout, code: str, environ: Mapping[str, str] | None = None) -> str:
    """What `code` prints in the environment."""
    done = subprocess.run(
        [str(layout.python), "-c", code], capture_output=True, text=True, check=False, env=environ
    )
    if done.returncode:
        raise WorkspaceError(f"the new environment does not work: {done.stderr.strip()[-300:]}")
    return done.stdout.strip()
