"""Nothing is installed that has another SHA-256 than the one in tools/requirements/hashes.txt."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename
from workspace import pins
from workspace.layout import WorkspaceError

FOLDER = Path(__file__).resolve().parents[2] / "tools" / "requirements"
FILES = pins.requirement_files(FOLDER)
HASHES = pins.read(FOLDER / pins.HASHES)
PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in range(5, 36)]  # Ubuntu 22.04's glibc
PLATFORMS += ["manylinux1_x86_64", "manylinux2010_x86_64", "manylinux2014_x86_64"]


def tags(minor: int) -> set[Tag]:
    version = (3, minor)
    return {
        *cpython_tags(version, platforms=PLATFORMS),
        *compatible_tags(version, interpreter=f"cp3{minor}", platforms=PLATFORMS),
    }


def test_every_pin_has_its_hashes_and_nothing_else_has() -> None:
    assert set(pins.pins_of(FILES)) == set(HASHES), "run ./ws pins"


@pytest.mark.parametrize("minor", [10, 11, 12, 13])
def test_every_python_has_a_file_of_what_it_installs(minor: int) -> None:
    usable = tags(minor)
    files = [f for f in FILES if not f.name.startswith("lane-") or "pythons" in f.name]
    without = []
    for pin, marker in pins.pins_of(files).items():
        if marker and not Marker(marker).evaluate({"python_version": f"3.{minor}"}):
            continue
        wheels = [name for name in HASHES[pin] if name.endswith(".whl")]
        if wheels and not any(parse_wheel_filename(name)[3] & usable for name in wheels):
            without.append(pin)
    assert without == []


@pytest.mark.parametrize(
    ("file", "usable"),
    [
        ("a-1-py3-none-any.whl", True),
        ("a-1-py2.py3-none-any.whl", True),
        ("a-1-cp310-abi3-manylinux_2_28_aarch64.whl", True),
        ("a-1-cp314-cp314t-manylinux_2_28_x86_64.whl", False),
        ("a-1-cp39-cp39-manylinux_2_28_x86_64.whl", False),
        ("a-1-cp311-cp311-musllinux_1_2_x86_64.whl", False),
        ("a-1-cp311-cp311-win_amd64.whl", False),
        ("a-1-cp313-cp313-ios_13_0_arm64_iphoneos.whl", False),
        ("a-1.tar.gz", True),
        ("a-1.exe", False),
    ],
)
def test_which_files_are_listed(file: str, usable: bool) -> None:
    assert pins.is_usable(file) is usable


def test_the_file_survives_being_written_again() -> None:
    assert pins.text(HASHES) == (FOLDER / pins.HASHES).read_text(encoding="utf-8")


def wheel(folder: Path, name: str, version: str) -> str:
    """Write a wheel without modules; return its SHA-256."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Index:
    """A folder of requirements with hashes, and one of files to install."""

    def __init__(self, folder: Path) -> None:
        self.requirements, self.files = folder / "requirements", folder / "files"
        self.target, self.site = folder / "state" / "constraints.txt", folder / "site"
        self.requirements.mkdir()
        self.files.mkdir()
        (self.requirements / "build.txt").write_text("", encoding="utf-8")
        self.list = self.requirements / "list.txt"

    def pin(self, *hashes: tuple[str, str]) -> None:
        """Pin packages, each with a hash."""
        self.list.write_text("".join(f"{pin}\n" for pin, _ in hashes), encoding="utf-8")
        table = {pin: {"file.whl": digest} for pin, digest in hashes}
        (self.requirements / pins.HASHES).write_text(pins.text(table), encoding="utf-8")

    def install(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the pip that runs here; a target folder keeps it away from the environment."""
        pages: dict[str, list[str]] = {}
        for file in self.files.iterdir():
            link = f"{file.as_uri()}#sha256={hashlib.sha256(file.read_bytes()).hexdigest()}"
            pages.setdefault(file.name.partition("-")[0], []).append(
                f'<a href="{link}">{file.name}</a>'
            )
        for name, links in pages.items():
            page = self.files.with_name("index") / name / "index.html"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text("\n".join(links), encoding="utf-8")
        address = self.files.with_name("index").as_uri()
        command = [sys.executable, "-m", "pip", "--isolated", "install", "--index-url", address]
        command += ["--target", str(self.site), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path)


def test_a_file_with_its_hash_is_installed_and_another_is_refused(index: Index) -> None:
    digest = wheel(index.files, "here", "1.0")
    index.pin(("here==1.0", digest))
    options = pins.options(index.requirements, [index.list], index.target)
    assert index.install(*options, "-r", str(index.list)).returncode == 0
    assert (index.site / "here-1.0.dist-info").is_dir()

    (index.files / "here-1.0-py3-none-any.whl").unlink()
    wheel(index.files, "here", "1.0")
    with zipfile.ZipFile(index.files / "here-1.0-py3-none-any.whl", "a") as archive:
        archive.writestr("here_evil.py", "")
    refused = index.install(*options, "--upgrade", "-r", str(index.list))
    assert refused.returncode == 1
    assert "DO NOT MATCH THE HASHES" in refused.stderr
    assert not (index.site / "here_evil.py").exists()


def test_a_need_without_a_hash_is_refused(index: Index) -> None:
    wheel(index.files, "here", "1.0")
    index.pin(("here==1.0", "0" * 64))
    wheel(index.files, "other", "2.0")
    options = pins.options(index.requirements, [index.list], index.target)
    refused = index.install(*options, "other")
    assert refused.returncode == 1
    assert "--require-hashes mode" in refused.stderr


def test_beside_others_the_hash_chooses_the_version(index: Index) -> None:
    wheel(index.files, "here", "2.0")
    index.pin(("here==1.0", wheel(index.files, "here", "1.0")))
    options = pins.options_beside_others(index.requirements, [index.list], index.target)
    assert index.install(*options, "here").returncode == 0
    assert (index.site / "here-1.0.dist-info").is_dir()


def test_a_pin_without_an_entry_says_what_to_run(index: Index) -> None:
    index.pin()
    index.list.write_text("new==1.0\n", encoding="utf-8")
    with pytest.raises(WorkspaceError, match=r"no entry for new==1\.0: run \./ws pins"):
        pins.options(index.requirements, [index.list], index.target)
