"""Installed packages and their executables, from the ament index."""

from __future__ import annotations

import os
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix

from ros2cli.errors import CliError


def package_prefix(name: str, complaint: str = "Package '{name}' not found") -> Path:
    """Return the prefix that a package is installed in; raise CliError when it is not."""
    try:
        return Path(get_package_prefix(name))
    except (PackageNotFoundError, ValueError) as error:
        raise CliError(complaint.format(name=name)) from error


def executables(package: str) -> list[Path]:
    """Return the programs of a package, as `lib/<package>` has them."""
    folder = package_prefix(package) / "lib" / package
    return sorted(path for path in folder.rglob("*") if path.is_file() and os.access(path, os.X_OK))
