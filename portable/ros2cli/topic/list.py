"""`ros2 topic list`."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ros2cli import graph
from ros2cli.arguments import add_node_arguments
from ros2cli.names import with_types
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_arguments(parser)
    parser.add_argument(
        "-t", "--show-types", action="store_true", help="Additionally show the topic type"
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
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="List full details about each topic"
    )


def main(args: argparse.Namespace) -> int:
    """Print the topics."""
    with open_session(args) as session:
        session.settle()
        topics = graph.topics(session.node, include_hidden=args.include_hidden_topics)
        if args.count_topics:
            print(len(topics))
        elif args.verbose:
            _print_ends("Published topics", "publisher", topics, session.node.count_publishers)
            _print_ends("Subscribed topics", "subscriber", topics, session.node.count_subscribers)
        else:
            for name, types in topics:
                print(with_types(name, types) if args.show_types else name)
    return 0


def _print_ends(
    title: str, end: str, topics: graph.NamesAndTypes, count: Callable[[str], int]
) -> None:
    print(f"{title}:")
    for name, types in topics:
        number = count(name)
        if number:
            print(f" * {with_types(name, types)} {number} {end}{'s' if number > 1 else ''}")
    print()
