"""`ros2 pkg`: installed packages and their executables, from the ament index."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from xml.etree import ElementTree

from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_packages_with_prefixes,
)

from ros2cli.arguments import CliError


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


def add_executables_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 pkg executables`."""
    parser.add_argument("package_name", nargs="?", help="The package name")
    parser.add_argument(
        "--full-path", action="store_true", help="Show full path of each executable"
    )


def run_executables(args: argparse.Namespace) -> int:
    """Print the executables of one package, or of all."""
    packages = [args.package_name] if args.package_name else sorted(get_packages_with_prefixes())
    for package in packages:
        for path in executables(package):
            print(path if args.full_path else f"{package} {path.name}")
    return 0


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 pkg list`: there are none."""


def run_list(args: argparse.Namespace) -> int:
    """Print the installed packages."""
    for name in sorted(get_packages_with_prefixes()):
        print(name)
    return 0


def add_prefix_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 pkg prefix`."""
    parser.add_argument("package_name", help="The package name")
    parser.add_argument("--share", action="store_true", help="Show share directory for the package")


def run_prefix(args: argparse.Namespace) -> int:
    """Print where a package is installed."""
    prefix = package_prefix(args.package_name)
    print(prefix / "share" / args.package_name if args.share else prefix)
    return 0


def add_xml_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 pkg xml`."""
    parser.add_argument("package_name", help="The package name")
    parser.add_argument("-t", "--tag", help="The XML tag to output (e.g. 'version')")


def run_xml(args: argparse.Namespace) -> int:
    """Print a package's manifest, or the texts of one tag of it."""
    name = args.package_name
    path = package_prefix(name) / "share" / name / "package.xml"
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise CliError(f"Could not read the manifest of package '{name}': {error}") from error
    if args.tag is None:
        print(ElementTree.tostring(root, encoding="unicode"))
        return 0
    texts = [element.text or "" for element in root.iter(args.tag)]
    if not texts:
        raise CliError(f"Could not find tag '{args.tag}' in the manifest of package '{name}'")
    for text in texts:
        print(text)
    return 0
