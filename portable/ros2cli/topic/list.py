"""`ros2 topic list`."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ros2cli import graph
from ros2cli.listing import add_list_arguments, print_listed
from ros2cli.names import with_types
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_list_arguments(parser, "topic")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="List full details about each topic"
    )


def main(args: argparse.Namespace) -> int:
    """Print the topics."""
    with open_session(args) as session:
        session.settle()
        topics = graph.topics(session.node, include_hidden=args.include_hidden)
        if args.verbose and not args.count_only:
            _print_ends("Published topics", "publisher", topics, session.node.count_publishers)
            _print_ends("Subscribed topics", "subscriber", topics, session.node.count_subscribers)
        else:
            print_listed(topics, args)
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
