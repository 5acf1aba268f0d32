"""Each package under src/ is complete: a copy of it alone installs, and its commands start."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src"
PACKAGES = sorted(path.parent.name for path in SRC.glob("*/setup.py"))
WITHOUT_ROS = {
    "vdsim_protocol": ["vdsim_chaos", "vdsim_dump"],
    "vdsim_plant": [
        "vdsim_acceptance",
        "vdsim_fmu",
        "vdsim_manoeuvre",
        "vdsim_pedal_sweep",
        "vdsim_vehicle",
    ],
    "vdsim_can": ["vdsim_can"],
    "vdsim_record": ["vdsim_record_kills"],
    "vdsim_plant_node": ["morai_emulator", "vdsim_plot", "vdsim_realtime", "vdsim_replay"],
}
COMMANDS = [(package, name) for package, names in WITHOUT_ROS.items() for name in names]


def test_no_link_leaves_its_package() -> None:
    links = [path for path in SRC.rglob("*") if path.is_symlink()]
    leaving = [
        str(path.relative_to(SRC))
        for path in links
        if not path.resolve().is_relative_to(SRC / path.relative_to(SRC).parts[0])
    ]
    assert leaving == []


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one folder for each package, installed from a copy of that package alone."""
    base = tmp_path_factory.mktemp("installed")
    for name in PACKAGES:
        copy = base / "copies" / name
        unwanted = shutil.ignore_patterns("test", "__pycache__", "build", "*.egg-info")
        shutil.copytree(SRC / name, copy, symlinks=True, ignore=unwanted)
        options = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", *options, "--target", base / name, copy],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    return base


def run(
    installed: Path, package: str, command: str, *, packages: Iterable[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run an installed command with --help, with only these of our packages on the path."""
    path = os.pathsep.join(str(installed / name) for name in (package, *packages))
    return subprocess.run(
        [sys.executable, installed / package / "bin" / command, "--help"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )


@pytest.mark.parametrize("name", PACKAGES)
def test_a_copy_installs_every_file_that_it_is_read_with(name: str, installed: Path) -> None:
    package = SRC / name
    module_files = {path.relative_to(package) for path in (package / name).rglob("*.*")}
    shared = {
        path.relative_to(package)
        for folder in ("launch", "config")
        for path in (package / folder).rglob("*.*")
    }
    expected = {path for path in module_files | shared if "__pycache__" not in path.parts}
    places = (installed / name, installed / name / "share" / name)
    missing = [path for path in expected if not any((place / path).is_file() for place in places)]
    assert missing == []


@pytest.mark.parametrize(("package", "command"), COMMANDS)
def test_a_command_starts(package: str, command: str, installed: Path) -> None:
    done = run(installed, package, command, packages=WITHOUT_ROS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage:")


@pytest.mark.parametrize("command", WITHOUT_ROS["vdsim_plant_node"])
@pytest.mark.parametrize("missing", ["vdsim_plant", "vdsim_protocol"])
def test_a_command_names_the_package_that_it_needs(
    command: str, missing: str, installed: Path
) -> None:
    others = [name for name in WITHOUT_ROS if name != missing]
    done = run(installed, "vdsim_plant_node", command, packages=others)
    assert done.returncode == 1
    assert done.stderr == f"{command} needs {missing}: pip install ./src/{missing}\n"


def test_the_ros_node_says_that_it_needs_ros(installed: Path) -> None:
    done = run(installed, "vdsim_plant_node", "plant", packages=WITHOUT_ROS)
    assert done.returncode == 1
    assert re.fullmatch(
        r"plant needs ROS 2 with \w+: \./ws ros2 run vdsim_plant_node plant\n", done.stderr
    )


@pytest.mark.parametrize("folder", ["config", "launch"])
def test_the_folders_of_the_root_hold_links_into_the_packages(folder: str) -> None:
    entries = sorted((SRC.parent / folder).iterdir())
    assert entries
    for entry in entries:
        assert entry.is_symlink(), entry
        assert entry.resolve(strict=True).is_relative_to(SRC), entry
        assert not entry.readlink().is_absolute(), entry


def test_every_launch_file_and_parameter_file_has_its_link() -> None:
    linked = {
        entry.resolve() for name in ("config", "launch") for entry in (SRC.parent / name).iterdir()
    }
    package = SRC / "vdsim_interface"
    shipped = {*(package / "launch").glob("*.py"), *(package / "config").glob("*.yaml")}
    assert shipped - linked == set()
