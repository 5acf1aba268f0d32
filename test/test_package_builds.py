"""A build of a package holds the files that are there, not those of an earlier build."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[1] / "src"
PACKAGES = sorted(path.parent.name for path in SRC.glob("*/setup.py"))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_build_leaves_nothing_beside_the_sources(package: str, tmp_path: Path) -> None:
    copy = tmp_path / package
    shutil.copytree(
        SRC / package, copy, ignore=shutil.ignore_patterns("build", "*.egg-info", "test")
    )
    for base in ([], ["--build-base", str(tmp_path / "named")]):
        command = [sys.executable, "setup.py", "-q", "build", *base]
        subprocess.run(command, cwd=copy, check=True, capture_output=True)
    assert not (copy / "build").exists()
    assert (tmp_path / "named" / "lib" / package / "__init__.py").is_file()
