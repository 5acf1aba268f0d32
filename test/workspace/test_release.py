"""What bloom reads of each package: manifest, licence, version and changelog."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from catkin_pkg.changelog import Changelog, get_changelog_from_path, populate_changelog_from_rst
from catkin_pkg.package import parse_package
from generate.command import main
from generate.package_changelogs import changelog_rst

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = sorted(path.parent for path in (ROOT / "src").glob("*/package.xml"))
NAMES = [path.name for path in PACKAGES]
RELEASED = """\
# Changelog

Free text.

## Unreleased

### Added

- A parameter_ of `./ws one`, see [the
  page](docs/interface.md).

## 1.2.0 - 2031-02-03

### Fixed

- `ros2 launch` reads [REP 132](https://ros.org/reps/rep-0132.html),
  on two lines.
- Another one.

## 1.1.0 - 2030-01-02

First version.
"""


@pytest.mark.parametrize("package", PACKAGES, ids=NAMES)
def test_the_manifest_is_complete(package: Path) -> None:
    warnings: list[str] = []
    manifest = parse_package(str(package), warnings=warnings)
    assert warnings == []
    assert manifest.name == package.name
    assert manifest.licenses
    assert all(licence.file and (package / licence.file).is_file() for licence in manifest.licenses)
    assert (package / "README.md").read_text(encoding="utf-8").startswith(f"# {package.name}\n")


def test_the_packages_share_one_version() -> None:
    assert len({parse_package(str(package)).version for package in PACKAGES}) == 1


@pytest.mark.parametrize(
    "package", [path for path in PACKAGES if (path / "setup.py").is_file()], ids=lambda p: p.name
)
def test_setup_py_agrees_with_the_manifest(package: Path) -> None:
    options = ("--name", "--version", "--description", "--license", "--maintainer-email")
    command = [sys.executable, "-W", "ignore", "setup.py", *options]
    done = subprocess.run(command, cwd=package, capture_output=True, text=True, check=True)
    manifest = parse_package(str(package))
    (maintainer,) = manifest.maintainers
    assert done.stdout.splitlines()[-5:] == [
        manifest.name,
        manifest.version,
        manifest.description,
        str(manifest.licenses[0]),
        maintainer.email,
    ]


@pytest.mark.parametrize("package", NAMES)
def test_the_changelog_is_valid(package: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = changelog_rst(package, read(ROOT / "CHANGELOG.md"))
    populate_changelog_from_rst(Changelog(package), text)
    assert capsys.readouterr().err == "", "docutils reports errors of the markup"
    assert re.search(r"^Forthcoming\n-+$", text, re.MULTILINE)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """What a release reads: the manifests, at version 1.2.0, and a list of changes."""
    for package in PACKAGES:
        folder = tmp_path / "src" / package.name
        folder.mkdir(parents=True)
        manifest = re.sub(
            r"<version>.*?</version>", "<version>1.2.0</version>", read(package / "package.xml")
        )
        (folder / "package.xml").write_text(manifest, encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(RELEASED, encoding="utf-8")
    return tmp_path


def test_a_release_writes_the_changelog_that_bloom_reads(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--release"], tree) == 0
    written = [f"src/{name}/CHANGELOG.rst" for name in NAMES]
    assert capsys.readouterr().out.splitlines() == written
    for name in NAMES:
        changelog = get_changelog_from_path(str(tree / "src" / name), name)
        assert {v: str(day.date()) for v, day, _ in changelog.foreach_version()} == {
            "1.2.0": "2031-02-03",
            "1.1.0": "2030-01-02",
        }
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("heading", ["## 1.2.0", "## 1.3.0 - 2031-02-03"])
def test_a_release_without_a_date_for_its_version_is_refused(
    tree: Path, heading: str, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = RELEASED.replace("## 1.2.0 - 2031-02-03", heading)
    (tree / "CHANGELOG.md").write_text(changes, encoding="utf-8")
    assert main(["--release"], tree) == 1
    needed = "CHANGELOG.md: version 1.2.0 of the packages needs ## 1.2.0 - YYYY-MM-DD\n"
    assert capsys.readouterr().err == needed
    assert not list(tree.rglob("CHANGELOG.rst"))


def test_packages_of_several_versions_are_no_release(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = tree / "src/vdsim_plant/package.xml"
    manifest.write_text(read(manifest).replace("1.2.0", "1.1.0"), encoding="utf-8")
    assert main(["--release"], tree) == 1
    error = capsys.readouterr().err
    assert error == "package.xml: versions 1.1.0, 1.2.0: must be one version for all packages\n"


def test_bloom_reads_every_released_version(capsys: pytest.CaptureFixture[str]) -> None:
    text = changelog_rst("my_package", RELEASED)
    changelog = populate_changelog_from_rst(Changelog("my_package"), text)
    assert capsys.readouterr().err == ""
    releases = {v: (str(day.date()), parts) for v, day, parts in changelog.foreach_version()}
    assert {version: day for version, (day, _) in releases.items()} == {
        "1.2.0": "2031-02-03",
        "1.1.0": "2030-01-02",
    }
    fixed = "".join(str(part) for part in releases["1.2.0"][1])
    assert "ros2 launch" in fixed
    assert "https://ros.org/reps/rep-0132.html" in fixed
    assert "Another one." in fixed
    assert "First version." in str(releases["1.1.0"][1][0])


@pytest.mark.parametrize("heading", ["0.1", "1.2.3 (2031-02-03)", "1.2.3 - soon"])
def test_a_heading_that_is_no_version_is_named(heading: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"## {heading}: must be")):
        changelog_rst("my_package", f"# Changelog\n\n## {heading}\n")


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
