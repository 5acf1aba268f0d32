"""`ros2 topic`: list, find, info, type and pub."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.duration import Duration

from ros2cli import graph
from ros2cli.arguments import (
    CliError,
    add_node_arguments,
    count,
    positive_count,
    positive_rate,
    positive_seconds,
)
from ros2cli.graph import (
    add_finding_arguments,
    add_listing_arguments,
    find_topic,
    print_found,
    print_listed,
    topic_types,
)
from ros2cli.interface_values import add_values_argument, fill_from_yaml, message_class, values_text
from ros2cli.names import absolute, with_types
from ros2cli.qos import add_qos_arguments, publisher_qos
from ros2cli.session import Session, open_session

Predicate = Callable[[Any], bool]


def await_message_class(session: Session, topic_name: str, limit_s: float | None = None) -> Any:
    """Return the class of a topic's messages, waiting for the topic to appear.

    After a few seconds a warning names the topic; after `limit_s` a CliError is raised.
    """
    types = find_topic(session, topic_name)
    if types is None:
        print(f"WARNING: topic [{topic_name}] does not appear to be published yet", file=sys.stderr)
        limit_s = math.inf if limit_s is None else limit_s
        types = session.wait_for(lambda: topic_types(session.node, topic_name), limit_s)
    if types is None:
        raise CliError("Could not determine the type for the passed topic")
    if len(types) > 1:
        raise CliError(
            f"Cannot echo topic '{topic_name}', as it contains more than one type: "
            f"[{', '.join(types)}]"
        )
    return message_class(types[0])


def compile_filter(expression: str) -> Predicate:
    """Return the user's Python expression on a message `m` as a function."""
    try:
        code = compile(expression, "<filter>", "eval")
    except SyntaxError as error:
        raise CliError(f"Invalid filter expression '{expression}': {error.msg}") from error

    def accepts(msg: Any) -> bool:
        try:
            return bool(eval(code, {"m": msg}))
        except Exception as error:  # whatever the user's expression may raise
            raise CliError(f"Filter expression '{expression}' failed: {error}") from error

    return accepts


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 topic list`."""
    add_listing_arguments(parser, "topic")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="List full details about each topic"
    )


def run_list(args: argparse.Namespace) -> int:
    """Print the topics."""
    with open_session(args) as session:
        session.settle()
        topics = graph.topics(session.node, include_hidden=args.include_hidden)
        if args.verbose and not args.count_only:
            _print_ends("Published topics", "publisher", topics, session.node.count_publishers)
            _print_ends("Subscribed topics", "subscriber", topics, session.node.count_subscribers)
        else:
            print_listed(topics, args)
    return 0


def _print_ends(
    title: str, end: str, topics: graph.NamesAndTypes, count: Callable[[str], int]
) -> None:
    print(f"{title}:")
    for name, types in topics:
        number = count(name)
        if number:
            print(f" * {with_types(name, types)} {number} {end}{'s' if number > 1 else ''}")
    print()


def add_find_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 topic find`."""
    add_finding_arguments(parser, "topic", "std_msgs/msg/String")


def run_find(args: argparse.Namespace) -> int:
    """Print the topics of one type."""
    return print_found(args, graph.topics)


def add_info_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 topic info`."""
    add_node_arguments(parser)
    parser.add_argument("topic_name", help="Name of the ROS topic to get info (e.g. '/chatter')")
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="Print each publisher and subscriber with its node, type hash, GID and QoS profile",
    )


def run_info(args: argparse.Namespace) -> int:
    """Print the type of a topic and its publishers and subscriptions."""
    name = absolute(args.topic_name)
    with open_session(args) as session:
        types = find_topic(session, name)
        if types is None:
            raise CliError(f"Unknown topic '{args.topic_name}'")
        session.settle()
        print(f"Type: {types[0] if len(types) == 1 else types}")
        publishers = session.node.get_publishers_info_by_topic(name)
        subscriptions = session.node.get_subscriptions_info_by_topic(name)
        if args.verbose:
            print()
        _print_endpoints("Publisher count", publishers, args.verbose)
        _print_endpoints("Subscription count", subscriptions, args.verbose)
    return 0


def _print_endpoints(title: str, endpoints: Sequence[Any], verbose: bool) -> None:
    print(f"{title}: {len(endpoints)}")
    if verbose:
        print()
        for endpoint in endpoints:  # rclpy writes an endpoint just as upstream prints it
            print(endpoint, end="\n\n")


def add_type_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 topic type`."""
    add_node_arguments(parser)
    parser.add_argument("topic_name", help="Name of the ROS topic to get type (e.g. '/chatter')")


def run_type(args: argparse.Namespace) -> int:
    """Print the types of a topic; a silent 1, as upstream, when there is no such topic."""
    with open_session(args) as session:
        types = find_topic(session, args.topic_name)
    for name in types or ():
        print(name)
    return 0 if types else 1


MATCH_POLL_S = 0.1
MATCH_REPORT_S = 1.0
# A subscription may discover the publisher a moment after the publisher discovered it.
MUTUAL_MATCH_S = 0.2
ACKNOWLEDGE_LIMIT_S = 5.0


def add_pub_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 topic pub`."""
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


def run_pub(args: argparse.Namespace) -> int:
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
        # Only then has every reliable subscription received the message.
        publisher.wait_for_all_acked(Duration(seconds=ACKNOWLEDGE_LIMIT_S))
        time.sleep(args.keep_alive)
    return 0


def _publish_at_rate(session: Session, publish: Any, period_s: float, times: int | None) -> None:
    """Call `publish` with 1, 2, ... at absolute deadlines, spinning the node in between."""
    due, number = time.monotonic(), 0
    while True:
        number += 1
        publish(number)
        if number == times:
            return
        due = max(due + period_s, time.monotonic() - period_s)  # later than that: do not catch up
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
