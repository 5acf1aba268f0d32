"""`ros2 pkg prefix`."""

from __future__ import annotations

import argparse

from ros2cli.packages import package_prefix


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("package_name", help="The package name")
    parser.add_argument("--share", action="store_true", help="Show share directory for the package")


def main(args: argparse.Namespace) -> int:
    """Print where a package is installed."""
    prefix = package_prefix(args.package_name)
    print(prefix / "share" / args.package_name if args.share else prefix)
    return 0
