"""The loop of hz, bw and delay: listen, and report once a second while messages come."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from rclpy.qos import qos_profile_sensor_data

from ros2cli.arguments import positive_count
from ros2cli.session import Session

REPORT_PERIOD_S = 1.0


def clock_of(session: Session, args: argparse.Namespace) -> Callable[[], float]:
    """Return the clock to measure with, in seconds: simulation time only where it is asked for."""
    if args.use_sim_time and not getattr(args, "wall_time", False):
        ros_clock = session.node.get_clock()
        return lambda: float(ros_clock.now().nanoseconds) * 1e-9
    return time.monotonic


def monitor(
    session: Session,
    msg_class: Any,
    topic_name: str,
    on_message: Callable[[Any], None],
    report: Callable[[], str | None],
    *,
    raw: bool,
) -> None:
    """Print a report each second in which a message came, until interrupted.

    It subscribes with best effort, so that no publisher is excluded or slowed down.
    """
    received = 0

    def count(msg: Any) -> None:
        nonlocal received
        received += 1
        on_message(msg)

    session.node.create_subscription(msg_class, topic_name, count, qos_profile_sensor_data, raw=raw)
    reported, due = 0, time.monotonic() + REPORT_PERIOD_S
    while True:
        session.spin_once(max(0.0, due - time.monotonic()))
        if time.monotonic() < due:
            continue
        due += REPORT_PERIOD_S
        text = report()
        if received > reported and text is not None:
            reported = received
            print(text)


def add_window_argument(parser: argparse.ArgumentParser, default: int) -> None:
    """Add `--window`."""
    parser.add_argument(
        "-w",
        "--window",
        type=positive_count,
        default=default,
        metavar="WINDOW",
        help=f"window size, in # of messages (default: {default})",
    )
