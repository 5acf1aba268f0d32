"""Talking to the parameter services of one node."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient

from ros2cli.arguments import add_node_arguments, add_timeout_argument
from ros2cli.errors import CliError
from ros2cli.names import absolute
from ros2cli.session import Session

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
    """Add the options of every verb that talks to one node."""
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
        # A node may answer with nothing because of a single name: find out which one it is.
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
