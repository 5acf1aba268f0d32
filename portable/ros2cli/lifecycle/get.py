"""`ros2 lifecycle get`."""

from __future__ import annotations

import argparse

from ros2cli.lifecycle.client import add_lifecycle_arguments, current_state, lifecycle_nodes
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_lifecycle_arguments(parser)
    parser.add_argument(
        "node_name", nargs="?", help="Name of the ROS node (default: every lifecycle node)"
    )


def main(args: argparse.Namespace) -> int:
    """Print the state of one node, or of all that have a lifecycle."""
    with open_session(args) as session:
        if args.node_name:
            state = current_state(session, args.node_name)
            print(f"{state.label} [{state.id}]")
            return 0
        for name in lifecycle_nodes(session, include_hidden=args.include_hidden_nodes):
            state = current_state(session, name)
            print(f"{name}: {state.label} [{state.id}]")
    return 0
