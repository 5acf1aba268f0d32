"""The command line: the error for users, the parser of a verb, shared options."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterable
from typing import NoReturn


class CliError(Exception):
    """Printed as one line on standard error; the exit code is 1."""


USAGE_ERROR = 2


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the known name that is nearest, as the end of a complaint; nothing if none is near."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


class VerbParser(argparse.ArgumentParser):
    """Reports a wrong command line in one line, with the package that may have a missing option."""

    def __init__(self, prog: str, description: str, upstream: str) -> None:
        super().__init__(prog=prog, description=description)
        self._upstream = upstream

    def error(self, message: str) -> NoReturn:
        """Print the error and leave."""
        if message.startswith("unrecognized arguments"):
            message += f" (not in this ros2; upstream's package {self._upstream} may have it)"
        print(f"{self.prog}: error: {message}; see `{self.prog} --help`", file=sys.stderr)
        sys.exit(USAGE_ERROR)


def add_node_arguments(parser: argparse.ArgumentParser, *, daemon_option: bool = True) -> None:
    """Add the options of every verb that reads the running graph."""
    parser.add_argument(
        "--spin-time",
        type=positive_seconds,
        default=None,
        metavar="SPIN_TIME",
        help="Time in seconds to wait for discovery (default: until the graph has settled)",
    )
    parser.add_argument(
        "-s", "--use-sim-time", action="store_true", help="Enable ROS simulation time"
    )
    if daemon_option:
        parser.add_argument(
            "--no-daemon",
            action="store_true",
            help="Accepted for compatibility: this ros2 never uses a daemon",
        )


def add_timeout_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--timeout` of the verbs that call one node."""
    parser.add_argument(
        "--timeout",
        type=positive_seconds,
        default=5.0,
        metavar="N",
        help="Wait for N seconds until node becomes available (default 5 sec)",
    )


def positive_seconds(text: str) -> float:
    """Parse a duration above zero, in seconds."""
    return _positive(text, float)


def positive_rate(text: str) -> float:
    """Parse a rate above zero, in Hz."""
    return _positive(text, float)


def positive_count(text: str) -> int:
    """Parse a count, 1 or more."""
    return int(_positive(text, int))


def count(text: str) -> int:
    """Parse a count, 0 or more."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"'{text}': must be a whole number >= 0")
    return value


def _positive(text: str, kind: type[float] | type[int]) -> float:
    try:
        value = kind(text)
    except ValueError:
        value = 0
    if not value > 0:
        noun = "a whole number" if kind is int else "a number"
        raise argparse.ArgumentTypeError(f"'{text}': must be {noun} > 0")
    return value
