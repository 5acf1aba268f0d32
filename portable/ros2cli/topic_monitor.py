"""`ros2 topic hz`, `bw` and `delay`: receive, and report once a second."""

from __future__ import annotations

import argparse
import math
import time
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from rclpy.qos import qos_profile_sensor_data
from rclpy.time import Time

from ros2cli.arguments import CliError, add_node_arguments, positive_count
from ros2cli.session import Session, open_session
from ros2cli.topic import await_message_class, compile_filter


@dataclass(frozen=True)
class Summary:
    """Mean, extremes and standard deviation of the values in a window, in the values' unit."""

    mean: float
    minimum: float
    maximum: float
    deviation: float
    number: int

    @classmethod
    def of(cls, values: Collection[float]) -> Summary:
        """Summarise one or more values."""
        mean = sum(values) / len(values)
        variance = sum((value - mean) ** 2 for value in values) / len(values)
        return cls(
            mean=mean,
            minimum=min(values),
            maximum=max(values),
            deviation=math.sqrt(variance),
            number=len(values),
        )


class RateWindow:
    """The times between the latest messages."""

    def __init__(self, size: int) -> None:
        self._intervals_s: deque[float] = deque(maxlen=size)
        self._latest_s: float | None = None

    def add(self, now_s: float) -> None:
        """Add a message; a clock that went back resets the window."""
        if self._latest_s is not None and now_s < self._latest_s:
            self._intervals_s.clear()
        elif self._latest_s is not None:
            self._intervals_s.append(now_s - self._latest_s)
        self._latest_s = now_s

    def report(self) -> str | None:
        """Return the text that `ros2 topic hz` prints; None before the second message."""
        if not self._intervals_s:
            return None
        summary = Summary.of(self._intervals_s)
        rate_hz = 1.0 / summary.mean if summary.mean > 0.0 else 0.0
        return _lines(f"average rate: {rate_hz:.3f}", summary, summary.number + 1)


class DelayWindow:
    """The times from a message's stamp to its arrival."""

    def __init__(self, size: int) -> None:
        self._delays_s: deque[float] = deque(maxlen=size)

    def add(self, delay_s: float) -> None:
        """Add a message."""
        self._delays_s.append(delay_s)

    def report(self) -> str | None:
        """Return the text that `ros2 topic delay` prints; None before the first message."""
        if not self._delays_s:
            return None
        summary = Summary.of(self._delays_s)
        return _lines(f"average delay: {summary.mean:.3f}", summary, summary.number)


class BandwidthWindow:
    """The sizes of the latest messages and their times of arrival."""

    def __init__(self, size: int) -> None:
        self._messages: deque[tuple[float, int]] = deque(maxlen=size)

    def add(self, now_s: float, size_bytes: int) -> None:
        """Add a message."""
        self._messages.append((now_s, size_bytes))

    def report(self, now_s: float) -> str | None:
        """Return the text that `ros2 topic bw` prints; None before the second message."""
        if len(self._messages) < 2 or now_s <= self._messages[0][0]:
            return None
        sizes = Summary.of([size for _, size in self._messages])
        bytes_per_s = sizes.mean * sizes.number / (now_s - self._messages[0][0])
        # One unit for all figures: the bandwidth's.
        return (
            f"{_size_text(bytes_per_s, bytes_per_s)}/s from {sizes.number} messages\n"
            f"\tMessage size mean: {_size_text(sizes.mean, bytes_per_s)} "
            f"min: {_size_text(sizes.minimum, bytes_per_s)} "
            f"max: {_size_text(sizes.maximum, bytes_per_s)}"
        )


def _lines(headline: str, summary: Summary, window: int) -> str:
    return (
        f"{headline}\n\tmin: {summary.minimum:.3f}s max: {summary.maximum:.3f}s "
        f"std dev: {summary.deviation:.5f}s window: {window}"
    )


def _size_text(size_bytes: float, scale: float) -> str:
    if scale < 1e3:
        return f"{size_bytes:.0f} B"
    if scale < 1e6:
        return f"{size_bytes / 1e3:.2f} KB"
    return f"{size_bytes / 1e6:.2f} MB"


REPORT_PERIOD_S = 1.0


def clock_of(session: Session, args: argparse.Namespace) -> Callable[[], float]:
    """Return the clock to measure with, in seconds: simulation time only on request."""
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
    """Print a report each second in which a message arrived, until interrupted.

    The subscription is best effort, so that it matches every publisher and slows none down.
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


def add_hz_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 topic hz`."""
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


def run_hz(args: argparse.Namespace) -> int:
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


def add_bw_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 topic bw`."""
    add_node_arguments(parser, daemon_option=False)
    parser.add_argument("topic", help="Topic name to monitor for bandwidth utilization")
    add_window_argument(parser, default=100)


def run_bw(args: argparse.Namespace) -> int:
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


def add_delay_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 topic delay`."""
    add_node_arguments(parser, daemon_option=False)
    parser.add_argument("topic", help="Topic name to calculate the delay for")
    add_window_argument(parser, default=10000)


def run_delay(args: argparse.Namespace) -> int:
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
