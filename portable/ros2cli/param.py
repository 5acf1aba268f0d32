"""`ros2 param`: the parameters of a node, one by one."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from typing import Any

from rclpy.parameter import Parameter, get_parameter_value
from rclpy.parameter_client import AsyncParameterClient

from ros2cli import graph
from ros2cli.arguments import CliError, add_node_arguments, add_timeout_argument
from ros2cli.names import absolute
from ros2cli.session import Session, open_session

TYPE_NAMES = {
    Parameter.Type.NOT_SET: "not set",
    Parameter.Type.BOOL: "boolean",
    Parameter.Type.INTEGER: "integer",
    Parameter.Type.DOUBLE: "double",
    Parameter.Type.STRING: "string",
    Parameter.Type.BYTE_ARRAY: "byte array",
    Parameter.Type.BOOL_ARRAY: "boolean array",
    Parameter.Type.INTEGER_ARRAY: "integer array",
    Parameter.Type.DOUBLE_ARRAY: "double array",
    Parameter.Type.STRING_ARRAY: "string array",
}


def add_param_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of every verb that calls one node."""
    add_node_arguments(parser)
    add_timeout_argument(parser)
    parser.add_argument(
        "--include-hidden-nodes", action="store_true", help="Consider hidden nodes as well"
    )


class ParameterClient:
    """The parameters of one node, read and written with plain calls."""

    def __init__(self, session: Session, node_name: str, timeout_s: float) -> None:
        self._session = session
        self._node_name = node_name
        self._timeout_s = timeout_s
        self._client = AsyncParameterClient(session.node, absolute(node_name))
        if not self._client.wait_for_services(timeout_sec=timeout_s):
            raise CliError(f"Node not found: '{node_name}'")

    def names(self, prefixes: Sequence[str] = ()) -> list[str]:
        """Return the names of the declared parameters, sorted."""
        response = self._result(self._client.list_parameters(list(prefixes) or None))
        return sorted(response.result.names)

    def values(self, names: Sequence[str]) -> list[Any]:
        """Return the parameters of these names; NOT_SET for those undeclared or without a value."""
        response = self._result(self._client.get_parameters(list(names)))
        if len(response.values) == len(names):
            return [_parameter(*pair) for pair in zip(names, response.values, strict=True)]
        # A node may return nothing because of a single name: query the names one by one.
        if len(names) == 1:
            return [Parameter(names[0])]
        return [self.values([name])[0] for name in names]

    def descriptors(self, names: Sequence[str]) -> list[Any]:
        """Return the descriptors of these parameters; none when one is undeclared."""
        descriptors: list[Any] = self._result(
            self._client.describe_parameters(list(names))
        ).descriptors
        return descriptors

    def types(self, names: Sequence[str]) -> list[Any]:
        """Return the types of these parameters."""
        response = self._result(self._client.get_parameter_types(list(names)))
        return [Parameter.Type(number) for number in response.types]

    def set(self, parameters: Sequence[Any]) -> list[Any]:
        """Set parameters and return a result with `successful` and `reason` for each."""
        results: list[Any] = self._result(self._client.set_parameters(list(parameters))).results
        return results

    def _result(self, future: Any) -> Any:
        response = self._session.result_of(future, self._timeout_s)
        if response is None:
            raise CliError(f"Node '{self._node_name}' did not answer within {self._timeout_s:g} s")
        return response


def _parameter(name: str, value: Any) -> Any:
    message = Parameter(name).to_parameter_msg()
    message.value = value
    return Parameter.from_parameter_msg(message)


def add_delete_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 param delete`."""
    add_param_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")
    parser.add_argument("parameter_name", help="Name of the parameter")


def run_delete(args: argparse.Namespace) -> int:
    """Undeclare a parameter, where its node permits it."""
    with open_session(args) as session:
        client = ParameterClient(session, args.node_name, args.timeout)
        result = client.set([Parameter(args.parameter_name)])[0]
    if not result.successful:
        raise CliError(f"Deleting parameter failed: {result.reason}")
    print("Deleted parameter successfully")
    return 0


def add_describe_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 param describe`."""
    add_param_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")
    parser.add_argument("parameter_names", nargs="+", help="Names of the parameters")


def run_describe(args: argparse.Namespace) -> int:
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


def add_get_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 param get`."""
    add_param_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")
    parser.add_argument("parameter_name", help="Name of the parameter")
    parser.add_argument("--hide-type", action="store_true", help="Hide the type information")


def run_get(args: argparse.Namespace) -> int:
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
    """Return a value in Python's notation, arrays as lists."""
    value = parameter.value
    return str(value.tolist() if hasattr(value, "tolist") else value)


LIST_SERVICE = "/list_parameters"


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 param list`."""
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


def run_list(args: argparse.Namespace) -> int:
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


def add_set_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 param set`."""
    add_param_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")
    parser.add_argument("parameter_name", help="Name of the parameter")
    parser.add_argument("value", help="Value of the parameter")


def run_set(args: argparse.Namespace) -> int:
    """Set a parameter; its type is that of the value in YAML."""
    message = Parameter(args.parameter_name).to_parameter_msg()
    message.value = get_parameter_value(args.value)
    with open_session(args) as session:
        client = ParameterClient(session, args.node_name, args.timeout)
        result = client.set([Parameter.from_parameter_msg(message)])[0]
    if not result.successful:
        raise CliError(f"Setting parameter failed: {result.reason}")
    print("Set parameter successful")
    return 0
