"""`ros2 param dump` and `ros2 param load`: the parameters of a node as a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from rclpy.parameter import Parameter

from ros2cli.arguments import CliError
from ros2cli.names import absolute
from ros2cli.param import ParameterClient, add_param_arguments
from ros2cli.session import open_session


def add_dump_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 param dump`."""
    add_param_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")


def run_dump(args: argparse.Namespace) -> int:
    """Print all parameters of a node as a file that `--params-file` and `param load` accept."""
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


WILDCARD = "/**"
PARAMETERS_KEY = "ros__parameters"


def add_load_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 param load`."""
    add_param_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")
    parser.add_argument("parameter_file", type=Path, help="Parameter file")
    parser.add_argument(
        "--no-use-wildcard",
        action="store_true",
        help="Do not load parameters in the '/**' namespace into the node",
    )


def run_load(args: argparse.Namespace) -> int:
    """Set the parameters that a file has for a node; 1 when the node rejects any of them."""
    parameters = _parameters_of(args)
    with open_session(args) as session:
        results = ParameterClient(session, args.node_name, args.timeout).set(parameters)
    for parameter, result in zip(parameters, results, strict=True):
        if result.successful:
            print(f"Set parameter {parameter.name} successful")
        else:
            print(f"Set parameter {parameter.name} failed: {result.reason}", file=sys.stderr)
    return 0 if all(result.successful for result in results) else 1


def _parameters_of(args: argparse.Namespace) -> list[Any]:
    path: Path = args.parameter_file
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        values = node_values(document, absolute(args.node_name), not args.no_use_wildcard)
        return [Parameter(name, value=value) for name, value in values.items()]
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(f"Could not read parameter file '{path}': {error}") from error
    except (yaml.YAMLError, TypeError, ValueError) as error:
        raise CliError(f"Parameter file '{path}': {' '.join(str(error).split())}") from error


def node_values(document: Any, node_name: str, use_wildcard: bool) -> dict[str, Any]:
    """Return the values that a parameter file has for a node, the node's own last.

    Raise ValueError when it has none, or is not a parameter file.
    """
    if not isinstance(document, dict):
        raise ValueError("expected a mapping of node names")
    own = [key for key in document if absolute(str(key)) == node_name]
    keys = [WILDCARD] * (use_wildcard and WILDCARD in document) + own
    if not keys:
        raise ValueError(f"no parameters for node '{node_name}'")
    values: dict[str, Any] = {}
    for key in keys:
        section = document[key]
        if not isinstance(section, dict) or not isinstance(section.get(PARAMETERS_KEY), dict):
            raise ValueError(f"'{key}' has no mapping '{PARAMETERS_KEY}'")
        values.update(_flat(section[PARAMETERS_KEY]))
    return values


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
