"""What the verbs share that list or find named things: their options and their output."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Protocol

from rclpy.node import Node

from ros2cli.arguments import add_node_arguments
from ros2cli.graph import NamesAndTypes
from ros2cli.names import with_types
from ros2cli.session import open_session


class Look(Protocol):
    """One of `graph.topics` and `graph.services`."""

    def __call__(self, node: Node, *, include_hidden: bool = False) -> NamesAndTypes:
        """Return (name, types)."""


def add_node_list_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of a verb that lists nodes."""
    add_node_arguments(parser)
    parser.add_argument(
        "-a", "--all", action="store_true", help="Display all nodes even hidden ones"
    )
    _add_count(parser, "nodes")


def add_list_arguments(parser: argparse.ArgumentParser, noun: str) -> None:
    """Declare the options of a verb that lists topics or services."""
    add_node_arguments(parser)
    parser.add_argument(
        "-t", "--show-types", action="store_true", help=f"Additionally show the {noun} type"
    )
    _add_count(parser, f"{noun}s")
    _add_hidden(parser, f"{noun}s")


def add_find_arguments(parser: argparse.ArgumentParser, noun: str, example: str) -> None:
    """Declare the options of a verb that finds topics or services by their type."""
    add_node_arguments(parser)
    parser.add_argument(
        "wanted_type",
        metavar=f"{noun}_type",
        help=f"Name of the ROS {noun} type to filter for (e.g. '{example}')",
    )
    _add_count(parser, f"{noun}s")
    _add_hidden(parser, f"{noun}s")


def find(args: argparse.Namespace, look: Look) -> int:
    """Print the topics or services of one type."""
    with open_session(args) as session:
        session.settle()
        found = look(session.node, include_hidden=args.include_hidden)
    print_names((name for name, types in found if args.wanted_type in types), args)
    return 0


def print_listed(listed: NamesAndTypes, args: argparse.Namespace) -> None:
    """Print topics or services as `--show-types` and the count option say."""
    print_names(
        (with_types(name, types) if args.show_types else name for name, types in listed), args
    )


def print_names(names: Iterable[str], args: argparse.Namespace) -> None:
    """Print one name a line, or how many they are."""
    if args.count_only:
        print(sum(1 for _ in names))
    else:
        for name in names:
            print(name)


def _add_count(parser: argparse.ArgumentParser, plural: str) -> None:
    parser.add_argument(
        "-c",
        f"--count-{plural}",
        dest="count_only",
        action="store_true",
        help=f"Only display the number of {plural} discovered",
    )


def _add_hidden(parser: argparse.ArgumentParser, plural: str) -> None:
    parser.add_argument(
        f"--include-hidden-{plural}",
        dest="include_hidden",
        action="store_true",
        help=f"Consider hidden {plural} as well",
    )
