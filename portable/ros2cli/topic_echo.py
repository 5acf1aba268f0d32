"""`ros2 topic echo`: a message as a YAML document, a line of CSV, or one field."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.qos import QoSProfile
from rosidl_runtime_py import message_to_csv, message_to_ordereddict, message_to_yaml
from rosidl_runtime_py.convert import plain_to_yaml
from rosidl_runtime_py.slot_types import is_message

from ros2cli.arguments import CliError, add_node_arguments, count, positive_seconds
from ros2cli.interface_values import message_class
from ros2cli.names import absolute
from ros2cli.qos import add_qos_arguments, subscription_qos
from ros2cli.session import Session, open_session
from ros2cli.topic import Predicate, await_message_class, compile_filter

DOCUMENT_END = "---\n"


@dataclass(frozen=True)
class Style:
    """Which parts of a message are printed, and in which form."""

    field: tuple[str, ...] = ()
    csv: bool = False
    flow_style: bool = False
    truncate_length: int | None = None
    no_arr: bool = False
    no_str: bool = False


def style_of(args: argparse.Namespace) -> Style:
    """Return the style that the options of `ros2 topic echo` set."""
    field = tuple(part for part in (args.field or "").split(".") if part)
    if args.field is not None and not field:
        raise CliError(f"Invalid field value '{args.field}'")
    return Style(
        field=field,
        csv=args.csv,
        flow_style=args.flow_style,
        truncate_length=None if args.full_length else args.truncate_length,
        no_arr=args.no_arr,
        no_str=args.no_str,
    )


def render(msg: Any, style: Style, info: Mapping[str, int | None] | None = None) -> str:
    """Return the text of one message, ending in a newline."""
    if style.csv:
        cells = [str(info[key]) for key in _CSV_INFO] if info else []
        return ",".join([*cells, _body(msg, style)]) + "\n"
    head = yaml.safe_dump(dict(info)) + DOCUMENT_END if info else ""
    body = _body(msg, style)
    return head + body + ("" if body.endswith("\n") else "\n") + DOCUMENT_END


_CSV_INFO = (
    "source_timestamp",
    "received_timestamp",
    "publication_sequence_number",
    "reception_sequence_number",
)


def _body(msg: Any, style: Style) -> str:
    limits: dict[str, Any] = {
        "truncate_length": style.truncate_length,
        "no_arr": style.no_arr,
        "no_str": style.no_str,
    }
    parent, value = _select(msg, style.field)
    if not is_message(value):
        return _value_text(message_to_ordereddict(parent, **limits)[style.field[-1]], style)
    if style.csv:
        return message_to_csv(value, **limits)
    return message_to_yaml(value, **limits, flow_style=style.flow_style)


def _select(msg: Any, field: tuple[str, ...]) -> tuple[Any, Any]:
    """Return the message that holds the selected field, and the field's value."""
    parent, value = msg, msg
    for name in field:
        if not is_message(value) or name not in value.get_fields_and_field_types():
            raise CliError(
                f"Invalid field '{'.'.join(field)}': "
                f"'{type(value).__name__}' object has no attribute '{name}'"
            )
        parent, value = value, getattr(value, name)
    return parent, value


def _value_text(value: Any, style: Style) -> str:
    if not isinstance(value, list):
        return str(value)
    if style.csv:
        return ",".join(map(str, value))
    return plain_to_yaml(value, flow_style=style.flow_style)


def add_echo_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 topic echo`."""
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


def run_echo(args: argparse.Namespace) -> int:
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
    """Return the QoS profiles of the publishers; none if no publisher is discovered in time."""
    name = absolute(topic_name)

    def find() -> list[QoSProfile] | None:
        endpoints = session.node.get_publishers_info_by_topic(name)
        return [endpoint.qos_profile for endpoint in endpoints] or None

    return session.wait_for(find) or []


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
