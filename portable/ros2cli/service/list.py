"""`ros2 service list`."""

from __future__ import annotations

import argparse

from ros2cli import graph
from ros2cli.listing import add_list_arguments, print_listed
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_list_arguments(parser, "service")


def main(args: argparse.Namespace) -> int:
    """Print the services."""
    with open_session(args) as session:
        session.settle()
        services = graph.services(session.node, include_hidden=args.include_hidden)
    print_listed(services, args)
    return 0
