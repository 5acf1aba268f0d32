"""The private Python environment: created once; one that is incomplete is completed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from workspace import fingerprint, needs, pins, pip, venv
from workspace.distro import Distro
from workspace.layout import Layout, WorkspaceError
from workspace.lock import exclusive
from workspace.progress import print_status
from workspace.sourcing import modules_of_ros, python_of_ros, system_environment
from workspace.wheel_route import requirement_sets, wheels

# Modules that the product and its tools import, and the requirement that installs each: with a
# ROS 2 installation only the modules that the system lacks are installed in addition.
MODULES = {
    "aiohttp": "aiohttp",
    "colcon_core": "colcon-common-extensions",
    "cryptography": "cryptography",
    "hypothesis": "hypothesis",
    "matplotlib": "matplotlib",
    "mypy": "mypy",
    "numba": "numba",
    "numpy": "numpy",
    "pytest": "pytest",
    "ruff": "ruff",
    "scipy": "scipy",
    "transitions": "transitions",
    "yaml": "PyYAML",
    "yaml-stubs": "types-PyYAML",
}
_BESIDE_ROS = ("messages.txt", "python.txt", "plots.txt", "develop.txt", "secure.txt")


def ensure_environment(
    layout: Layout, distro: Distro, when_ros_is_there: Callable[[int], None]
) -> None:
    """Create the environment unless it is complete and has the pinned versions.

    `when_ros_is_there` takes the lock's descriptor and runs beside the rest of the installation.
    """
    expected = _fingerprint(layout, distro)
    if _is_complete(layout, expected):
        return
    with exclusive(layout.root / ".ros" / f"{layout.name}.lock", "setting up") as lock:
        if _is_complete(layout, expected):  # the process that held the lock has created it
            return
        line = needs.missing_line(needs.needs(distro.origin))
        if line:
            raise WorkspaceError(line)
        _remove_unusable(layout, distro)
        if distro.origin == "wheels":
            _make_from_wheels(layout, distro, lock, when_ros_is_there)
        else:
            _make_on_system(layout, distro, lock)
        layout.venv_stamp.write_text(expected, encoding="utf-8")


def _fingerprint(layout: Layout, distro: Distro) -> str:
    sets = requirement_sets.FIRST if distro.origin == "wheels" else (requirement_sets.PRODUCT,)
    return fingerprint.of_files([], distro.origin, *(s.fingerprint(layout, distro) for s in sets))


def _is_complete(layout: Layout, expected: str) -> bool:
    try:
        installed = layout.venv_stamp.read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return (
        installed == expected
        and venv.recorded_place(layout) == str(layout.venv)
        and layout.python.exists()
    )


def _remove_unusable(layout: Layout, distro: Distro) -> None:
    """Remove an environment that cannot be completed."""
    layout.venv_stamp.unlink(missing_ok=True)
    if not layout.venv.exists():
        return
    if venv.recorded_place(layout) not in ("", str(layout.venv)):
        reason = "the workspace was moved"
    elif not venv.recorded_place(layout) or not layout.python.exists():
        reason = "the environment is incomplete"
    elif distro.origin == "wheels" and wheels.has_old_pins(layout, distro):
        reason = "other versions are pinned"
    else:
        return
    print_status(f"{reason}; the environment is recreated")
    shutil.rmtree(layout.venv)


def _make_from_wheels(
    layout: Layout, distro: Distro, lock: int, when_ros_is_there: Callable[[int], None]
) -> None:
    if not layout.python.exists():
        print_status(
            f"no ROS 2 is sourced or installed: {distro.name} from PyPI wheels goes to "
            f"{layout.venv}"
        )
        venv.create(layout, Path(sys.executable), system_packages=False)
        _pin_pip(layout, os.environ, lock)
    wheels.make(layout, distro, lock, lambda: when_ros_is_there(lock))


def _make_on_system(layout: Layout, distro: Distro, lock: int) -> None:
    print_status(f"ROS 2 {distro.name} ({distro.origin}): adding what it lacks in {layout.venv}")
    environ = system_environment(distro)
    if not layout.python.exists():
        python = python_of_ros(environ)
        venv.create(layout, python, system_packages=True)
        # What that interpreter has of its own venv is not among the system's packages.
        venv.add_modules(layout, modules_of_ros(python, environ))
        _pin_pip(layout, environ, lock)
    probe = "import importlib.util as u; print(' '.join(m for m in {!r} if u.find_spec(m) is None))"
    missing = venv.evaluate(layout, probe.format(list(MODULES)), environ).split()
    if missing:
        print_status(f"step 1 of 2: installing {', '.join(missing)}")
        files = [layout.requirements / name for name in _BESIDE_ROS]
        constraints = layout.state / "constraints.txt"
        options = pins.options_beside_others(layout.requirements, files, constraints)
        wanted = [MODULES[module] for module in missing]
        pip.install(layout, [*options, *wanted], environ, lock, layout.log / "setup.log")


def _pin_pip(layout: Layout, environ: Mapping[str, str], lock: int) -> None:
    pip.install_itself(
        layout.python, layout.requirements, environ, lock, layout.log / "pip-itself.log"
    )
