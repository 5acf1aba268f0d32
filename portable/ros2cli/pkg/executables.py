"""`ros2 pkg executables`."""

from __future__ import annotations

import argparse

from ament_index_python.packages import get_packages_with_prefixes

from ros2cli.packages import executables


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("package_name", nargs="?", help="The package name")
    parser.add_argument(
        "--full-path", action="store_true", help="Show full path of each executable"
    )


def main(args: argparse.Namespace) -> int:
    """Print the executables of one package, or of all."""
    packages = [args.package_name] if args.package_name else sorted(get_packages_with_prefixes())
    for package in packages:
        for path in executables(package):
            print(path if args.full_path else f"{package} {path.name}")
    return 0
