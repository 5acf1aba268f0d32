"""`ros2 topic type`."""

from __future__ import annotations

import argparse

from ros2cli.arguments import add_node_arguments
from ros2cli.graph import find_topic
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_arguments(parser)
    parser.add_argument("topic_name", help="Name of the ROS topic to get type (e.g. '/chatter')")


def main(args: argparse.Namespace) -> int:
    """Print the types of a topic; a silent 1, as upstream, when there is no such topic."""
    with open_session(args) as session:
        types = find_topic(session, args.topic_name)
    for name in types or ():
        print(name)
    return 0 if types else 1
