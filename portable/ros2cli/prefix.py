"""The ROS 2 of the Python environment itself, where none is set up in the shell."""

from __future__ import annotations

import sys
from collections.abc import MutableMapping
from pathlib import Path

INDEX = "share/ament_index/resource_index/packages"
DISTRO_OF_RCLPY = {"7": "jazzy", "9": "kilted"}  # by the major version of the wheel


def add_own_prefix(environ: MutableMapping[str, str], prefix: str = sys.prefix) -> None:
    """Set the variables that name this environment, as the wheels have no setup file to source.

    What a setup file or a workspace has set is left as it is.
    """
    if environ.get("AMENT_PREFIX_PATH") or not Path(prefix, INDEX).is_dir():
        return
    environ["AMENT_PREFIX_PATH"] = prefix
    environ.setdefault("ROS_VERSION", "2")
    environ.setdefault("ROS_PYTHON_VERSION", "3")
    distro = DISTRO_OF_RCLPY.get(_rclpy_version().partition(".")[0])
    if distro is not None:
        environ.setdefault("ROS_DISTRO", distro)


def _rclpy_version() -> str:
    # Imported here: it takes 0.1 s, which every command would pay.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("ros-rclpy")
    except PackageNotFoundError:
        return ""
