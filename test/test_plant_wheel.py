"""A wheel of vdsim_plant holds the files that are there, not those of an earlier build."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "vdsim_plant"


def test_a_build_leaves_nothing_beside_the_sources(tmp_path: Path) -> None:
    copy = tmp_path / "vdsim_plant"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("build", "*.egg-info", "test"))
    for base in ([], ["--build-base", str(tmp_path / "named")]):
        command = [sys.executable, "setup.py", "-q", "build", *base]
        subprocess.run(command, cwd=copy, check=True, capture_output=True)
    assert not (copy / "build").exists()
    assert (tmp_path / "named" / "lib" / "vdsim_plant" / "plant.py").is_file()
