"""`ros2 topic hz`."""

from __future__ import annotations

import argparse
from typing import Any

from ros2cli.arguments import add_node_arguments
from ros2cli.session import open_session
from ros2cli.topic.monitor import add_window_argument, clock_of, monitor
from ros2cli.topic.source import await_message_class, compile_filter
from ros2cli.topic.statistics import RateWindow


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_arguments(parser, daemon_option=False)
    parser.add_argument("topic_name", help="Name of the ROS topic to listen to (e.g. '/chatter')")
    add_window_argument(parser, default=10000)
    parser.add_argument(
        "--filter",
        dest="filter_expr",
        metavar="EXPR",
        help="only measure messages matching the specified Python expression",
    )
    parser.add_argument(
        "--wall-time",
        action="store_true",
        help="calculates rate using wall time even with --use-sim-time",
    )


def main(args: argparse.Namespace) -> int:
    """Print the rate of a topic until interrupted."""
    accepts = compile_filter(args.filter_expr) if args.filter_expr else None
    window = RateWindow(args.window)
    with open_session(args) as session:
        now = clock_of(session, args)

        def on_message(msg: Any) -> None:
            if accepts is None or accepts(msg):
                window.add(now())

        msg_class = await_message_class(session, args.topic_name)
        raw = accepts is None  # nothing to decode
        monitor(session, msg_class, args.topic_name, on_message, window.report, raw=raw)
    return 0
