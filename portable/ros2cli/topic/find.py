"""`ros2 topic find`."""

from __future__ import annotations

import argparse

from ros2cli import graph
from ros2cli.arguments import add_node_arguments
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_arguments(parser)
    parser.add_argument(
        "topic_type", help="Name of the ROS topic type to filter for (e.g. 'std_msgs/msg/String')"
    )
    parser.add_argument(
        "-c",
        "--count-topics",
        action="store_true",
        help="Only display the number of topics discovered",
    )
    parser.add_argument(
        "--include-hidden-topics", action="store_true", help="Consider hidden topics as well"
    )


def main(args: argparse.Namespace) -> int:
    """Print the topics of one type."""
    with open_session(args) as session:
        session.settle()
        topics = graph.topics(session.node, include_hidden=args.include_hidden_topics)
    names = [name for name, types in topics if args.topic_type in types]
    if args.count_topics:
        print(len(names))
    else:
        for name in names:
            print(name)
    return 0
