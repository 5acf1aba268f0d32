"""`ros2 service find`."""

from __future__ import annotations

import argparse

from ros2cli import graph
from ros2cli.arguments import add_node_arguments
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_arguments(parser)
    parser.add_argument(
        "service_type",
        help="Name of the ROS service type to filter for (e.g. 'rcl_interfaces/srv/GetParameters')",
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
    """Print the services of one type."""
    with open_session(args) as session:
        session.settle()
        services = graph.services(session.node, include_hidden=args.include_hidden_services)
    names = [name for name, types in services if args.service_type in types]
    if args.count_services:
        print(len(names))
    else:
        for name in names:
            print(name)
    return 0
