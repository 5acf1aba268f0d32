"""`ros2 param list`."""

from __future__ import annotations

import argparse
import re

from ros2cli import graph
from ros2cli.errors import CliError
from ros2cli.param.client import TYPE_NAMES, ParameterClient, add_param_arguments
from ros2cli.session import Session, open_session

LIST_SERVICE = "/list_parameters"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_param_arguments(parser)
    parser.add_argument("node_name", nargs="?", help="Name of the ROS node")
    parser.add_argument(
        "--filter", help="Only show parameters whose name matches this regular expression"
    )
    parser.add_argument(
        "--param-prefixes",
        nargs="+",
        default=[],
        help="Only list parameters with the provided prefixes",
    )
    parser.add_argument(
        "--param-type", action="store_true", help="Print parameter types with parameter names"
    )


def main(args: argparse.Namespace) -> int:
    """Print the parameter names of one node, or of all that have parameters."""
    try:
        pattern = re.compile(args.filter or "")
    except re.error as error:
        raise CliError(f"Invalid --filter '{args.filter}': {error}") from error
    with open_session(args) as session:
        nodes = [args.node_name] if args.node_name else _nodes_with_parameters(session, args)
        for node_name in nodes:
            lines = _lines(ParameterClient(session, node_name, args.timeout), pattern, args)
            if not args.node_name:
                print(f"{node_name}:")
            for line in lines:
                print(f"  {line}")
    return 0


def _nodes_with_parameters(session: Session, args: argparse.Namespace) -> list[str]:
    session.settle()
    services = dict(graph.services(session.node, include_hidden=True))
    names = graph.node_names(session.node, include_hidden=args.include_hidden_nodes)
    return [name for name in dict.fromkeys(names) if name + LIST_SERVICE in services]


def _lines(
    client: ParameterClient, pattern: re.Pattern[str], args: argparse.Namespace
) -> list[str]:
    names = [name for name in client.names(args.param_prefixes) if pattern.match(name)]
    if not args.param_type or not names:
        return names
    types = client.types(names)
    return [f"{n} (type: {TYPE_NAMES[t]})" for n, t in zip(names, types, strict=True)]
