"""`ros2 topic info`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from ros2cli.arguments import add_node_arguments
from ros2cli.errors import CliError
from ros2cli.graph import find_topic
from ros2cli.names import absolute
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_arguments(parser)
    parser.add_argument("topic_name", help="Name of the ROS topic to get info (e.g. '/chatter')")
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="Print each publisher and subscriber with its node, type hash, GID and QoS profile",
    )


def main(args: argparse.Namespace) -> int:
    """Print a topic's type and who has it."""
    name = absolute(args.topic_name)
    with open_session(args) as session:
        types = find_topic(session, name)
        if types is None:
            raise CliError(f"Unknown topic '{args.topic_name}'")
        session.settle()
        print(f"Type: {types[0] if len(types) == 1 else types}")
        publishers = session.node.get_publishers_info_by_topic(name)
        subscriptions = session.node.get_subscriptions_info_by_topic(name)
        if args.verbose:
            print()
        _print_endpoints("Publisher count", publishers, args.verbose)
        _print_endpoints("Subscription count", subscriptions, args.verbose)
    return 0


def _print_endpoints(title: str, endpoints: Sequence[Any], verbose: bool) -> None:
    print(f"{title}: {len(endpoints)}")
    if verbose:
        print()
        for endpoint in endpoints:  # rclpy writes an endpoint just as upstream prints it
            print(endpoint, end="\n\n")
