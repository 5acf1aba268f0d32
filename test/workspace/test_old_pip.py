"""`pip install` with the pip and setuptools of Debian 12, without the package wheel."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from workspace import fingerprint

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("src/vdsim_protocol", "src/vdsim_plant", "src/vdsim_plant_node", "portable")
COMMANDS = ("vdsim_dump", "vdsim_manoeuvre", "vdsim_realtime", "ros2")


def test_the_commands_are_on_the_path_and_no_build_is_due(tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "test")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=ignored)
    before = fingerprint.of_sources([tmp_path / "src"])
    venv = tmp_path / "venv"
    base = Path(sys.executable).resolve()
    subprocess.run([base, "-m", "venv", venv], check=True)
    pip = [venv / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    subprocess.run([*pip, "pip==23.0.1", "setuptools==66.1.1"], check=True)
    done = subprocess.run(
        [*pip, "--no-deps", *(f"./{name}" for name in PACKAGES)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    missing = [name for name in COMMANDS if not (venv / "bin" / name).is_file()]
    assert missing == []
    assert fingerprint.of_sources([tmp_path / "src"]) == before
