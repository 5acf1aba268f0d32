"""`ros2 lifecycle set`."""

from __future__ import annotations

import argparse

from ros2cli.errors import CliError
from ros2cli.lifecycle.client import add_lifecycle_arguments, change_state, transitions
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_lifecycle_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")
    parser.add_argument("transition", help="The lifecycle transition, by label or number")


def main(args: argparse.Namespace) -> int:
    """Trigger a transition."""
    with open_session(args) as session:
        available = {
            entry.transition.label: entry.transition.id
            for entry in transitions(session, args.node_name, in_any_state=False)
        }
        wanted = args.transition
        chosen = [number for label, number in available.items() if wanted in (label, str(number))]
        if not chosen:
            offers = ", ".join(f"{label} [{number}]" for label, number in available.items())
            raise CliError(f"Unknown transition '{wanted}', available: {offers or 'none'}")
        if not change_state(session, args.node_name, chosen[0]):
            raise CliError("Transitioning failed")
    print("Transitioning successful")
    return 0
