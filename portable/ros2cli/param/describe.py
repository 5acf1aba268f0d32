"""`ros2 param describe`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from rclpy.parameter import Parameter

from ros2cli.errors import CliError
from ros2cli.param.client import TYPE_NAMES, ParameterClient, add_param_arguments
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_param_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")
    parser.add_argument("parameter_names", nargs="+", help="Names of the parameters")


def main(args: argparse.Namespace) -> int:
    """Print the descriptors of parameters."""
    with open_session(args) as session:
        client = ParameterClient(session, args.node_name, args.timeout)
        descriptors = client.descriptors(args.parameter_names)
    if not descriptors:
        raise CliError(f"Parameter not set: one of {', '.join(args.parameter_names)}")
    for descriptor in descriptors:
        print("\n".join(describe(descriptor)))
    return 0


def describe(descriptor: Any) -> Iterator[str]:
    """Yield the lines on one parameter."""
    yield f"Parameter name: {descriptor.name}"
    yield f"  Type: {TYPE_NAMES[Parameter.Type(descriptor.type)]}"
    if descriptor.description:
        yield f"  Description: {descriptor.description}"
    yield "  Constraints:"
    if descriptor.read_only:
        yield "    Read only: true"
    for limits in (*descriptor.floating_point_range, *descriptor.integer_range):
        yield f"    Min value: {limits.from_value}"
        yield f"    Max value: {limits.to_value}"
        if limits.step:
            yield f"    Step: {limits.step}"
    if descriptor.additional_constraints:
        yield f"    Additional constraints: {descriptor.additional_constraints}"
