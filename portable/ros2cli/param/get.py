"""`ros2 param get`."""

from __future__ import annotations

import argparse
from typing import Any

from rclpy.parameter import Parameter

from ros2cli.errors import CliError
from ros2cli.param.client import ParameterClient, add_param_arguments
from ros2cli.session import open_session

LABELS = {
    Parameter.Type.BOOL: "Boolean value is:",
    Parameter.Type.INTEGER: "Integer value is:",
    Parameter.Type.DOUBLE: "Double value is:",
    Parameter.Type.STRING: "String value is:",
    Parameter.Type.BYTE_ARRAY: "Byte values are:",
    Parameter.Type.BOOL_ARRAY: "Boolean values are:",
    Parameter.Type.INTEGER_ARRAY: "Integer values are:",
    Parameter.Type.DOUBLE_ARRAY: "Double values are:",
    Parameter.Type.STRING_ARRAY: "String values are:",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_param_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")
    parser.add_argument("parameter_name", help="Name of the parameter")
    parser.add_argument("--hide-type", action="store_true", help="Hide the type information")


def main(args: argparse.Namespace) -> int:
    """Print a parameter's value."""
    with open_session(args) as session:
        client = ParameterClient(session, args.node_name, args.timeout)
        parameter = client.values([args.parameter_name])[0]
    if parameter.type_ == Parameter.Type.NOT_SET:
        raise CliError(f"Parameter not set: '{args.parameter_name}'")
    value = value_text(parameter)
    print(value if args.hide_type else f"{LABELS[parameter.type_]} {value}")
    return 0


def value_text(parameter: Any) -> str:
    """Return a value as Python writes it; arrays as lists whatever their storage."""
    value = parameter.value
    return str(value.tolist() if hasattr(value, "tolist") else value)
