"""Wheels and source archives: one of each for every Python package of src/."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

_LEFT_OUT = shutil.ignore_patterns("build", "dist", "*.egg-info", "__pycache__", "test", "*_kit")
_LONGEST_S = 900.0


def packages(root: Path) -> list[Path]:
    """Return the folders of the Python packages; those of messages are built by colcon."""
    return sorted(path.parent for path in (root / "src").glob("*/setup.py"))


def make(root: Path, out: Path) -> Iterator[str]:
    """Build everything into a folder; one line for each package."""
    out.mkdir(parents=True, exist_ok=True)
    for old in (*out.glob("vdsim*.whl"), *out.glob("vdsim*.tar.gz")):
        old.unlink()
    for package in packages(root):
        before = set(out.iterdir())
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / package.name
            shutil.copytree(package, copy, ignore=_LEFT_OUT)
            _run(["-m", "build", "--no-isolation", "--outdir", str(out), str(copy)], root)
        made = sorted(set(out.iterdir()) - before)
        yield f"{package.name}: {', '.join(f'{p.name} ({_kilobytes(p)} kB)' for p in made)}"


def check(root: Path, out: Path) -> Iterator[str]:
    """Let twine and check-wheel-contents judge; one line for each, or an error with their words."""
    archives = [str(path) for path in sorted((*out.glob("*.whl"), *out.glob("*.tar.gz")))]
    wheels = [path for path in archives if path.endswith(".whl")]
    _run(["-m", "twine", "check", "--strict", *archives], root)
    yield f"twine check --strict: {len(archives)} archives pass"
    _run(["-m", "check_wheel_contents", *wheels], root)
    yield f"check-wheel-contents: {len(wheels)} wheels pass"


def _kilobytes(path: Path) -> int:
    return -(-path.stat().st_size // 1000)


def _run(command: Sequence[str], root: Path) -> None:
    # The time of every file inside: that of the commit, so that one commit gives the same bytes.
    stamp = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=root, capture_output=True, text=True, check=False
    ).stdout.strip()
    environ = {**os.environ, "SOURCE_DATE_EPOCH": stamp or "315532800", "NO_COLOR": "1"}
    environ.pop("PYTHONPATH", None)
    done = subprocess.run(
        [sys.executable, *command], cwd=root, env=environ, capture_output=True, text=True,
        check=False, timeout=_LONGEST_S,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:3])}: {(done.stdout + done.stderr).strip()}")
