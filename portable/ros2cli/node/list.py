"""`ros2 node list`."""

from __future__ import annotations

import argparse
import sys

from ros2cli import graph
from ros2cli.arguments import add_node_arguments
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
    """Print the nodes."""
    with open_session(args) as session:
        session.settle()
        names = graph.node_names(session.node, include_hidden=args.all)
    if len(set(names)) < len(names):
        print(
            "WARNING: Be aware that there are nodes in the graph that share an exact name, "
            "which can have unintended side effects.",
            file=sys.stderr,
        )
    if args.count_nodes:
        print(len(names))
    else:
        for name in names:
            print(name)
    return 0
