"""The installed packages and whether what they say they run with is there."""

from __future__ import annotations

from xml.etree import ElementTree

from ament_index_python.packages import get_packages_with_prefixes

from ros2cli.doctor.section import Section
from ros2cli.packages import package_prefix


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
