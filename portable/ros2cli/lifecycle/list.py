"""`ros2 lifecycle list`."""

from __future__ import annotations

import argparse

from ros2cli.lifecycle.client import add_lifecycle_arguments, transitions
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_lifecycle_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")
    parser.add_argument("-a", "--all", action="store_true", help="Display all existing transitions")


def main(args: argparse.Namespace) -> int:
    """Print the transitions of a node."""
    with open_session(args) as session:
        found = transitions(session, args.node_name, in_any_state=args.all)
    for entry in found:
        print(
            f"- {entry.transition.label} [{entry.transition.id}]\n"
            f"\tStart: {entry.start_state.label}\n"
            f"\tGoal: {entry.goal_state.label}"
        )
    return 0
