"""`ros2 service call`."""

from __future__ import annotations

import argparse
import time
from typing import Any

from ros2cli.arguments import add_node_arguments, positive_rate, positive_seconds
from ros2cli.errors import CliError
from ros2cli.interface_class import fill_from_yaml, service_class
from ros2cli.session import Session, open_session
from ros2cli.values import add_values_argument, values_text

QUICK_S = 0.5  # a service found within this time needs no word of waiting


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
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


def main(args: argparse.Namespace) -> int:
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
