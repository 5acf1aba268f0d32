"""`ros2 service list`."""

from __future__ import annotations

import argparse

from ros2cli import graph
from ros2cli.arguments import add_node_arguments
from ros2cli.names import with_types
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_arguments(parser)
    parser.add_argument(
        "-t", "--show-types", action="store_true", help="Additionally show the service type"
    )
    parser.add_argument(
        "-c",
        "--count-services",
        action="store_true",
        help="Only display the number of services discovered",
    )
    parser.add_argument(
        "--include-hidden-services", action="store_true", help="Consider hidden services as well"
    )


def main(args: argparse.Namespace) -> int:
    """Print the services."""
    with open_session(args) as session:
        session.settle()
        services = graph.services(session.node, include_hidden=args.include_hidden_services)
    if args.count_services:
        print(len(services))
    else:
        for name, types in services:
            print(with_types(name, types) if args.show_types else name)
    return 0
