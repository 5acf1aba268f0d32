"""`ros2 topic echo`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.qos import QoSProfile

from ros2cli.arguments import add_node_arguments, count, positive_seconds
from ros2cli.interface_class import message_class
from ros2cli.names import absolute
from ros2cli.qos import add_qos_arguments, subscription_qos
from ros2cli.session import Session, open_session
from ros2cli.topic.document import DOCUMENT_END, Style, render, style_of
from ros2cli.topic.source import Predicate, await_message_class, compile_filter


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_arguments(parser)
    parser.add_argument("topic_name", help="Name of the ROS topic to listen to (e.g. '/chatter')")
    parser.add_argument(
        "message_type", nargs="?", help="Type of the ROS message (e.g. 'std_msgs/msg/String')"
    )
    add_qos_arguments(parser, "subscribe", "what all publishers can serve")
    _add_style_arguments(parser)
    parser.add_argument(
        "--no-lost-messages", action="store_true", help="Don't report when a message is lost"
    )
    parser.add_argument("--raw", action="store_true", help="Echo the raw binary representation")
    parser.add_argument(
        "--filter",
        dest="filter_expr",
        help="Python expression to filter messages that are printed. Expression can use Python "
        "builtins as well as m (the message).",
    )
    parser.add_argument(
        "--once", action="store_true", help="Print the first message received and then exit."
    )
    parser.add_argument(
        "--timeout", metavar="N", type=positive_seconds, help="Exit after N seconds"
    )
    parser.add_argument(
        "-i",
        "--include-message-info",
        action="store_true",
        help="Shows the associated message info.",
    )


def _add_style_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--csv", action="store_true", help="Output all recursive fields separated by commas"
    )
    parser.add_argument(
        "--field",
        help="Echo a selected field of a message. Use '.' to select sub-fields, for example "
        "'ros2 topic echo /odom --field pose.pose.position'",
    )
    parser.add_argument(
        "-f", "--full-length", action="store_true", help="Output all elements, however many"
    )
    parser.add_argument(
        "-l",
        "--truncate-length",
        type=count,
        default=128,
        help="The length to truncate arrays, bytes, and string to (default: 128)",
    )
    parser.add_argument(
        "--no-arr", action="store_true", help="Don't print array fields of messages"
    )
    parser.add_argument(
        "--no-str", action="store_true", help="Don't print string fields of messages"
    )
    parser.add_argument(
        "--flow-style", action="store_true", help="Print each array on one line (not with --csv)"
    )


def main(args: argparse.Namespace) -> int:
    """Print the messages of a topic until interrupted."""
    printer = _Printer(args, style_of(args))
    end = time.monotonic() + args.timeout if args.timeout else None
    with open_session(args) as session:
        if args.message_type:
            msg_class = message_class(args.message_type)
        else:
            msg_class = await_message_class(session, args.topic_name, args.timeout)
        qos = subscription_qos(args, _publishers_qos(session, args.topic_name))
        _subscribe(session, msg_class, args, qos, printer)
        while not (args.once and printer.printed) and (end is None or time.monotonic() < end):
            session.spin_once(None if end is None else end - time.monotonic())
    return 0


class _Printer:
    """Prints the messages that pass the filter."""

    def __init__(self, args: argparse.Namespace, style: Style) -> None:
        self._style = style
        self._once: bool = args.once
        self._accepts: Predicate | None = (
            compile_filter(args.filter_expr) if args.filter_expr else None
        )
        self.printed = 0

    def on_message(self, msg: Any) -> None:
        self._print(msg, None)

    def on_message_with_info(self, msg: Any, info: Mapping[str, int | None]) -> None:
        self._print(msg, info)

    def _print(self, msg: Any, info: Mapping[str, int | None] | None) -> None:
        if (self._once and self.printed) or (self._accepts and not self._accepts(msg)):
            return
        self.printed += 1
        if isinstance(msg, bytes):
            text = f"{msg!r}\n{DOCUMENT_END}"
        else:
            text = render(msg, self._style, info)
        print(text, end="")


def _publishers_qos(session: Session, topic_name: str) -> list[QoSProfile]:
    """Return what the publishers offer; none after a moment if there are only listeners."""
    name = absolute(topic_name)

    def look() -> list[QoSProfile] | None:
        endpoints = session.node.get_publishers_info_by_topic(name)
        return [endpoint.qos_profile for endpoint in endpoints] or None

    return session.wait_for(look) or []


def _subscribe(
    session: Session, msg_class: Any, args: argparse.Namespace, qos: QoSProfile, printer: _Printer
) -> None:
    # rclpy passes the message info to a callback of two arguments.
    callback: Any = (
        printer.on_message_with_info if args.include_message_info else printer.on_message
    )
    lost = None if args.no_lost_messages else _report_lost_messages
    session.node.create_subscription(
        msg_class,
        args.topic_name,
        callback,
        qos,
        raw=args.raw,
        event_callbacks=SubscriptionEventCallbacks(message_lost=lost),
    )


def _report_lost_messages(event: Any) -> None:
    print(
        f"A message was lost!!!\n\ttotal count change:{event.total_count_change}"
        f"\n\ttotal count: {event.total_count}",
        file=sys.stderr,
    )
