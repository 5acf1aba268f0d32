"""`ros2 param delete`."""

from __future__ import annotations

import argparse

from rclpy.parameter import Parameter

from ros2cli.errors import CliError
from ros2cli.param.client import ParameterClient, add_param_arguments
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_param_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")
    parser.add_argument("parameter_name", help="Name of the parameter")


def main(args: argparse.Namespace) -> int:
    """Undeclare a parameter, where its node lets it."""
    with open_session(args) as session:
        client = ParameterClient(session, args.node_name, args.timeout)
        result = client.set([Parameter(args.parameter_name)])[0]
    if not result.successful:
        raise CliError(f"Deleting parameter failed: {result.reason}")
    print("Deleted parameter successfully")
    return 0
