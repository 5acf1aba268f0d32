"""`ros2 interface package`."""

from __future__ import annotations

import argparse

from rosidl_runtime_py import get_interfaces

from ros2cli.errors import CliError
from ros2cli.interface.kinds import add_kind_arguments, chosen_kinds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("package_name", help="Name of the ROS package (e.g. 'std_msgs')")
    add_kind_arguments(parser)


def main(args: argparse.Namespace) -> int:
    """Print the interfaces of one package."""
    try:
        names = get_interfaces([args.package_name])[args.package_name]
    except LookupError as error:
        raise CliError(str(error.args[0])) from error
    kinds = chosen_kinds(args)
    for name in names:
        if name.split("/")[0] in kinds:
            print(f"{args.package_name}/{name}")
    return 0
