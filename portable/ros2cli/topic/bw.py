"""`ros2 topic bw`."""

from __future__ import annotations

import argparse

from ros2cli.arguments import add_node_arguments
from ros2cli.session import open_session
from ros2cli.topic.monitor import add_window_argument, clock_of, monitor
from ros2cli.topic.source import await_message_class
from ros2cli.topic.statistics import BandwidthWindow


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_node_arguments(parser, daemon_option=False)
    parser.add_argument("topic", help="Topic name to monitor for bandwidth utilization")
    add_window_argument(parser, default=100)


def main(args: argparse.Namespace) -> int:
    """Print the bandwidth of a topic until interrupted."""
    window = BandwidthWindow(args.window)
    with open_session(args) as session:
        now = clock_of(session, args)
        msg_class = await_message_class(session, args.topic)
        print(f"Subscribed to [{args.topic}]")
        monitor(
            session,
            msg_class,
            args.topic,
            lambda data: window.add(now(), len(data)),
            lambda: window.report(now()),
            raw=True,
        )
    return 0
