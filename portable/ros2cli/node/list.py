"""`ros2 node list`."""

from __future__ import annotations

import argparse
import sys

from ros2cli import graph
from ros2cli.listing import add_node_list_arguments, print_names
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_list_arguments(parser)


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
    print_names(names, args)
    return 0
