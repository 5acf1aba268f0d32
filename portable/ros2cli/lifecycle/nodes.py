"""`ros2 lifecycle nodes`."""

from __future__ import annotations

import argparse

from ros2cli.arguments import add_node_arguments
from ros2cli.lifecycle.client import lifecycle_nodes
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_arguments(parser)
    parser.add_argument(
        "-a", "--all", action="store_true", help="Display all nodes even hidden ones"
    )
    parser.add_argument(
        "-c",
        "--count-nodes",
        action="store_true",
        help="Only display the number of nodes discovered",
    )


def main(args: argparse.Namespace) -> int:
    """Print the nodes that have a lifecycle."""
    with open_session(args) as session:
        names = lifecycle_nodes(session, include_hidden=args.all)
    if args.count_nodes:
        print(len(names))
    else:
        for name in names:
            print(name)
    return 0
