"""The Python environment under .ros/<name>/venv: created once; a partial one is recreated."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from workspace import fingerprint, needs, quirks
from workspace.distro import Distro
from workspace.layout import Layout, WorkspaceError
from workspace.lock import exclusive
from workspace.progress import print_status, run_logged, tail

# Modules that the product and its tools import, and the requirement that installs each: with a
# ROS 2 installation only the modules that the system lacks are installed in addition.
MODULES = {
    "aiohttp": "aiohttp",
    "colcon_core": "colcon-common-extensions",
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
_PIP_PROGRESS = ("Downloading", "Using cached", "Installing collected")
_RECIPE = "2"  # raised when the steps below change, so that old environments are brought up to date
_NO_NETWORK = (
    "NewConnectionError",
    "ConnectTimeout",
    "Temporary failure in name",
    "Could not find a version",
    "ProxyError",
    "ReadTimeout",
    "Connection refused",
)


def ensure_environment(layout: Layout, distro: Distro) -> None:
    """Create the environment unless it is complete and has the pinned versions."""
    expected = _fingerprint(layout, distro)
    if _is_complete(layout, expected):
        return
    with exclusive(layout.root / ".ros" / f"{layout.name}.lock", "setting up") as lock:
        if _is_complete(layout, expected):  # the process that held the lock has created it
            return
        line = needs.missing_line()
        if line:
            raise WorkspaceError(line)
        _make(layout, distro, lock)
        layout.venv_stamp.write_text(expected, encoding="utf-8")


def _fingerprint(layout: Layout, distro: Distro) -> str:
    return fingerprint.of_files(
        _requirement_files(layout, distro), distro.origin, distro.name, _RECIPE
    )


def _requirement_files(layout: Layout, distro: Distro) -> list[Path]:
    files = [layout.requirements / "python.txt"]
    if distro.origin == "wheels":
        files.append(layout.requirements / f"ros-{distro.name}.txt")
    return files


def _is_complete(layout: Layout, expected: str) -> bool:
    try:
        installed = layout.venv_stamp.read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    # A clone that was moved or copied keeps the old paths inside its scripts: recreate it.
    return (
        installed == expected
        and _recorded_place(layout) == str(layout.venv)
        and layout.python.exists()
    )


def _recorded_place(layout: Layout) -> str:
    marker = layout.venv / "place"
    return marker.read_text(encoding="utf-8") if marker.is_file() else ""


def _make(layout: Layout, distro: Distro, lock: int) -> None:
    if layout.venv.exists() and not layout.venv_stamp.exists():
        print_status("the environment is incomplete and is recreated")
        shutil.rmtree(layout.venv)
    elif layout.venv.exists() and _recorded_place(layout) != str(layout.venv):
        print_status("the workspace was moved; its environment is recreated")
        shutil.rmtree(layout.venv)
    if distro.origin == "wheels":
        _make_from_wheels(layout, distro, lock)
    else:
        _make_on_system(layout, distro, lock)
    (layout.venv / "place").write_text(str(layout.venv), encoding="utf-8")


def _make_from_wheels(layout: Layout, distro: Distro, lock: int) -> None:
    print_status(
        f"no ROS 2 is sourced or installed: {distro.name} from PyPI wheels goes to {layout.venv}"
    )
    _create_venv(layout, Path(sys.executable), system_packages=False)
    arguments: list[str] = []
    for file in _requirement_files(layout, distro):
        arguments += ["-r", str(file)]
    print_status(
        "step 1 of 2: downloading and installing packages (about 1 GB on disk, a minute or two)"
    )
    _pip_install(layout, arguments, os.environ, lock)
    include = _evaluate(layout, "import sysconfig; print(sysconfig.get_path('include'))")
    numpy_include = _evaluate(layout, "import numpy; print(numpy.get_include())")
    quirks.repair_cmake_exports(layout.venv / "share", include, numpy_include)
    quirks.link_private_libraries(layout.venv)
    quirks.write_local_setup(layout.venv, distro.name)


def _make_on_system(layout: Layout, distro: Distro, lock: int) -> None:
    print_status(f"ROS 2 {distro.name} ({distro.origin}): adding what it lacks in {layout.venv}")
    environ = system_environment(distro)
    _create_venv(layout, _python_of_ros(environ), system_packages=True)
    probe = "import importlib.util as u; print(' '.join(m for m in {!r} if u.find_spec(m) is None))"
    missing = _evaluate(layout, probe.format(list(MODULES)), environ).split()
    if missing:
        print_status(f"step 1 of 2: installing {', '.join(missing)}")
        pins = _pins(layout.requirements / "python.txt")
        _pip_install(
            layout, [pins.get(MODULES[m].lower(), MODULES[m]) for m in missing], environ, lock
        )


def _pins(file: Path) -> dict[str, str]:
    """Name -> pinned requirement, for those with one pin for every Python."""
    pins: dict[str, str] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#") and ";" not in line:
            pins[line.partition("==")[0].lower()] = line
    return pins


def system_environment(distro: Distro) -> dict[str, str]:
    """The caller's variables with an installed ROS 2 sourced."""
    setup = distro.setup_file
    if setup is None:
        return dict(os.environ)
    script = f'. "{setup}" >/dev/null && env -0'
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    if done.returncode:
        raise WorkspaceError(
            f"sourcing {setup} failed: {done.stderr.decode(errors='replace').strip()}"
        )
    pairs = (
        item.partition("=") for item in done.stdout.decode(errors="surrogateescape").split("\0")
    )
    return {name: value for name, _, value in pairs if name}


