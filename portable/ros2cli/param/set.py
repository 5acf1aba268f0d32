"""`ros2 param set`."""

from __future__ import annotations

import argparse

from rclpy.parameter import Parameter, get_parameter_value

from ros2cli.errors import CliError
from ros2cli.param.client import ParameterClient, add_param_arguments
from ros2cli.session import open_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_param_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")
    parser.add_argument("parameter_name", help="Name of the parameter")
    parser.add_argument("value", help="Value of the parameter")


def main(args: argparse.Namespace) -> int:
    """Set a parameter; the type follows from the value as YAML reads it."""
    message = Parameter(args.parameter_name).to_parameter_msg()
    message.value = get_parameter_value(args.value)
    with open_session(args) as session:
        client = ParameterClient(session, args.node_name, args.timeout)
        result = client.set([Parameter.from_parameter_msg(message)])[0]
    if not result.successful:
        raise CliError(f"Setting parameter failed: {result.reason}")
    print("Set parameter successful")
    return 0
