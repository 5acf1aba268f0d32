"""`ros2 topic delay`."""

from __future__ import annotations

import argparse
from typing import Any

from rclpy.time import Time

from ros2cli.arguments import add_node_arguments
from ros2cli.errors import CliError
from ros2cli.session import open_session
from ros2cli.topic.monitor import add_window_argument, monitor
from ros2cli.topic.source import await_message_class
from ros2cli.topic.statistics import DelayWindow


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_arguments(parser, daemon_option=False)
    parser.add_argument("topic", help="Topic name to calculate the delay for")
    add_window_argument(parser, default=10000)


def main(args: argparse.Namespace) -> int:
    """Print the age of a topic's messages at arrival until interrupted."""
    window = DelayWindow(args.window)
    with open_session(args) as session:
        clock = session.node.get_clock()
        msg_class = await_message_class(session, args.topic)
        if "header" not in msg_class.get_fields_and_field_types():
            raise CliError("msg does not have header")

        def on_message(msg: Any) -> None:
            age = clock.now() - Time.from_msg(msg.header.stamp)
            window.add(age.nanoseconds * 1e-9)

        monitor(session, msg_class, args.topic, on_message, window.report, raw=False)
    return 0