def _python_of_ros(environ: Mapping[str, str]) -> Path:
    """The interpreter that can import the installation's rclpy."""
    on_path = shutil.which("python3", path=environ.get("PATH"))
    for candidate in ("/usr/bin/python3", on_path, sys.executable):
        if candidate and _can_import_rclpy(candidate, environ):
            return Path(candidate)
    raise WorkspaceError("ROS 2 was found, but no python3 can import its rclpy: install ros-base")


def _can_import_rclpy(python: str, environ: Mapping[str, str]) -> bool:
    # Its compiled part works with one version of Python only; finding the package is not enough.
    check = "from rclpy.impl.implementation_singleton import rclpy_implementation"
    command = [python, "-c", check]
    return not subprocess.run(
        command, env=dict(environ), capture_output=True, check=False
    ).returncode


def _create_venv(layout: Layout, python: Path, *, system_packages: bool) -> None:
    if layout.python.exists():
        return  # complete, with other pins: pip updates it in place
    layout.state.mkdir(parents=True, exist_ok=True)
    options = ["--system-site-packages"] if system_packages else []
    command = [str(python), "-m", "venv", *options, str(layout.venv)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["unknown reason"]
        raise WorkspaceError(f"python -m venv failed: {reason[0]}")


def _pip_install(
    layout: Layout, arguments: list[str], environ: Mapping[str, str], lock: int
) -> None:
    log = layout.log / "setup.log"
    command: list[str | Path] = [
        layout.python,
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
    ]
    command += arguments
    code = run_logged(command, log, environ, keep=_PIP_PROGRESS, every=15, lock=lock)
    if code == 0:
        return
    text = tail(log, 400)
    reason = next((x for x in reversed(text.splitlines()) if "ERROR" in x), text[-200:]).strip()
    if any(sign in text for sign in _NO_NETWORK):
        raise WorkspaceError(
            f"the package index could not be reached: connect to the network and run again. "
            f"Nothing else was changed; details in {log} ({reason[:160]})"
        )
    raise WorkspaceError(f"pip failed, details in {log}: {reason[:300]}")


def _evaluate(layout: Layout, code: str, environ: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(layout.python), "-c", code], capture_output=True, text=True, check=False, env=environ
    )
    if done.returncode:
        raise WorkspaceError(f"the new environment does not work: {done.stderr.strip()[-300:]}")
    return done.stdout.strip()
