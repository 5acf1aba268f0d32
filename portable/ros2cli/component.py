"""`ros2 component`: the nodes of running containers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import yaml
from rclpy.parameter import Parameter

from ros2cli import graph
from ros2cli.arguments import CliError, add_node_arguments
from ros2cli.interface_values import service_class
from ros2cli.names import absolute
from ros2cli.session import Session, open_session

ANSWER_LIMIT_S = 10.0
LIST, LOAD, UNLOAD = "list_nodes", "load_node", "unload_node"
TYPES = {LIST: "ListNodes", LOAD: "LoadNode", UNLOAD: "UnloadNode"}
LEVELS = {"debug": 10, "info": 20, "warn": 30, "error": 40, "fatal": 50}


def _containers(session: Session) -> list[str]:
    """Return the nodes that offer the services of a container, once the graph has settled."""
    session.settle()
    suffix = f"/_container/{LIST}"
    return sorted(
        name.removesuffix(suffix)
        for name, types in graph.services(session.node, include_hidden=True)
        if name.endswith(suffix) and _type_of(LIST) in types
    )


def _type_of(service: str) -> str:
    return f"composition_interfaces/srv/{TYPES[service]}"


def _call(session: Session, container: str, service: str, **fields: Any) -> Any:
    srv_class = service_class(_type_of(service))
    client = session.node.create_client(srv_class, f"{container}/_container/{service}")
    if not client.wait_for_service(timeout_sec=ANSWER_LIMIT_S):
        raise CliError(f"Unable to find container node '{container}'")
    response = session.result_of(client.call_async(srv_class.Request(**fields)), ANSWER_LIMIT_S)
    if response is None:
        raise CliError(f"No '{service}' service response of '{container}'")
    return response


def _listed(session: Session, container: str) -> list[str]:
    found = _call(session, container, LIST)
    ids_and_names = zip(found.unique_ids, found.full_node_names, strict=True)
    return [f"{number}  {name}" for number, name in ids_and_names]


def _add_container(parser: argparse.ArgumentParser, **options: Any) -> None:
    add_node_arguments(parser)
    parser.add_argument("container_node_name", help="Name of the container node", **options)


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 component list`."""
    _add_container(parser, nargs="?")
    parser.add_argument(
        "--containers-only", action="store_true", help="List found container nodes only"
    )


def run_list(args: argparse.Namespace) -> int:
    """Print the nodes of one container, or of all."""
    with open_session(args) as session:
        if args.container_node_name:
            container = absolute(args.container_node_name)
            if not args.containers_only:
                print(*_listed(session, container), sep="\n")
            return 0
        for container in _containers(session):
            print(container)
            for line in [] if args.containers_only else _listed(session, container):
                print(f"  {line}")
    return 0


def add_load_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 component load`."""
    _add_container(parser)
    parser.add_argument("package_name", help="Name of the package of the component")
    parser.add_argument("plugin_name", help="Type name of the component")
    parser.add_argument("-n", "--node-name", default="", help="Component node name")
    parser.add_argument("--node-namespace", default="", help="Component node namespace")
    parser.add_argument(
        "--log-level", choices=LEVELS, type=str.lower, help="Component node log level"
    )
    for short, name, what in (
        ("-r", "remap-rule", "Component node remapping rules, in the 'from:=to' form"),
        ("-p", "parameter", "Component node parameters, in the 'name:=value' form"),
        ("-e", "extra-argument", "Extra arguments for the container, in the 'name:=value' form"),
    ):
        parser.add_argument(
            short, f"--{name}", action="append", default=[], metavar="RULE", help=what
        )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="Only print component unique IDs and names"
    )


def run_load(args: argparse.Namespace) -> int:
    """Load a component into a container."""
    container = absolute(args.container_node_name)
    fields = {
        "package_name": args.package_name,
        "plugin_name": args.plugin_name,
        "node_name": args.node_name,
        "node_namespace": args.node_namespace,
        "log_level": LEVELS[args.log_level] if args.log_level else 0,
        "remap_rules": args.remap_rule,
        "parameters": _values("parameter", args.parameter),
        "extra_arguments": _values("extra argument", args.extra_argument),
    }
    with open_session(args) as session:
        loaded = _call(session, container, LOAD, **fields)
    if not loaded.success:
        raise CliError(f"Failed to load component: {loaded.error_message}")
    short = f"{loaded.unique_id}  {loaded.full_node_name}"
    text = (
        f"Loaded component {loaded.unique_id} into '{container}' container node as "
        f"'{loaded.full_node_name}'"
    )
    print(short if args.quiet else text)
    return 0


def _values(what: str, rules: Sequence[str]) -> list[Any]:
    messages = []
    for rule in rules:
        name, separator, text = rule.partition(":=")
        if not (name and separator):
            raise CliError(f"Wrong {what} '{rule}': it must be name:=value")
        try:
            messages.append(Parameter(name, value=yaml.safe_load(text)).to_parameter_msg())
        except (yaml.YAMLError, TypeError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise CliError(f"Wrong {what} '{rule}': {reason}") from error
    return messages


def add_unload_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 component unload`."""
    _add_container(parser)
    parser.add_argument(
        "component_uid", type=int, nargs="+", help="Unique ID of the component to be unloaded"
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="Only print component unique IDs"
    )


def run_unload(args: argparse.Namespace) -> int:
    """Unload components from a container."""
    container = absolute(args.container_node_name)
    with open_session(args) as session:
        for number in args.component_uid:
            answer = _call(session, container, UNLOAD, unique_id=number)
            if not answer.success:
                raise CliError(
                    f"Failed to unload component {number} from '{container}' container node: "
                    f"{answer.error_message}"
                )
            text = f"Unloaded component {number} from '{container}' container node"
            print(number if args.quiet else text)
    return 0
