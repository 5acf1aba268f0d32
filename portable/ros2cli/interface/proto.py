"""`ros2 interface proto`."""

from __future__ import annotations

import argparse

from rosidl_runtime_py import message_to_yaml
from rosidl_runtime_py.utilities import get_interface

from ros2cli.errors import CliError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("type", help="An interface (e.g. 'std_msgs/msg/String')")
    parser.add_argument("--no-quotes", action="store_true", help="Print without outer quotes")


def main(args: argparse.Namespace) -> int:
    """Print a message, request or goal with its default values, ready for `topic pub`."""
    try:
        interface = get_interface(args.type)
    except (AttributeError, ModuleNotFoundError, ValueError) as error:
        raise CliError(str(error)) from error
    template = getattr(interface, "Request", None) or getattr(interface, "Goal", None) or interface
    text = message_to_yaml(template())
    print(text if args.no_quotes else f'"{text}"')
    return 0
