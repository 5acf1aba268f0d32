"""A build of a package holds the files that are there, not those of an earlier build."""

from __future__ import annotations

import os
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


# What a user gets: the modules by their names, the files in share, the commands in lib.
INSTALLED = """
import importlib, sys
from pathlib import Path
from ament_index_python.packages import get_package_prefix
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    prefix = Path(get_package_prefix(name))
    assert (prefix / "share" / name / "package.xml").is_file(), prefix
    assert name == "vdsim_protocol" or len(list((prefix / "lib" / name).iterdir())) > 0, prefix
    print(name, Path(module.__file__).resolve(), prefix.resolve(), sep="|")
"""


@pytest.mark.parametrize("options", [[], ["--symlink-install"]], ids=["copied", "linked"])
@pytest.mark.parametrize("place", ["the checkout", "a copy"])
def test_colcon_builds_what_can_be_imported(place: str, options: list[str], tmp_path: Path) -> None:
    root = tmp_path / "a user's workspace"
    sources = SRC if place == "the checkout" else root / "src"
    if place == "a copy":
        ignored = shutil.ignore_patterns("build", "*.egg-info", "__pycache__", "test")
        for package in PACKAGES:
            shutil.copytree(SRC / package, sources / package, ignore=ignored)
    root.mkdir(exist_ok=True)
    # Both stay within the workspace; colcon's own setup files need an interpreter without a space.
    environ = {**os.environ, "COLCON_PYTHON_EXECUTABLE": str(Path(sys.executable).resolve())}
    paths = [str(sources / package) for package in PACKAGES]
    command = [sys.executable, "-m", "colcon", "build", *options, "--paths", *paths]
    built = subprocess.run(
        command, cwd=root, env=environ, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    script = 'source install/setup.bash && exec "$0" -c "$1" "${@:2}"'
    ran = subprocess.run(
        ["bash", "-c", script, sys.executable, INSTALLED, *PACKAGES],
        cwd=root, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    expected = sources if options else root / "install"
    for name, line in zip(PACKAGES, ran.stdout.splitlines(), strict=True):
        shown, module, prefix = line.split("|")
        assert shown == name
        assert module.startswith(f"{expected.resolve()}{os.sep}"), line
        assert prefix == str(root / "install" / name)
