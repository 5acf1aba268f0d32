"""Every package under src/ declares what it imports, to pip and to ROS."""

from __future__ import annotations

import ast
import runpy
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
import setuptools

SRC = Path(__file__).resolve().parents[1] / "src"
PACKAGES = sorted(path.parent.name for path in SRC.glob("*/setup.py"))
# Import name -> name on PyPI, and key of rosdep, where they differ from it.
PYPI_NAMES = {"yaml": "pyyaml"}
ROSDEP_KEYS = {"llvmlite": "python3-numba"}  # has no key; Debian's numba depends on it
# From ROS 2, not from PyPI: `pip install` cannot install them.
ROS_PACKAGES = {
    *("ament_index_python", "launch", "launch_ros", "rclpy"),
    *("builtin_interfaces", "diagnostic_msgs", "geometry_msgs", "lifecycle_msgs", "nav_msgs"),
    *("rcl_interfaces", "rosgraph_msgs", "sensor_msgs", "std_msgs", "std_srvs", "tf2_msgs"),
    *("autohyu_msgs", "vdsim_msgs"),
}


def imports(package: str) -> set[str]:
    """Top-level names outside the standard library that a package imports anywhere."""
    imported: set[str] = set()
    for file in [*(SRC / package / package).rglob("*.py"), *(SRC / package / "launch").glob("*")]:
        if file.suffix != ".py":
            continue
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
    return {*given.get("install_requires", []), *(name for names in extras for name in names)}


def declared_to_ros(package: str) -> set[str]:
    tree = ElementTree.parse(SRC / package / "package.xml")
    return {item.text or "" for kind in ("depend", "exec_depend") for item in tree.iter(kind)}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_import_is_declared_to_pip(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    needed = {PYPI_NAMES.get(name, name) for name in imports(package) - ROS_PACKAGES}
    assert needed - declared_to_pip(package, monkeypatch) == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_import_is_declared_to_ros(package: str) -> None:
    ours = {path.parent.name for path in SRC.glob("*/package.xml")}
    needed = {
        name if name in ROS_PACKAGES | ours else ROSDEP_KEYS.get(name, f"python3-{name}")
        for name in imports(package)
    }
    assert needed - declared_to_ros(package) == set()
