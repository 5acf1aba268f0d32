"""`vdsim_explain`: from a recording (explain_command), or live from a running interface.

vdsim_explain --topic /vehicle/command_trace --seconds 10 [--save drive.jsonl]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

from vdsim_interface.cli import explain_recording as explain_command
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.trace import trace_value
from vdsim_interface.trace.explain import story
from vdsim_interface.trace.jsonl import to_line
from vdsim_interface.trace.trace import CommandTrace
from vdsim_msgs.msg import CommandTrace as CommandTraceMsg

DISCOVERY_S = 5.0
"""So long it may take at least until the first trace: nodes must find each other first."""


def listen(topic: str, seconds: float) -> tuple[list[CommandTrace], int]:
    """Every trace of some seconds from the first one on, and how many publishers there are.

    Ctrl-C ends it early.
    """
    traces: list[CommandTrace] = []
    rclpy.init()
    node = rclpy.create_node("vdsim_explain")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    subscription = node.create_subscription(
        CommandTraceMsg,
        topic,
        lambda message: traces.append(trace_value(message)),
        topics.RELIABLE_QOS,
    )
    end_s = time.monotonic() + max(seconds, DISCOVERY_S)
    heard = False
    publishers_n = 0
    try:
        while time.monotonic() < end_s:
            executor.spin_once(timeout_sec=0.1)
            if traces and not heard:
                heard, end_s = True, time.monotonic() + seconds
        publishers_n = node.count_publishers(subscription.topic_name)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    node.destroy_node()
    rclpy.try_shutdown()
    return traces, publishers_n


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point: `--topic` listens, anything else reads a recording."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if "--topic" not in given:
        return explain_command.main(given)
    parser = argparse.ArgumentParser(prog="vdsim_explain", description=__doc__)
    parser.add_argument("--topic", required=True, help="of command traces")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long to listen [s]")
    parser.add_argument("--save", type=Path, help="write the traces there, for later")
    options = parser.parse_args(given)
    traces, publishers_n = listen(options.topic, options.seconds)
    if not traces:
        why = "its publisher is silent: inactive, or its time stands still"
        why = why if publishers_n else "nobody publishes there; is it running?"
        print(f"vdsim_explain: nothing came on {options.topic}: {why}", file=sys.stderr)
        return 2
    if options.save is not None:
        options.save.write_text("".join(f"{to_line(t)}\n" for t in traces), encoding="utf-8")
    print("\n".join(story(traces, 0.0)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
