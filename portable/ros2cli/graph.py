"""The running graph: find and list topics, services and nodes, without the hidden ones."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Protocol

from rclpy.node import Node
from rclpy.validate_full_topic_name import validate_full_topic_name

from ros2cli.arguments import CliError, add_node_arguments
from ros2cli.names import absolute, full_node_name, is_hidden, with_types
from ros2cli.session import Session, open_session

NamesAndTypes = list[tuple[str, list[str]]]


def topics(node: Node, *, include_hidden: bool = False) -> NamesAndTypes:
    """Return (name, types) of the topics."""
    return _shown(node.get_topic_names_and_types(), include_hidden)


def services(node: Node, *, include_hidden: bool = False) -> NamesAndTypes:
    """Return (name, types) of the services."""
    return _shown(node.get_service_names_and_types(), include_hidden)


def node_names(node: Node, *, include_hidden: bool = False) -> list[str]:
    """Return the full names of the nodes; a name that is used twice occurs twice."""
    names = (full_node_name(*pair) for pair in node.get_node_names_and_namespaces())
    return sorted(name for name in names if include_hidden or not is_hidden(name))


def find_node(session: Session, name: str) -> str:
    """Return the full name of a node once it is discovered; raise CliError when it is not."""
    wanted = absolute(name)

    def find() -> str | None:
        return wanted if wanted in node_names(session.node, include_hidden=True) else None

    if session.wait_for(find) is None:
        raise CliError(f"Unable to find node '{name}'")
    return wanted


def find_topic(session: Session, name: str) -> list[str] | None:
    """Return the types of a topic once it is discovered; None when it is not."""
    validate_full_topic_name(absolute(name))
    return session.wait_for(lambda: topic_types(session.node, name))


def find_service(session: Session, name: str) -> list[str] | None:
    """Return the types of a service once it is discovered; None when it is not."""
    wanted = absolute(name)
    validate_full_topic_name(wanted, is_service=True)
    return session.wait_for(lambda: dict(services(session.node, include_hidden=True)).get(wanted))


def topic_types(node: Node, name: str) -> list[str] | None:
    """Return the types of a topic that exists now."""
    return dict(topics(node, include_hidden=True)).get(absolute(name))


def _shown(entries: Iterable[tuple[str, list[str]]], include_hidden: bool) -> NamesAndTypes:
    return sorted((name, types) for name, types in entries if include_hidden or not is_hidden(name))


class Lookup(Protocol):
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


def add_listing_arguments(parser: argparse.ArgumentParser, noun: str) -> None:
    """Declare the options of a verb that lists topics or services."""
    add_node_arguments(parser)
    parser.add_argument(
        "-t", "--show-types", action="store_true", help=f"Additionally show the {noun} type"
    )
    _add_count(parser, f"{noun}s")
    _add_hidden(parser, f"{noun}s")


def add_finding_arguments(parser: argparse.ArgumentParser, noun: str, example: str) -> None:
    """Declare the options of a verb that finds topics or services by their type."""
    add_node_arguments(parser)
    parser.add_argument(
        "wanted_type",
        metavar=f"{noun}_type",
        help=f"Name of the ROS {noun} type to filter for (e.g. '{example}')",
    )
    _add_count(parser, f"{noun}s")
    _add_hidden(parser, f"{noun}s")


def print_found(args: argparse.Namespace, lookup: Lookup) -> int:
    """Print the topics or services of one type."""
    with open_session(args) as session:
        session.settle()
        found = lookup(session.node, include_hidden=args.include_hidden)
    print_names((name for name, types in found if args.wanted_type in types), args)
    return 0


def print_listed(listed: NamesAndTypes, args: argparse.Namespace) -> None:
    """Print topics or services according to `--show-types` and the count option."""
    print_names(
        (with_types(name, types) if args.show_types else name for name, types in listed), args
    )


def print_names(names: Iterable[str], args: argparse.Namespace) -> None:
    """Print one name a line, or only their number."""
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
