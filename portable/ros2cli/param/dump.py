"""`ros2 param dump`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

import yaml
from rclpy.parameter import Parameter

from ros2cli.names import absolute
from ros2cli.param.client import ParameterClient, add_param_arguments
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_param_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")


def main(args: argparse.Namespace) -> int:
    """Print all parameters of a node as a file that `--params-file` and `param load` take."""
    with open_session(args) as session:
        client = ParameterClient(session, args.node_name, args.timeout)
        parameters = client.values(client.names())
    document = {absolute(args.node_name): {"ros__parameters": nested_values(parameters)}}
    print(yaml.safe_dump(document, default_flow_style=False))
    return 0


def nested_values(parameters: Iterable[Any]) -> dict[str, Any]:
    """Return the set parameters as a tree: `a.b` becomes `{a: {b: ...}}`."""
    tree: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.type_ == Parameter.Type.NOT_SET:
            continue
        *groups, name = parameter.name.split(".")
        branch = tree
        for group in groups:
            branch = branch.setdefault(group, {})
        value = parameter.value
        branch[name] = value.tolist() if hasattr(value, "tolist") else value
    return tree
