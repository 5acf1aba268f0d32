"""The checks of `ros2 doctor` that need no rclpy: environment, network, packages."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from ament_index_python.packages import get_packages_with_prefixes

from ros2cli.pkg import package_prefix


@dataclass(frozen=True)
class Section:
    """The results of a check as (name, value) rows, and its problems, a line each."""

    title: str
    rows: tuple[tuple[str, str], ...]
    problems: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the section as `ros2 doctor --report` prints it."""
        width = max((len(name) for name, _ in self.rows), default=0)
        lines = [f"   {self.title}", *(f"{name:{width}} : {value}" for name, value in self.rows)]
        return "\n".join([*lines, *(f"problem: {problem}" for problem in self.problems)])


DISCOVERY_RANGES = ("SUBNET", "LOCALHOST", "OFF", "SYSTEM_DEFAULT")
# Above it, the ports of DDS collide with the ephemeral ports of Linux.
DOMAIN_ID_MAX = 101


def distribution(environ: Mapping[str, str]) -> Section:
    """Check which ROS 2 is set up."""
    distro = environ.get("ROS_DISTRO", "")
    version = environ.get("ROS_VERSION", "")
    problems = []
    if not distro:
        problems.append("ROS_DISTRO is not set: is a ROS 2 environment set up in this shell?")
    if version not in ("", "2"):
        problems.append(f"ROS_VERSION={version}: must be 2")
    rows = (
        ("distribution name", distro or "unknown"),
        ("ros version", version or "unknown"),
        ("python", platform.python_version()),
        ("platform", platform.platform()),
    )
    return Section("ROS 2", rows, tuple(problems))


def prefixes(environ: Mapping[str, str]) -> Section:
    """Check the folders in which packages are searched."""
    paths = [path for path in environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if path]
    problems = [f"{path}: no such directory" for path in paths if not Path(path).is_dir()]
    if not paths:
        problems.append("AMENT_PREFIX_PATH is not set: no package can be found")
    rows = tuple((str(number), path) for number, path in enumerate(paths, start=1))
    return Section("PREFIXES", rows, tuple(problems))


def network(environ: Mapping[str, str]) -> Section:
    """Check which nodes can be discovered."""
    domain = environ.get("ROS_DOMAIN_ID", "")
    discovery_range = environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "")
    problems = []
    if domain and not (domain.isdecimal() and int(domain) <= DOMAIN_ID_MAX):
        problems.append(f"ROS_DOMAIN_ID={domain}: must be within 0 to {DOMAIN_ID_MAX}")
    if discovery_range and discovery_range not in DISCOVERY_RANGES:
        problems.append(
            f"ROS_AUTOMATIC_DISCOVERY_RANGE={discovery_range}: "
            f"must be one of {', '.join(DISCOVERY_RANGES)}"
        )
    rows = (
        ("domain id", domain or "0 (default)"),
        ("discovery range", discovery_range or "SUBNET (default)"),
        ("static peers", environ.get("ROS_STATIC_PEERS", "") or "none"),
    )
    return Section("NETWORK", rows, tuple(problems))


def packages() -> Section:
    """List the packages with their versions."""
    names = sorted(get_packages_with_prefixes())
    problems = []
    rows = []
    for name in names:
        manifest = package_prefix(name) / "share" / name / "package.xml"
        try:
            version = ElementTree.parse(manifest).findtext("version") or "no version"
        except (OSError, ElementTree.ParseError) as error:
            version = "unreadable"
            problems.append(f"{manifest}: {error}")
        rows.append((name, version))
    if not names:
        problems.append("no package is installed")
    return Section("PACKAGES", tuple(rows), tuple(problems))
