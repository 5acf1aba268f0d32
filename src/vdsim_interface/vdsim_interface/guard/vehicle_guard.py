"""`vehicle_guard`: keeps the car safe, whatever happens to ROS.

It holds the safety stage and the platform, sends the vehicle's packets, and receives commands and
parameters from the ROS shell (`guarded_interface`) over a local socket. Exit codes: 0 stopped by a
signal, 2 wrong options, or a socket that cannot be used.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from vdsim_protocol.data_limit import DataLimit
from vdsim_protocol.ending_signals import ending_signals, ignore_repeated_signals
from vdsim_protocol.launch_watch import end_with_launch

from vdsim_interface.guard import realtime
from vdsim_interface.guard.local_socket import default_path
from vdsim_interface.guard.process import PROGRAM, GuardProcess, say
from vdsim_interface.platforms.discovery import discover

ROS_ARGUMENTS = "--ros-args"
"""What launch files append for nodes; this program is not one and ignores the rest."""
GROWTH_MB, MOST_MB = 256, 1 << 20
"""As of every node (process.data_growth_mb). What ROS brings does not arrive here; a defect may."""
FORBIDDEN = ("rclpy",)
"""Never imported here, not even by a platform of somebody else."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command_line = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    add = command_line.add_argument
    add("--namespace", default="vehicle", help="namespace of the shell's node; names the socket")
    add("--socket", metavar="PATH", default="", help="socket of the shell, instead of that name")
    add(
        "--data-growth-mb",
        metavar="MIB",
        type=int,
        default=GROWTH_MB,
        help="memory that it may allocate after its start; 0: no limit; default %(default)s",
    )
    return command_line


class _Stop:
    """A signal that ends a program, as a fact to ask for between two ticks."""

    def __init__(self) -> None:
        self.is_requested = False
        for number in ending_signals():
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.is_requested = True

    def __call__(self) -> bool:
        return self.is_requested


def forbid_ros() -> None:
    """Make an import of ROS fail in this process: none of its threads can ever be here."""
    for name in FORBIDDEN:
        sys.modules[name] = None  # type: ignore[assignment]


def main(arguments: Sequence[str] | None = None) -> int:
    """Guard until a signal comes."""
    stop = _Stop()
    end_with_launch()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if ROS_ARGUMENTS in given:
        given = given[: given.index(ROS_ARGUMENTS)]
    options = parser().parse_args(given)
    if not 0 <= options.data_growth_mb <= MOST_MB:
        say(f"--data-growth-mb={options.data_growth_mb}: must be 0 to {MOST_MB}")
        return 2
    forbid_ros()
    discover()  # an activation must not wait for imports
    path = Path(options.socket) if options.socket else default_path(options.namespace)
    try:
        process = GuardProcess(path, limit=DataLimit(options.data_growth_mb))
    except OSError as error:
        say(str(error))
        return 2
    realtime.settle_garbage_collector()
    realtime.sharpen_timers()
    realtime.shorten_slice()
    say(f"ready at {path}")
    process.run(stop)
    ignore_repeated_signals()
    return 0


if __name__ == "__main__":
    sys.exit(main())
