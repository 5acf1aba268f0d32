"""An installed ROS 2: its environment variables, and the Python that can import it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from workspace.distro import Distro
from workspace.layout import WorkspaceError


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


def python_of_ros(environ: Mapping[str, str]) -> Path:
    """The interpreter that can import the installation's rclpy."""
    prefixes = environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    in_prefix = [str(Path(p) / "bin" / "python3") for p in prefixes if p]  # ROS 2 in a venv
    on_path = shutil.which("python3", path=environ.get("PATH"))
    for candidate in (*in_prefix, "/usr/bin/python3", on_path, sys.executable):
        if candidate and shutil.which(candidate) and _can_import_rclpy(candidate, environ):
            return Path(candidate)
    raise WorkspaceError("ROS 2 was found, but no python3 can import its rclpy: install ros-base")


def modules_of_ros(python: Path, environ: Mapping[str, str]) -> str:
    """The folder from which that interpreter imports rclpy."""
    code = "import importlib.util as u; print(u.find_spec('rclpy').origin)"
    done = subprocess.run(
        [str(python), "-c", code], env=dict(environ), capture_output=True, text=True, check=True
    )
    return str(Path(done.stdout.strip()).parents[1])


def _can_import_rclpy(python: str, environ: Mapping[str, str]) -> bool:
    # Its compiled part works with one version of Python only; finding the package is not enough.
    check = "from rclpy.impl.implementation_singleton import rclpy_implementation"
    command = [python, "-c", check]
    return not subprocess.run(
        command, env=dict(environ), capture_output=True, check=False
    ).returncode
