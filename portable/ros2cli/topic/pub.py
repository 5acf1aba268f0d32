"""`ros2 topic pub`."""

from __future__ import annotations

import argparse
import time
from typing import Any

from rclpy.duration import Duration

from ros2cli.arguments import (
    add_node_arguments,
    count,
    positive_count,
    positive_rate,
    positive_seconds,
)
from ros2cli.errors import CliError
from ros2cli.interface_class import fill_from_yaml, message_class
from ros2cli.qos import add_qos_arguments, publisher_qos
from ros2cli.session import Session, open_session
from ros2cli.values import add_values_argument, values_text

MATCH_POLL_S = 0.1
MATCH_REPORT_S = 1.0
# A subscription that the publisher has found may itself find the publisher a moment later.
MUTUAL_MATCH_S = 0.2
ACKNOWLEDGE_LIMIT_S = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("topic_name", help="Name of the ROS topic to publish to (e.g. '/chatter')")
    parser.add_argument("message_type", help="Type of the ROS message (e.g. 'std_msgs/String')")
    add_values_argument(parser, "message")
    parser.add_argument(
        "-r",
        "--rate",
        metavar="N",
        type=positive_rate,
        default=1.0,
        help="Publishing rate in Hz (default: 1)",
    )
    parser.add_argument(
        "-p",
        "--print",
        metavar="N",
        type=count,
        default=1,
        help="Only print every N-th published message (default: 1)",
    )
    number = parser.add_mutually_exclusive_group()
    number.add_argument("-1", "--once", action="store_true", help="Publish one message and exit")
    number.add_argument(
        "-t", "--times", type=positive_count, help="Publish this number of times and then exit"
    )
    _add_waiting_arguments(parser)
    parser.add_argument("-n", "--node-name", help="Name of the created publishing node")
    add_qos_arguments(parser, "publish", "default")
    add_node_arguments(parser, daemon_option=False)


def _add_waiting_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-w",
        "--wait-matching-subscriptions",
        type=count,
        help="Wait until finding the specified number of matching subscriptions. Defaults to 1 "
        "with --once or --times, otherwise to 0.",
    )
    parser.add_argument(
        "--max-wait-time-secs",
        type=positive_seconds,
        help="Give up waiting for subscriptions after this time (default: wait endlessly)",
    )
    parser.add_argument(
        "--keep-alive",
        metavar="N",
        type=positive_seconds,
        default=0.1,
        help="Keep publishing node alive for N seconds after the last msg (default: 0.1)",
    )


def main(args: argparse.Namespace) -> int:
    """Publish a message, once or at a rate."""
    msg_class = message_class(args.message_type)
    msg = msg_class()
    stamp_setters = fill_from_yaml(msg, values_text(args))
    times = 1 if args.once else args.times
    wanted = args.wait_matching_subscriptions
    if wanted is None:
        wanted = 1 if times else 0
    if args.max_wait_time_secs and not wanted:
        raise CliError(
            "--max-wait-time-secs option is only effective"
            " with --wait-matching-subscriptions, --once or --times"
        )
    with open_session(args, args.node_name) as session:
        publisher = session.node.create_publisher(msg_class, args.topic_name, publisher_qos(args))
        _wait_for_subscriptions(publisher, wanted, args.max_wait_time_secs)
        clock = session.node.get_clock()

        def publish(number: int) -> None:
            stamp = clock.now().to_msg()
            for set_stamp in stamp_setters:
                set_stamp(stamp)
            if args.print and number % args.print == 0:
                print(f"publishing #{number}: {msg!r}\n")
            publisher.publish(msg)

        print("publisher: beginning loop")
        _publish_at_rate(session, publish, 1.0 / args.rate, times)
        # Only then has a reliable subscription really got it, however busy the machine is.
        publisher.wait_for_all_acked(Duration(seconds=ACKNOWLEDGE_LIMIT_S))
        time.sleep(args.keep_alive)
    return 0


def _publish_at_rate(session: Session, publish: Any, period_s: float, times: int | None) -> None:
    """Call `publish` with 1, 2, ... at absolute deadlines, serving the node in between."""
    due, number = time.monotonic(), 0
    while True:
        number += 1
        publish(number)
        if number == times:
            return
        due = max(due + period_s, time.monotonic() - period_s)  # late by more: do not catch up
        while (remaining_s := due - time.monotonic()) > 0.0:
            session.spin_once(remaining_s)


def _wait_for_subscriptions(publisher: Any, wanted: int, limit_s: float | None) -> None:
    if wanted == 0:
        return
    start = report_due = time.monotonic()
    while (found := publisher.get_subscription_count()) < wanted:
        now = time.monotonic()
        if now >= report_due:
            print(f"Waiting for at least {wanted} matching subscription(s)...")
            report_due += MATCH_REPORT_S
        if limit_s is not None and now - start >= limit_s:
            raise CliError(
                f"Timed out waiting for subscribers: Expected {wanted} "
                f"subscribers but only got {found} subscribers"
            )
        time.sleep(MATCH_POLL_S)
    time.sleep(MUTUAL_MATCH_S)
