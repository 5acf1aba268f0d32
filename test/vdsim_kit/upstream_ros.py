"""An installed ROS 2 for the lane `upstream`: upstream's own tools, built over the PyPI wheels.

The wheels lack launch, ros2cli and launch_testing; whoever runs the lane names a folder with their
sources. The result stands for a ROS 2 of the distribution: sourced, with a middleware of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from workspace.distro import Distro
from workspace.environment import base_environment
from workspace.layout import Layout

from vdsim_kit.tools import STACK_MESSAGES

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "VDSIM_UPSTREAM"
DISTRO = Distro("jazzy", "wheels")
WHEELS = Layout(ROOT, DISTRO.name)
BASE = ("launch", "launch_testing", "launch_xml", "launch_yaml", "launch_ros", "ros2launch")
CLI = ("action", "cli", "component", "doctor", "interface", "lifecycle", "node", "param", "pkg",
       "run", "service", "topic")  # fmt: skip
PACKAGES = (
    *BASE,
    *(f"ros2{name}" for name in CLI),
    *("composition_interfaces", "launch_testing_ros", "osrf_pycommon", "rosidl_runtime_py"),
)
"""What is built of the folder; packages that others of it need are all here."""
NEEDED_MODULES = ("psutil",)
"""What upstream's tools import and neither the wheels nor `./ws` bring."""
_NAME = re.compile(r"<name>\s*(\w+)\s*</name>")
_VERSION = re.compile(r"<version>\s*([\d.]+)\s*</version>")


class Source(NamedTuple):
    """A package of the folder."""

    name: str
    version: str
    folder: Path

    @property
    def commit(self) -> str:
        """The commit of the repository that it is in; empty outside one."""
        command = ["git", "-C", str(self.folder), "rev-parse", "HEAD"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""


def sources(folder: Path) -> list[Source]:
    """The packages of PACKAGES in a folder; raises when one is missing."""
    found = {}
    for file in sorted(folder.rglob("package.xml")):
        text = file.read_text(encoding="utf-8")
        name, version = _NAME.search(text), _VERSION.search(text)
        if name and version and name[1] in PACKAGES:
            found[name[1]] = Source(name[1], version[1], file.parent)
    missing = [name for name in PACKAGES if name not in found]
    if missing:
        raise ValueError(f"{VARIABLE}={folder}: no source of {', '.join(missing)}")
    return [found[name] for name in sorted(found)]


def build(found: list[Source], folder: Path) -> Path:
    """Build the packages; return the prefix. colcon itself builds only what has changed."""
    for command in (["build"], ["python", "-c", ""]):  # the wheels, then colcon
        subprocess.run([ROOT / "ws", *command], check=True)
    tf2 = ROOT / "portable" / "interfaces" / "tf2_msgs"
    command = [str(WHEELS.python), "-m", "colcon", "--log-base", str(folder / "log"), "build"]
    command += ["--build-base", str(folder / "build"), "--install-base", str(folder / "install")]
    command += ["--merge-install", "--paths", *(str(source.folder) for source in found), str(tf2)]
    command += ["--cmake-args", "-DBUILD_TESTING=OFF", "-DCMAKE_BUILD_TYPE=Release"]
    environ = {**base_environment(WHEELS, DISTRO), "MAKEFLAGS": f"-j{os.cpu_count()}"}
    subprocess.run(command, env=environ, check=True, stderr=subprocess.DEVNULL)
    return folder / "install"


def sourced(
    folder: Path, install: Path, modules_of_lane: Path, *, with_its_pytest: bool
) -> dict[str, str]:
    """The variables of a shell in which that ROS 2 is sourced, with an empty home.

    `modules_of_lane`: what upstream's tools need beside the wheels, and the pytest that a
    distribution has, which is another than the wheels'.
    """
    # Under another name: `./ws` takes its own wheels for wheels.
    prefix = folder / "wheels"
    prefix.mkdir(parents=True, exist_ok=True)
    for name in ("include", "lib", "share"):
        if not (prefix / name).is_symlink():
            (prefix / name).symlink_to(WHEELS.venv / name)
    (prefix / "local_setup.sh").touch()  # colcon warns of a prefix without one
    home = folder / "home"
    needed = folder / "needed"
    for place in (home, needed):
        place.mkdir(exist_ok=True)
    for name in NEEDED_MODULES:
        if not (needed / name).exists():
            (needed / name).symlink_to(modules_of_lane / name)
    modules = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    paths = [install, prefix]
    first = [modules_of_lane] if with_its_pytest else []
    python = [*first, needed, *(path / modules for path in paths)]
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("COLCON_", "FASTRTPS_", "FASTDDS_", "PYTHON", "VDSIM_"))
    }
    environ |= {
        "AMENT_PREFIX_PATH": os.pathsep.join(map(str, paths)),
        "CMAKE_PREFIX_PATH": os.pathsep.join(map(str, paths)),
        "LD_LIBRARY_PATH": os.pathsep.join(str(path / "lib") for path in paths),
        "PATH": os.pathsep.join([str(install / "bin"), _path_of_the_system()]),
        "PYTHONPATH": os.pathsep.join(map(str, python)),
        "HOME": str(home),
        **{"ROS_DISTRO": DISTRO.name, "ROS_VERSION": "2", "ROS_PYTHON_VERSION": "3"},
        "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1",
    }
    environ.pop("VIRTUAL_ENV", None)
    return environ


def _path_of_the_system() -> str:
    """The search path without environments of the workspace."""
    entries = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(e for e in entries if not e.startswith(str(ROOT / ".ros")))


def with_stack_messages(environ: dict[str, str], folder: Path) -> dict[str, str]:
    """The same, with Autoware's and Ackermann's messages sourced, as the workspace has them."""
    prefix = folder / "stack"
    modules = Path(environ["PYTHONPATH"].split(os.pathsep)[-1]).relative_to(folder / "wheels")
    for name in STACK_MESSAGES:
        entries = (f"share/{name}", f"share/ament_index/resource_index/packages/{name}",
                   f"share/ament_index/resource_index/rosidl_interfaces/{name}",
                   f"{modules}/{name}")  # fmt: skip
        for entry in entries:
            (prefix / entry).parent.mkdir(parents=True, exist_ok=True)
            if not (prefix / entry).is_symlink():
                (prefix / entry).symlink_to(WHEELS.messages / entry)
    (prefix / "local_setup.sh").touch()
    return {
        **environ,
        "AMENT_PREFIX_PATH": os.pathsep.join([str(prefix), environ["AMENT_PREFIX_PATH"]]),
        "PYTHONPATH": os.pathsep.join([environ["PYTHONPATH"], str(prefix / modules)]),
        "LD_LIBRARY_PATH": os.pathsep.join(
            [environ["LD_LIBRARY_PATH"], str(WHEELS.messages / "lib")]
        ),
    }
