"""Imports point one way, and only the shells know sockets, clocks, threads and ROS."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = {"vdsim_protocol", "vdsim_interface", "vdsim_plant", "vdsim_plant_node"}
MESSAGES = {"vdsim_msgs", "autohyu_msgs"}
OUTSIDE = {"rclpy", "socket", "time", "threading", "asyncio", "selectors", "select", "subprocess"}

PACKAGES = {
    "vdsim_protocol": ROOT / "src/vdsim_protocol/vdsim_protocol",
    "vdsim_interface": ROOT / "src/vdsim_interface/vdsim_interface",
    "vdsim_plant": ROOT / "src/vdsim_plant/vdsim_plant",
    "vdsim_plant_node": ROOT / "src/vdsim_plant_node/vdsim_plant_node",
}
# Whom each may import; none imports what stands on it.
ALLOWED = {
    "vdsim_protocol": set[str](),
    "vdsim_interface": {"vdsim_protocol", *MESSAGES},
    "vdsim_plant": set[str](),
    "vdsim_plant_node": {"vdsim_plant", "vdsim_protocol", *MESSAGES},
}
# Folders and modules that are shells: they hold the sockets, the clocks and the nodes.
SHELLS = (
    "vdsim_protocol/shells/",
    "vdsim_interface/nodes/",
    "vdsim_interface/shells/",
    "vdsim_plant_node/",
    "vdsim_plant/cli/",
    "vdsim_interface/teleop/device_io.py",  # reads Linux' input devices
    "vdsim_plant/compiled/linking.py",  # links the core into the process, once for all its threads
)


def modules() -> Iterator[tuple[str, str, Path]]:
    """Package, path below src, and file of every module."""
    for package, folder in PACKAGES.items():
        for file in sorted(folder.rglob("*.py")):
            yield package, str(Path(package) / file.relative_to(folder)), file


def imports(file: Path) -> set[str]:
    """Top-level names that a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
    return found


def dotted(name: str) -> str:
    """The name by which a module is imported."""
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def modules_imported(file: Path, known: set[str]) -> set[str]:
    """Those of the known modules that a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            # `from package import module` needs the module; anything else what holds it.
            found |= parts & known or {node.module}
    return found & known


ALL = list(modules())
CORES = [(name, file) for _, name, file in ALL if not name.startswith(SHELLS)]


@pytest.mark.parametrize(("package", "name", "file"), ALL, ids=[name for _, name, _ in ALL])
def test_imports_point_one_way(package: str, name: str, file: Path) -> None:
    foreign = imports(file) & (OURS | MESSAGES) - {package} - ALLOWED[package]
    assert not foreign, f"{name} may not import {sorted(foreign)}"


def test_no_module_stands_on_itself() -> None:
    """Neither at import nor later: an import inside a function draws the same circle."""
    files = {dotted(name): file for _, name, file in ALL}
    graph = {name: modules_imported(file, set(files)) for name, file in files.items()}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize(("name", "file"), CORES, ids=[name for name, _ in CORES])
def test_cores_know_no_socket_clock_thread_or_ros(name: str, file: Path) -> None:
    outside = imports(file) & OUTSIDE
    assert not outside, f"{name} is a core and may not import {sorted(outside)}"


def test_the_protocol_stands_on_the_standard_library_alone() -> None:
    import sys

    known = set(sys.stdlib_module_names) | {"vdsim_protocol", "__future__"}
    for package, name, file in ALL:
        if package == "vdsim_protocol" and not name.startswith("vdsim_protocol/shells/"):
            assert imports(file) <= known, name
