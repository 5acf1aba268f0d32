"""The repository and each package of it in an ordinary colcon workspace, without `./ws`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from vdsim_kit.tools import has_tool

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
PYTHON_PACKAGES = sorted(path.parent.name for path in SRC.glob("*/setup.py"))
MESSAGE_PACKAGES = sorted(path.parent.name for path in SRC.glob("*/CMakeLists.txt"))


def colcon(workspace: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run colcon as in a user's shell; its logs stay in the workspace's folder."""
    return subprocess.run(
        [sys.executable, "-m", "colcon", "--log-base", str(workspace / "log"), *arguments],
        cwd=workspace,
        capture_output=True,
        text=True,
        check=False,
    )


def copied(workspace: Path, packages: list[str]) -> Path:
    """A workspace with copies of packages, each in a folder of its own: none sees another."""
    for index, name in enumerate(packages):
        unwanted = shutil.ignore_patterns("test", "__pycache__", "build", "*.egg-info")
        place = workspace / "src" / str(index) / name
        shutil.copytree(SRC / name, place, symlinks=True, ignore=unwanted)
    return workspace


def test_the_root_is_a_workspace_of_our_packages_alone(tmp_path: Path) -> None:
    done = colcon(tmp_path, "list", "--names-only", "--base-paths", str(ROOT))
    assert done.stderr == ""
    assert sorted(done.stdout.split()) == sorted([*PYTHON_PACKAGES, *MESSAGE_PACKAGES])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The install folder of a build of copies of the Python packages."""
    workspace = copied(tmp_path_factory.mktemp("python"), PYTHON_PACKAGES)
    done = colcon(workspace, "build", "--base-paths", "src")
    assert done.returncode == 0, done.stdout + done.stderr
    return workspace / "install"


@pytest.mark.parametrize("name", PYTHON_PACKAGES)
def test_a_copy_builds_with_every_file_that_it_needs(name: str, built: Path) -> None:
    package, prefix = SRC / name, built / name
    (modules,) = prefix.glob("lib/python3*/site-packages")
    share = prefix / "share" / name
    inside = [path for path in (package / name).rglob("*.*") if "__pycache__" not in path.parts]
    shared = [
        *(path for folder in ("launch", "config") for path in (package / folder).rglob("*.*")),
        package / "package.xml",
    ]
    missing = [path for path in inside if not (modules / path.relative_to(package)).is_file()]
    missing += [path for path in shared if not (share / path.relative_to(package)).is_file()]
    assert [path for path in missing if "__pycache__" not in path.parts] == []
    assert (prefix / "share/ament_index/resource_index/packages" / name).is_file()
    assert any((prefix / "lib" / name).iterdir()), "no commands for `ros2 run`"


if has_tool("cmake") and has_tool("make"):

    def test_copies_of_the_message_packages_are_configured(tmp_path: Path) -> None:
        # The compiler takes minutes, and every other test stands on what it makes of these inputs.
        workspace = copied(tmp_path, MESSAGE_PACKAGES)
        only_configure = ("--cmake-target", "help", "--cmake-args", "-DBUILD_TESTING=OFF")
        done = colcon(workspace, "build", "--base-paths", "src", *only_configure)
        assert done.returncode == 0, done.stdout + done.stderr
        for name in MESSAGE_PACKAGES:
            interfaces = {
                f"{kind}/{path.stem}.idl"
                for kind in ("msg", "srv")
                for path in (SRC / name / kind).glob(f"*.{kind}")
            }
            read = workspace / "build" / name / "rosidl_adapter" / name
            assert {str(path.relative_to(read)) for path in read.rglob("*.idl")} == interfaces


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("vdsim_interface", "launch"),
        ("vdsim_interface", "config"),
        ("vdsim_interface", "vdsim_interface/platforms/maps"),
        ("vdsim_interface", "vdsim_interface/extras/autohyu/maps"),
        ("vdsim_plant", "vdsim_plant/data"),
        ("vdsim_plant_node", "vdsim_plant_node/dataport/web"),
    ],
)
def test_an_incomplete_copy_does_not_build(name: str, folder: str, tmp_path: Path) -> None:
    copy = copied(tmp_path, [name]) / "src/0" / name
    shutil.rmtree(copy / folder)
    command = [sys.executable, "setup.py", "--version"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip().endswith(": the copy is incomplete")
    assert Path(folder).name in done.stderr
