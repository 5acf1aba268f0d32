"""The distribution: what `pip install ./portable` brings, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, EntryPoint
from pathlib import Path

import pytest
from ros2cli.prefix import INDEX, add_own_prefix

PORTABLE = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns(
    "test", "interfaces", "build", "__pycache__", "*.dist-info", "*.egg-info"
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder into which pip has installed a copy of portable/."""
    folder = tmp_path_factory.mktemp("a distribution")
    shutil.copytree(PORTABLE, folder / "source", ignore=LEFT_OUT)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--target", "target"]
    subprocess.run([*pip, *options, "./source"], cwd=folder, check=True)
    return folder / "target"


def run(installed: Path, *command: str) -> subprocess.CompletedProcess[str]:
    kept = [
        entry
        for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if entry and not Path(entry).is_relative_to(PORTABLE)
    ]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), *kept])}
    path = installed / "bin" / command[0]
    return subprocess.run(
        [str(path), *command[1:]], env=environ, capture_output=True, text=True, check=False
    )


def entry_points(folder: Path) -> set[EntryPoint]:
    (info,) = folder.glob("*.dist-info")
    return set(Distribution.at(info).entry_points)


def test_commands_exist_and_start(installed: Path) -> None:
    commands = {entry.name for entry in entry_points(installed) if entry.group == "console_scripts"}
    assert commands == {"ros2", "launch_test"}
    for command in sorted(commands):
        done = run(installed, command, "--help")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"usage: {command} ")


def test_a_launch_file_runs(installed: Path, tmp_path: Path) -> None:
    file = tmp_path / "one.launch.py"
    file.write_text(
        "import launch, launch_ros, rosidl_runtime_py\n"
        "from launch.actions import LogInfo\n"
        "def generate_launch_description():\n"
        "    return launch.LaunchDescription([LogInfo(msg=launch.__file__)])\n"
    )
    done = run(installed, "ros2", "launch", str(file))
    assert done.returncode == 0, done.stderr
    assert f"[launch.user]: {installed}" in done.stdout


def test_every_module_is_packaged(installed: Path) -> None:
    assert modules(installed) == modules(PORTABLE)
    for profile in ("fastdds.xml", "fastdds_loopback.xml"):
        assert (installed / "share" / "ros2_portable" / profile).is_file()
    for package in installed.glob("*/__init__.py"):
        assert (package.parent / "py.typed").is_file()


def modules(folder: Path) -> set[Path]:
    found: Iterable[Path] = (path.relative_to(folder) for path in folder.glob("*/**/*.py"))
    return {path for path in found if path.parts[0] not in ("test", "build")}


def test_the_folder_itself_has_the_same_pytest_plug_in(installed: Path) -> None:
    """On PYTHONPATH, without installation, pytest finds the plug-in by a dist-info folder."""
    plug_ins = {entry for entry in entry_points(installed) if entry.group == "pytest11"}
    assert plug_ins == entry_points(PORTABLE)


def test_own_prefix_is_used_where_none_is_set(tmp_path: Path) -> None:
    environ: dict[str, str] = {}
    add_own_prefix(environ, str(tmp_path))
    assert environ == {}
    (tmp_path / INDEX).mkdir(parents=True)
    add_own_prefix(environ, str(tmp_path))
    assert environ["AMENT_PREFIX_PATH"] == str(tmp_path)
    assert environ["ROS_VERSION"] == "2"
    set_up = {"AMENT_PREFIX_PATH": "/opt/ros"}
    add_own_prefix(set_up, str(tmp_path))
    assert set_up == {"AMENT_PREFIX_PATH": "/opt/ros"}
