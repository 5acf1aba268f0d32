"""`ros2 lifecycle`: the states of managed nodes."""

from __future__ import annotations

import argparse
from typing import Any

from rosidl_runtime_py.utilities import get_service

from ros2cli import graph
from ros2cli.arguments import CliError, add_node_arguments
from ros2cli.graph import add_node_list_arguments, print_names
from ros2cli.names import absolute, is_hidden
from ros2cli.session import Session, open_session

STATE_SERVICE = "get_state"
STATE_SERVICE_TYPE = "lifecycle_msgs/srv/GetState"
ANSWER_LIMIT_S = 5.0


def add_lifecycle_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verbs that call managed nodes."""
    add_node_arguments(parser)
    parser.add_argument(
        "--include-hidden-nodes", action="store_true", help="Consider hidden nodes as well"
    )


def lifecycle_nodes(session: Session, *, include_hidden: bool) -> list[str]:
    """Return the nodes that have a lifecycle, once the graph has settled."""
    session.settle()
    suffix = f"/{STATE_SERVICE}"
    return [
        name.removesuffix(suffix)
        for name, types in graph.services(session.node, include_hidden=True)
        if name.endswith(suffix)
        and STATE_SERVICE_TYPE in types
        and (include_hidden or not is_hidden(name))
    ]


def current_state(session: Session, node_name: str) -> Any:
    """Return a node's state, with `id` and `label`."""
    return _call(session, node_name, STATE_SERVICE, "GetState").current_state


def transitions(session: Session, node_name: str, *, in_any_state: bool) -> list[Any]:
    """Return the transitions available to a node now, or all of its transitions."""
    service = "get_transition_graph" if in_any_state else "get_available_transitions"
    found: list[Any] = _call(
        session, node_name, service, "GetAvailableTransitions"
    ).available_transitions
    return found


def change_state(session: Session, node_name: str, transition_id: int) -> bool:
    """Request a transition of a node and return whether it succeeded."""
    request = get_service("lifecycle_msgs/srv/ChangeState").Request()
    request.transition.id = transition_id
    return bool(_call(session, node_name, "change_state", "ChangeState", request).success)


def _call(session: Session, node_name: str, name: str, type_: str, request: Any = None) -> Any:
    srv_class = get_service(f"lifecycle_msgs/srv/{type_}")
    client = session.node.create_client(srv_class, f"{absolute(node_name)}/{name}")
    if not client.wait_for_service(timeout_sec=ANSWER_LIMIT_S):
        raise CliError(f"Node not found, or without lifecycle: '{node_name}'")
    future = client.call_async(request or srv_class.Request())
    response = session.result_of(future, ANSWER_LIMIT_S)
    if response is None:
        raise CliError(f"Node '{node_name}' did not answer within {ANSWER_LIMIT_S:g} s")
    return response


def add_get_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 lifecycle get`."""
    add_lifecycle_arguments(parser)
    parser.add_argument(
        "node_name", nargs="?", help="Name of the ROS node (default: every lifecycle node)"
    )


def run_get(args: argparse.Namespace) -> int:
    """Print the state of one node, or of all that have a lifecycle."""
    with open_session(args) as session:
        if args.node_name:
            state = current_state(session, args.node_name)
            print(f"{state.label} [{state.id}]")
            return 0
        for name in lifecycle_nodes(session, include_hidden=args.include_hidden_nodes):
            state = current_state(session, name)
            print(f"{name}: {state.label} [{state.id}]")
    return 0


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 lifecycle list`."""
    add_lifecycle_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")
    parser.add_argument("-a", "--all", action="store_true", help="Display all existing transitions")


def run_list(args: argparse.Namespace) -> int:
    """Print the transitions of a node."""
    with open_session(args) as session:
        found = transitions(session, args.node_name, in_any_state=args.all)
    for entry in found:
        print(
            f"- {entry.transition.label} [{entry.transition.id}]\n"
            f"\tStart: {entry.start_state.label}\n"
            f"\tGoal: {entry.goal_state.label}"
        )
    return 0


def add_nodes_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 lifecycle nodes`."""
    add_node_list_arguments(parser)


def run_nodes(args: argparse.Namespace) -> int:
    """Print the nodes that have a lifecycle."""
    with open_session(args) as session:
        names = lifecycle_nodes(session, include_hidden=args.all)
    print_names(names, args)
    return 0


def add_set_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 lifecycle set`."""
    add_lifecycle_arguments(parser)
    parser.add_argument("node_name", help="Name of the ROS node")
    parser.add_argument("transition", help="The lifecycle transition, by label or number")


def run_set(args: argparse.Namespace) -> int:
    """Trigger a transition."""
    with open_session(args) as session:
        available = {
            entry.transition.label: entry.transition.id
            for entry in transitions(session, args.node_name, in_any_state=False)
        }
        wanted = args.transition
        chosen = [number for label, number in available.items() if wanted in (label, str(number))]
        if not chosen:
            offers = ", ".join(f"{label} [{number}]" for label, number in available.items())
            raise CliError(f"Unknown transition '{wanted}', available: {offers or 'none'}")
        if not change_state(session, args.node_name, chosen[0]):
            raise CliError("Transitioning failed")
    print("Transitioning successful")
    return 0
