"""Which ROS 2 to use: the sourced one, else the newest under /opt/ros, else wheels from PyPI."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workspace.layout import WorkspaceError

WHEEL_DISTROS = ("jazzy", "kilted")
DEFAULT_WHEEL_DISTRO = "jazzy"


@dataclass(frozen=True)
class Distro:
    """The ROS 2 under the workspace."""

    name: str  # "jazzy"
    origin: str  # "sourced", "installed" or "wheels"
    prefix: Path | None = None  # of an installed one: /opt/ros/<name>

    @property
    def environment_name(self) -> str:
        """Name of the folder that `ws` creates for it."""
        return self.name if self.origin == "wheels" else f"system-{self.name}"

    @property
    def setup_file(self) -> Path | None:
        """The file to source before use; None when there is none."""
        return self.prefix / "setup.bash" if self.prefix and self.origin == "installed" else None


def installed_distros(opt_ros: Path) -> list[Path]:
    """Prefixes of ROS 2 under `opt_ros`, newest first: their names follow the alphabet."""
    if not opt_ros.is_dir():
        return []
    prefixes = [p for p in opt_ros.iterdir() if (p / "setup.bash").is_file() and _is_ros2(p)]
    return sorted(prefixes, key=lambda p: p.name, reverse=True)


def _is_ros2(prefix: Path) -> bool:
    return (prefix / "share" / "ament_index").is_dir()


def choose(environ: Mapping[str, str], opt_ros: Path, ours: Path) -> Distro:
    """The ROS 2 that this call uses; VDSIM_ROS_DISTRO requests one by name.

    `ours` is the folder of the environments that `ws` creates: inside `./ws shell` one of them is
    sourced, and its origin is still the wheels.
    """
    requested = environ.get("VDSIM_ROS_DISTRO", "")
    sourced = environ.get("ROS_DISTRO", "")
    prefixes = environ.get("AMENT_PREFIX_PATH", "")
    nested = bool(sourced) and str(ours / sourced / "venv") in prefixes.split(os.pathsep)
    if nested and requested in ("", sourced):
        return Distro(sourced, "wheels")
    if sourced and prefixes and not nested and requested in ("", sourced):
        return Distro(sourced, "sourced", _sourced_prefix(environ, sourced))
    for prefix in installed_distros(opt_ros):
        if requested in ("", prefix.name):
            return Distro(prefix.name, "installed", prefix)
    name = requested or DEFAULT_WHEEL_DISTRO
    if name not in WHEEL_DISTROS:
        allowed = " or ".join(WHEEL_DISTROS)
        raise WorkspaceError(
            f"VDSIM_ROS_DISTRO={name}: not sourced, not under {opt_ros}; "
            f"PyPI wheels exist for {allowed}"
        )
    return Distro(name, "wheels")


def _sourced_prefix(environ: Mapping[str, str], name: str) -> Path | None:
    """The prefix among those sourced that holds ROS 2 itself."""
    for entry in environ["AMENT_PREFIX_PATH"].split(os.pathsep):
        if entry and (Path(entry) / "share" / "rclcpp").is_dir():
            return Path(entry)
    installed = Path("/opt/ros") / name
    return installed if installed.is_dir() else None
