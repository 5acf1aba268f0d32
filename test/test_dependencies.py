"""Every package under src/ declares what it imports, to pip and to ROS."""

from __future__ import annotations

import ast
import os
import re
import runpy
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import setuptools
from workspace import rosdep_keys as rosdep_database

SRC = Path(__file__).resolve().parents[1] / "src"
PACKAGES = sorted(path.parent.name for path in SRC.glob("*/setup.py"))
# Import name -> name on PyPI, and key of rosdep, where they differ from it.
PYPI_NAMES = {"yaml": "pyyaml", "can": "python-can", "mcap_ros2": "mcap-ros2-support"}
ROSDEP_KEYS = {"llvmlite": "python3-numba"}  # has no key; Debian's numba depends on it
OPTIONAL = {
    "opendbc",
    "cantools",
    "casadi",
    "crccheck",
    "gymnasium",
    "mcap_ros2",
    "rosbags",
    "pettingzoo",
}  # extras without a key: who wants them takes them from PyPI
# From ROS 2, not from PyPI: `pip install` cannot install them.
ROS_PACKAGES = {
    *("ament_index_python", "launch", "launch_ros", "launch_xml", "rclpy"),
    *("builtin_interfaces", "composition_interfaces", "diagnostic_msgs", "geometry_msgs"),
    *("lifecycle_msgs", "nav_msgs"),
    *("rcl_interfaces", "rosgraph_msgs", "sensor_msgs", "std_msgs", "std_srvs", "tf2_msgs"),
    *("autohyu_msgs", "vdsim_msgs"),
    *("autoware_adapi_v1_msgs", "autoware_control_msgs", "autoware_planning_msgs"),
    *("ackermann_msgs", "autoware_vehicle_msgs"),
}


# What the tests import of the repository round them.
OF_THE_REPOSITORY = {"vdsim_kit", "targets", "mpc_low_mu", "mppi_low_mu"}
MESSAGE_PACKAGES = sorted(path.parent.name for path in SRC.glob("*/CMakeLists.txt"))
_LAUNCHED = re.compile(r"""(?:\bpackage=|\bnode\(\s*context,\s*)["'](\w+)["']""")
_NAME = re.compile(r"[\w.-]+")  # of a requirement, without its versions
_FIELD_TYPE = re.compile(r"^(\w+)/(?:msg/)?\w+", re.MULTILINE)


def imports(package: str) -> set[str]:
    """Top-level names outside the standard library that a package imports anywhere."""
    folder = SRC / package
    return imported_by(package, [*(folder / package).rglob("*.py"), *launch_files(package)])


def imports_of_tests(package: str) -> set[str]:
    """The same for its tests and the kit beside it; the kit of a package comes with the package."""
    tests = [*(SRC / package / "test").rglob("test_*.py"), *(SRC / package).rglob("conftest.py")]
    kit = f"{package}_kit"
    names = imported_by(package, [*tests, *(SRC / package / kit).rglob("*.py")])
    return {name.removesuffix("_kit") for name in names - OF_THE_REPOSITORY - {kit}}


def launch_files(package: str) -> list[Path]:
    return sorted((SRC / package / "launch").glob("*.py"))


def imported_by(package: str, files: Iterable[Path]) -> set[str]:
    imported: set[str] = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                imported.add(node.module.partition(".")[0])
    return imported - set(sys.stdlib_module_names) - {package, "__future__"}


