"""`ros2 service`."""

from __future__ import annotations

import argparse
import time
from typing import Any

from ros2cli import graph
from ros2cli.arguments import CliError, add_node_arguments, positive_rate, positive_seconds
from ros2cli.graph import (
    add_finding_arguments,
    add_listing_arguments,
    find_service,
    print_found,
    print_listed,
)
from ros2cli.interface_values import add_values_argument, fill_from_yaml, service_class, values_text
from ros2cli.names import absolute
from ros2cli.session import Session, open_session

QUICK_S = 0.5  # a service found within this time prints no message


def add_call_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 service call`."""
    add_node_arguments(parser, daemon_option=False)
    parser.add_argument(
        "service_name", help="Name of the ROS service to call to (e.g. '/add_two_ints')"
    )
    parser.add_argument("service_type", help="Type of the ROS service (e.g. 'std_srvs/srv/Empty')")
    add_values_argument(parser, "service request")
    parser.add_argument(
        "-r",
        "--rate",
        metavar="N",
        type=positive_rate,
        help="Repeat the call at a specific rate in Hz",
    )
    parser.add_argument(
        "--timeout",
        metavar="N",
        type=positive_seconds,
        help="Give up after N seconds without service or response (default: wait endlessly)",
    )


def run_call(args: argparse.Namespace) -> int:
    """Call a service, once or at a rate, and print the responses."""
    srv_class = service_class(args.service_type)
    request = srv_class.Request()
    stamp_setters = fill_from_yaml(request, values_text(args))
    with open_session(args) as session:
        client = session.node.create_client(srv_class, args.service_name)
        _wait_for_service(client, args)
        while True:
            started = time.monotonic()
            stamp = session.node.get_clock().now().to_msg()
            for set_stamp in stamp_setters:
                set_stamp(stamp)
            _call(session, client, request, args)
            if args.rate is None:
                return 0
            time.sleep(max(0.0, started + 1.0 / args.rate - time.monotonic()))


def _wait_for_service(client: Any, args: argparse.Namespace) -> None:
    if client.wait_for_service(timeout_sec=QUICK_S):
        return
    print("waiting for service to become available...")
    if not client.wait_for_service(timeout_sec=args.timeout):
        raise CliError(f"Service '{args.service_name}' did not become available")


def _call(session: Session, client: Any, request: Any, args: argparse.Namespace) -> None:
    print(f"requester: making request: {request!r}\n")
    response = session.result_of(client.call_async(request), args.timeout)
    if response is None:
        raise CliError(f"Service '{args.service_name}' did not respond")
    print(f"response:\n{response!r}\n")


def add_find_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 service find`."""
    add_finding_arguments(parser, "service", "rcl_interfaces/srv/GetParameters")


def run_find(args: argparse.Namespace) -> int:
    """Print the services of one type."""
    return print_found(args, graph.services)


def add_info_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 service info`."""
    add_node_arguments(parser)
    parser.add_argument(
        "service_name", help="Name of the ROS service to get info (e.g. '/add_two_ints')"
    )


def run_info(args: argparse.Namespace) -> int:
    """Print the type of a service and its numbers of clients and servers."""
    name = absolute(args.service_name)
    with open_session(args) as session:
        types = find_service(session, name)
        if types is None:
            raise CliError(f"Unknown service '{args.service_name}'")
        session.settle()
        print(f"Type: {types[0] if len(types) == 1 else types}")
        print(f"Clients count: {session.node.count_clients(name)}")
        print(f"Services count: {session.node.count_services(name)}")
    return 0


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 service list`."""
    add_listing_arguments(parser, "service")


def run_list(args: argparse.Namespace) -> int:
    """Print the services."""
    with open_session(args) as session:
        session.settle()
        services = graph.services(session.node, include_hidden=args.include_hidden)
    print_listed(services, args)
    return 0


def add_type_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 service type`."""
    add_node_arguments(parser)
    parser.add_argument(
        "service_name", help="Name of the ROS service to get type (e.g. '/talker/list_parameters')"
    )


def run_type(args: argparse.Namespace) -> int:
    """Print the types of a service; a silent 1, as upstream, when there is no such service."""
    with open_session(args) as session:
        types = find_service(session, args.service_name)
    for name in types or ():
        print(name)
    return 0 if types else 1
