"""`ros2 pkg xml`."""

from __future__ import annotations

import argparse
from xml.etree import ElementTree

from ros2cli.errors import CliError
from ros2cli.packages import package_prefix


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("package_name", help="The package name")
    parser.add_argument("-t", "--tag", help="The XML tag to output (e.g. 'version')")


def main(args: argparse.Namespace) -> int:
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
