"""`./ws doctor`: what is installed, with versions, and what is missing. Changes nothing."""

from __future__ import annotations

import os
import platform
import subprocess

from workspace import matrix, needs
from workspace.distro import Distro
from workspace.environment import base_environment, is_portable, variables_of
from workspace.layout import Layout

_VERSIONS = (
    "import importlib.metadata as m\n"
    "for n in {names!r}:\n"
    "    try: print(n, m.version(n))\n"
    "    except m.PackageNotFoundError: print(n, '-')\n"
)
# On the wheels nothing of ours is built with CMake.
_OPTIONAL = "not there; interface packages of your own need it"
_CREATED = "the next command creates it, such as a launch; ./ws build does nothing else"
_RECREATED = "the next command recreates it"
_SHOWN = ("rclpy", "numpy", "scipy", "numba", "transitions", "aiohttp", "matplotlib", "pytest")


def report(layout: Layout, distro: Distro) -> int:
    """Print the report; 0 when the workspace can run, 1 when something is missing."""
    rows = [("system", platform.platform()), ("python", platform.python_version())]
    required = needs.needs(distro.origin)
    rows += [
        (need.name, "found" if need.present() else f"MISSING: {need.package}") for need in required
    ]
    rows += [
        (need.name, "found" if need.present() else f"{_OPTIONAL}: {need.package}")
        for need in needs.CMAKE_NEEDS
        if need not in required
    ]
    origin = {"sourced": "sourced in this shell", "installed": f"installed, {distro.prefix}"}
    rows.append(
        ("ROS 2", f"{distro.name}, {origin.get(distro.origin, f'PyPI wheels in {layout.venv}')}")
    )
    rows.append(("this cell", matrix.doctor_line(_cell(layout, distro))))
    rows.append(("environment", _state(layout.venv_stamp.exists(), layout.venv.exists())))
    rows.append(("build", _state(layout.build_stamp.exists(), layout.build.exists())))
    if layout.variables.exists():
        portable = "portable/ (this ROS 2 has none)" if is_portable(layout) else "ROS 2's own"
        rows.append(("launch and ros2", portable))
    if layout.python.exists():
        rows += _versions(layout, distro)
    rows += list(variables_of(os.environ).items())
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")
    line = needs.missing_line(required)
    if line:
        print(line)
    return 1 if line else 0


def _cell(layout: Layout, distro: Distro) -> matrix.Cell:
    """The cell of docs/where-it-runs.md: the Python is that of the environment, if there is one."""
    origin = "wheels" if distro.origin == "wheels" else "installed"
    version = _venv_version(layout) or platform.python_version()
    python = ".".join(version.split(".")[:2])
    return matrix.Cell(distro.name, origin, python, platform.machine())


def _venv_version(layout: Layout) -> str:
    """The version in the environment's pyvenv.cfg; empty without one."""
    try:
        lines = (layout.venv / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    found = [line.partition("=")[2].strip() for line in lines if line.startswith("version")]
    return found[0] if found else ""


def _state(whole: bool, begun: bool) -> str:
    if whole:
        return "ready"
    return f"incomplete: {_RECREATED}" if begun else f"missing: {_CREATED}"


def _versions(layout: Layout, distro: Distro) -> list[tuple[str, str]]:
    code = _VERSIONS.format(names=_SHOWN)
    command = [str(layout.python), "-c", code]
    environ = base_environment(layout, distro)
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    return [
        (name, version) for name, _, version in (x.partition(" ") for x in done.stdout.splitlines())
    ]
