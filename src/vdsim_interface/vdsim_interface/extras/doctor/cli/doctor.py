"""`vdsim_doctor`: why does nothing arrive? One sentence for each thing that does not fit.

vdsim_doctor                 the graph of this ROS_DOMAIN_ID, and what arrives within 3 s
vdsim_doctor --seconds 10    look longer

It publishes nothing. The exit code is 1 when something keeps messages from arriving.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Sequence

from vdsim_protocol.cli.closed_pipe import ends_with_its_reader
from vdsim_protocol.why.typed import STARTER, typed

from vdsim_interface.extras.doctor.examine import examine, has_errors, report
from vdsim_interface.extras.doctor.installed import installed_lines
from vdsim_interface.extras.doctor.snapshot import Snapshot

DISCOVERY_S = 10.0
"""Longest wait for a graph that keeps changing [s]."""


@ends_with_its_reader
def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; 0: nothing keeps messages from arriving, 1: something does, 2: wrong use."""
    options = _options(arguments)
    snapshot = _look(options.seconds)
    if snapshot is None:
        return 130
    findings = examine(snapshot)
    told = "\n".join(report(snapshot, findings, installed_lines(snapshot)))
    print(typed(told, os.environ.get(STARTER, "")))
    return 1 if has_errors(findings) else 0


def _look(window_s: float) -> Snapshot | None:
    """Observe the graph; None when the user has interrupted it."""
    import rclpy
    from rclpy.executors import ExternalShutdownException

    from vdsim_interface.extras.doctor.ros.observer import Observer

    rclpy.init(args=[])
    try:
        observer = Observer()
        try:
            observer.settle(DISCOVERY_S)
            observer.receive(window_s)
            return observer.snapshot(os.environ)
        finally:
            observer.close()
    except (KeyboardInterrupt, ExternalShutdownException):
        return None
    finally:
        rclpy.try_shutdown()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="vdsim_doctor", description="why does nothing arrive?")
    parser.add_argument(
        "--seconds", type=_seconds, default=3.0, help="how long to receive [s] (default: 3)"
    )
    return parser.parse_args(arguments)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value <= 3600.0:
        raise argparse.ArgumentTypeError(f"--seconds={text}: must be > 0 and <= 3600")
    return value


if __name__ == "__main__":
    sys.exit(main())
