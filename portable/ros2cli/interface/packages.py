"""`ros2 interface packages`."""

from __future__ import annotations

import argparse

from rosidl_runtime_py import get_interfaces

from ros2cli.interface.kinds import add_kind_arguments, chosen_kinds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_kind_arguments(parser)


def main(args: argparse.Namespace) -> int:
    """Print the packages that have interfaces of the kinds asked for."""
    kinds = chosen_kinds(args)
    for package, names in get_interfaces().items():
        if any(name.split("/")[0] in kinds for name in names):
            print(package)
    return 0
