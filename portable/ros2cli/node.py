"""`ros2 node`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.action import (
    get_action_client_names_and_types_by_node,
    get_action_server_names_and_types_by_node,
)
from rclpy.node import Node

from ros2cli import graph
from ros2cli.arguments import add_node_arguments
from ros2cli.graph import add_node_list_arguments, print_names
from ros2cli.names import is_hidden, split_node_name
from ros2cli.session import open_session


def add_info_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 node info`."""
    add_node_arguments(parser)
    parser.add_argument("node_name", help="Node name to request information")
    parser.add_argument(
        "--include-hidden",
        action="store_true",
        help="Display hidden topics, services, and actions as well",
    )


def run_info(args: argparse.Namespace) -> int:
    """Print the topics, services and actions of a node."""
    with open_session(args) as session:
        full_name = graph.find_node(session, args.node_name)
        session.settle()
        same = graph.node_names(session.node, include_hidden=True).count(full_name)
        if same > 1:
            print(
                f"There are {same} nodes in the graph with the exact name '{full_name}'. "
                "You are seeing information about only one of them."
            )
        print(full_name)
        name, namespace = split_node_name(full_name)
        for title, query in _sections(session.node):
            print(f"  {title}:")
            lines = [
                f"    {entity}: {', '.join(types)}"
                for entity, types in sorted(query(name, namespace))
                if args.include_hidden or not is_hidden(entity)
            ]
            print("\n".join(lines))  # an empty section leaves an empty line
    return 0


def _sections(node: Node) -> list[tuple[str, Callable[[str, str], Any]]]:
    return [
        ("Subscribers", node.get_subscriber_names_and_types_by_node),
        ("Publishers", node.get_publisher_names_and_types_by_node),
        ("Service Servers", node.get_service_names_and_types_by_node),
        ("Service Clients", node.get_client_names_and_types_by_node),
        ("Action Servers", partial(get_action_server_names_and_types_by_node, node)),
        ("Action Clients", partial(get_action_client_names_and_types_by_node, node)),
    ]


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 node list`."""
    add_node_list_arguments(parser)


def run_list(args: argparse.Namespace) -> int:
    """Print the nodes."""
    with open_session(args) as session:
        session.settle()
        names = graph.node_names(session.node, include_hidden=args.all)
    if len(set(names)) < len(names):
        print(
            "WARNING: Be aware that there are nodes in the graph that share an exact name, "
            "which can have unintended side effects.",
            file=sys.stderr,
        )
    print_names(names, args)
    return 0
