"""`ros2 service find`."""

from __future__ import annotations

import argparse

from ros2cli import graph
from ros2cli.listing import add_find_arguments, find


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_find_arguments(parser, "service", "rcl_interfaces/srv/GetParameters")


def main(args: argparse.Namespace) -> int:
    """Print the services of one type."""
    return find(args, graph.services)
