"""`vdsim_why`: why did the car not do what I asked? Now, or at any moment of a recording.

vdsim_why                             now: mode, who is in control, why, what to do, the way of
                                      the latest command: what changed it, by whose bound
vdsim_why --limits                    the limits in force, and where each comes from
vdsim_why drive.mcap                  a recording of record:=: what happened, which rule changed
                                      what, and when
vdsim_why drive.mcap --at 12.5        who was in control, why, and what to do, at that moment
vdsim_why drive.jsonl                 the same of traces alone
vdsim_why drive.jsonl --at 12.5       why at that moment, and the command's way through all stages
vdsim_why --topic /vehicle/command_trace --seconds 10 [--save drive.jsonl]

`vdsim_explain` is another name of it, and `vdsim_status` leaves out the way. Times are seconds
since the first trace.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Sequence
from importlib.metadata import entry_points
from pathlib import Path

from vdsim_protocol.checked_file import FileError, read_text
from vdsim_protocol.cli.closed_pipe import ends_with_its_reader
from vdsim_protocol.why import explained
from vdsim_protocol.why.typed import STARTER, typed

from vdsim_interface.extras.explain.jsonl import RecordError, from_lines, to_line
from vdsim_interface.extras.explain.recorded import NOT_RECORDED, check_moment, evidence_of
from vdsim_interface.extras.explain.sentences import explain_at, start_line, summary
from vdsim_interface.pipeline.trace import CommandTrace

DISCOVERY_S = 5.0
"""Longest wait for the first trace, at least: nodes must discover each other first [s]."""

TRACED_S, LIVE_S = 10.0, 1.0
"""How long is received, with --topic and for the answer of now [s]."""
LARGEST_BYTES = 1 << 30
READERS = "vdsim_interface.why"
"""Entry points by the ending of a file's name: (file, --at, --least) -> lines."""


class NoTraceError(ValueError):
    """There is nothing to explain; the text gives the reason."""


@ends_with_its_reader
def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; return 0, or 2 after one line about what is wrong."""
    options = _options(arguments)
    try:
        if options.recording is None and options.topic is None:
            _print(_now(options))
            return 0
        if options.topic is None and (told := _told(options)) is not None:
            _print(told)
            return 0
        if options.topic is None:
            traces = read_recording(options.recording)
        else:
            seconds = TRACED_S if options.seconds is None else options.seconds
            traces = receive_traces(options.topic, seconds)
            if options.save is not None:
                text = "".join(f"{to_line(trace)}\n" for trace in traces)
                options.save.write_text(text, encoding="utf-8")
        if options.at is not None:
            name = options.recording or options.topic
            check_moment(name, options.at, 0.0, traces[-1].stamp_s - traces[0].stamp_s)
    except BrokenPipeError:
        raise
    except (OSError, RecordError, NoTraceError, FileError) as error:
        print(f"{_name()}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(start_line(traces[0].stamp_s))
    if options.at is None:
        _print(summary(traces, options.least))
    else:
        _print(why_at(traces, options.at))
        _print(explain_at(traces, options.at))
    return 0


def _print(lines: Iterable[str]) -> None:
    print(typed("\n".join(lines), os.environ.get(STARTER, "")))


def why_at(traces: Sequence[CommandTrace], at_s: float) -> tuple[str, ...]:
    """The answer for the moment nearest to a time, and what no recording of traces holds."""
    trace = min(traces, key=lambda one: abs(one.stamp_s - traces[0].stamp_s - at_s))
    return (*explained(evidence_of(trace)).lines, NOT_RECORDED)


def _told(options: argparse.Namespace) -> list[str] | None:
    """What an installed reader of this kind of file tells; None: it is a file of traces."""
    kind = Path(options.recording).suffix.removeprefix(".")
    for entry in entry_points(group=READERS, name=kind) if kind else ():
        lines: list[str] = entry.load()(options.recording, options.at, options.least)
        return lines
    if kind == "mcap":
        raise NoTraceError(f"{options.recording}: needs the package vdsim_record: not installed")
    return None


def _now(options: argparse.Namespace) -> list[str]:
    # Here, so that a recording can be explained without ROS.
    from vdsim_interface.extras.explain.ros import now

    if options.limits:
        return now.limits_in_force()
    seconds = LIVE_S if options.seconds is None else options.seconds
    return now.three_lines(seconds, shows_way=_name() != "vdsim_status")


def _name() -> str:
    """The name by which it was called."""
    name = Path(sys.argv[0]).name
    return name if name.startswith("vdsim_") else "vdsim_why"


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=_name(), description="why does, or did, the car not do what I asked?"
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "recording",
        nargs="?",
        help="drive.mcap of record:=, or a file of command traces (JSON lines; - stdin)",
    )
    source.add_argument("--topic", help="topic of command traces of a running interface")
    source.add_argument(
        "--limits", action="store_true", help="the limits in force, and where each comes from"
    )
    parser.add_argument(
        "--at", type=float, help="explain the command at this time [s since the first trace]"
    )
    parser.add_argument("--least", type=float, default=0.0, help="omit episodes shorter than [s]")
    parser.add_argument(
        "--seconds",
        type=float,
        default=None,
        help="how long to receive [s] (default: 1; with --topic: 10)",
    )
    parser.add_argument("--save", type=Path, help="with --topic: write the traces to this file")
    return parser.parse_args(arguments)


def read_recording(name: str) -> list[CommandTrace]:
    """Read a recording from a file, or from stdin for `-`."""
    if name == "-":
        traces = list(from_lines(sys.stdin))
    else:
        try:
            text = read_text(Path(name), largest_bytes=LARGEST_BYTES)
            traces = list(from_lines(text.splitlines()))
        except FileError as fault:
            raise NoTraceError(str(fault)) from None
        except RecordError as error:
            raise NoTraceError(f"{name}: {error}") from None
    if not traces:
        raise NoTraceError(f"{name}: holds no command trace")
    return traces


def receive_traces(topic: str, seconds: float) -> list[CommandTrace]:
    """Receive every trace of some seconds from the first one on. Ctrl-C ends it early."""
    # Here, so that a recording can be explained without ROS.
    import rclpy
    from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

    from vdsim_interface.extras.explain.ros.trace_value import trace_value
    from vdsim_interface.ros import topics
    from vdsim_interface.ros.process.checked_node import PrivateNode
    from vdsim_msgs.msg import CommandTrace as CommandTraceMsg

    traces: list[CommandTrace] = []
    rclpy.init()
    node = PrivateNode("vdsim_why")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    subscription = node.create_subscription(
        CommandTraceMsg,
        topic,
        lambda message: traces.append(trace_value(message)),
        topics.RELIABLE_QOS,
    )
    end_s = time.monotonic() + max(seconds, DISCOVERY_S)
    started = False
    publishers_n = 0
    try:
        while time.monotonic() < end_s:
            executor.spin_once(timeout_sec=0.1)
            if traces and not started:
                started, end_s = True, time.monotonic() + seconds
        publishers_n = node.count_publishers(subscription.topic_name)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    node.destroy_node()
    rclpy.try_shutdown()
    if not traces:
        why = "its publisher is silent: inactive, or its time stands still"
        why = why if publishers_n else "nobody publishes there; is it running?"
        raise NoTraceError(f"nothing came on {topic}: {why}")
    return traces


if __name__ == "__main__":
    sys.exit(main())
