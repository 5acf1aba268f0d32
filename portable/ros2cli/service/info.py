"""`ros2 service info`."""

from __future__ import annotations

import argparse

from ros2cli.arguments import add_node_arguments
from ros2cli.errors import CliError
from ros2cli.graph import find_service
from ros2cli.names import absolute
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_arguments(parser)
    parser.add_argument(
        "service_name", help="Name of the ROS service to get info (e.g. '/add_two_ints')"
    )


def main(args: argparse.Namespace) -> int:
    """Print a service's type and how many clients and servers it has."""
    name = absolute(args.service_name)
    with open_session(args) as session:
        types = find_service(session, name)
        if types is None:
            raise CliError(f"Unknown service '{args.service_name}'")
        session.settle()
        print(f"Type: {types[0] if len(types) == 1 else types}")
        print(f"Clients count: {session.node.count_clients(name)}")
        print(f"Services count: {session.node.count_services(name)}")
    return 0
