"""`./ws wheels` builds what the checkers of PyPI accept, the same bytes from one commit."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from vdsim_kit.docs import commands

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = sorted(path.parent.name for path in (ROOT / "src").glob("*/setup.py"))


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT / "tools"), os.environ["PYTHONPATH"]])
    return subprocess.run(
        [sys.executable, "-m", "wheels.run", *arguments],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archives; one that a checker refuses would have failed the command."""
    (command,) = commands(ROOT / "docs" / "where-it-runs.md", lane="wheels")
    folder = tmp_path_factory.mktemp("the wheels")
    ws, name, *arguments = shlex.split(command.text.replace("$OUT", str(folder)))
    assert (ws, name) == ("./ws", "wheels")
    done = run(*arguments)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"twine check --strict: {2 * len(PACKAGES)} archives pass" in done.stdout
    assert f"check-wheel-contents: {len(PACKAGES)} wheels pass" in done.stdout
    return folder


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_every_package_has_a_wheel_and_a_source_archive(out: Path) -> None:
    for package in PACKAGES:
        assert len(list(out.glob(f"{package}-*.whl"))) == 1
        assert len(list(out.glob(f"{package}-*.tar.gz"))) == 1
    assert len(list(out.iterdir())) == 2 * len(PACKAGES)


def test_a_wheel_holds_its_data_and_no_test(out: Path) -> None:
    for package in PACKAGES:
        (wheel,) = out.glob(f"{package}-*.whl")
        names = zipfile.ZipFile(wheel).namelist()
        assert f"{package}/py.typed" in names
        assert not [
            name for name in names if "/test/" in name or "/test_" in name or "_kit/" in name
        ]
        assert any(name.endswith("LICENSE") for name in names)
        (archive,) = out.glob(f"{package}-*.tar.gz")
        with tarfile.open(archive) as opened:
            assert any(name.endswith("/package.xml") for name in opened.getnames()), archive


def test_one_commit_gives_the_same_wheels(out: Path, tmp_path: Path) -> None:
    assert run(str(tmp_path)).returncode == 0
    wheels = {name: digest for name, digest in digests(out).items() if name.endswith(".whl")}
    again = {name: digest for name, digest in digests(tmp_path).items() if name.endswith(".whl")}
    assert again == wheels