def declared_to_pip(package: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    given: dict[str, Any] = {}
    monkeypatch.setattr(setuptools, "setup", lambda **arguments: given.update(arguments))
    monkeypatch.chdir(SRC / package)
    runpy.run_path("setup.py")
    extras = (names for key, names in given.get("extras_require", {}).items() if key != "test")
    needs = [*given.get("install_requires", []), *(name for names in extras for name in names)]
    return {_NAME.match(need)[0] for need in needs}  # type: ignore[index]


def declared_to_ros(package: str, *kinds: str) -> set[str]:
    tree = ElementTree.parse(SRC / package / "package.xml")
    return {item.text or "" for kind in ("depend", *kinds) for item in tree.iter(kind)}


def rosdep_keys(names: Iterable[str]) -> set[str]:
    """The names in package.xml of what is imported."""
    ours = {path.parent.name for path in SRC.glob("*/package.xml")}
    return {
        name if name in ROS_PACKAGES | ours else ROSDEP_KEYS.get(name, f"python3-{name}")
        for name in names
        if name not in OPTIONAL
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_pip_builds_a_wheel_of_every_package(package: str) -> None:
    """Without pyproject.toml an older pip runs `setup.py install`, which makes no commands."""
    assert "[build-system]" in (SRC / package / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_import_is_declared_to_pip(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    needed = {PYPI_NAMES.get(name, name) for name in imports(package) - ROS_PACKAGES}
    assert needed - declared_to_pip(package, monkeypatch) == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_import_is_declared_to_ros(package: str) -> None:
    assert rosdep_keys(imports(package)) - declared_to_ros(package, "exec_depend") == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_import_of_the_tests_is_declared_to_ros(package: str) -> None:
    declared = declared_to_ros(package, "exec_depend", "test_depend")
    assert rosdep_keys(imports_of_tests(package)) - declared == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_that_is_launched_is_declared_to_ros(package: str) -> None:
    launched = {
        name
        for file in launch_files(package)
        for name in _LAUNCHED.findall(file.read_text(encoding="utf-8"))
    }
    assert launched or not launch_files(package)
    assert launched - {package} - declared_to_ros(package, "exec_depend") == set()


@pytest.mark.parametrize("package", MESSAGE_PACKAGES)
def test_the_packages_of_every_field_are_declared(package: str) -> None:
    used: set[str] = set()
    for kind in ("msg", "srv"):
        for file in (SRC / package).glob(f"{kind}/*.{kind}"):
            used |= set(_FIELD_TYPE.findall(file.read_text(encoding="utf-8")))
    cmake = (SRC / package / "CMakeLists.txt").read_text(encoding="utf-8")
    linked = set(cmake.partition("DEPENDENCIES")[2].partition(")")[0].split())
    assert used - {package} - declared_to_ros(package) == set()
    assert used - {package} - linked == set()
    assert linked == declared_to_ros(package), "declared and linked are the same"


def unresolved(keys: Iterable[str], rosdistro: Path, distro: str) -> set[str]:
    """The keys that a clone of ros/rosdistro knows neither for rosdep nor as a package."""
    own = {path.parent.name for path in SRC.glob("*/package.xml")}
    return set(keys) - own - rosdep_database.known(rosdistro, distro)


DEPENDS = ("build_depend", "buildtool_depend", "exec_depend", "test_depend")
ONLY_PYPI = {"vdsim_record": {"python3-mcap", "python3-zstandard"}}
"""What rosdistro has no key for (2026-08-22): such a package cannot be released there."""


@pytest.mark.parametrize("package", [*PACKAGES, *MESSAGE_PACKAGES])
def test_rosdep_resolves_every_key(package: str) -> None:
    """Against a clone of ros/rosdistro, at VDSIM_ROSDISTRO; the clone is not part of this one."""
    folder = os.environ.get("VDSIM_ROSDISTRO")
    if folder is None:
        pytest.skip("VDSIM_ROSDISTRO names no clone of ros/rosdistro: rosdep keys not checked")
    keys = declared_to_ros(package, *DEPENDS)
    assert unresolved(keys, Path(folder), "jazzy") - ONLY_PYPI.get(package, set()) == set()


@pytest.mark.parametrize("package", [*PACKAGES, *MESSAGE_PACKAGES])
def test_nobody_needs_a_package_that_rosdistro_cannot_have(package: str) -> None:
    assert declared_to_ros(package, *DEPENDS) & ONLY_PYPI.keys() == set()


def test_a_key_that_rosdistro_does_not_know_is_found(tmp_path: Path) -> None:
    (tmp_path / "rosdep").mkdir()
    (tmp_path / "jazzy").mkdir()
    (tmp_path / "rosdep" / "base.yaml").write_text("cmake: {ubuntu: [cmake]}\n")
    (tmp_path / "rosdep" / "python.yaml").write_text("python3-numpy: {ubuntu: [python3-numpy]}\n")
    (tmp_path / "jazzy" / "distribution.yaml").write_text(
        "repositories: {rclpy: {release: {}}, common: {release: {packages: [std_msgs]}},"
        " only_source: {source: {}}}\n"
    )
    keys = ["cmake", "python3-numpy", "rclpy", "std_msgs", "vdsim_msgs", "python3-nothing"]
    assert unresolved(keys, tmp_path, "jazzy") == {"python3-nothing"}
