"""`ros2 lifecycle nodes`."""

from __future__ import annotations

import argparse

from ros2cli.lifecycle.client import lifecycle_nodes
from ros2cli.listing import add_node_list_arguments, print_names
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_list_arguments(parser)


def main(args: argparse.Namespace) -> int:
    """Print the nodes that have a lifecycle."""
    with open_session(args) as session:
        names = lifecycle_nodes(session, include_hidden=args.all)
    print_names(names, args)
    return 0
