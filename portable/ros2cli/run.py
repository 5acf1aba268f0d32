"""`ros2 run`: replaced by the executable, so signals and the exit code are the executable's."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from ros2cli.arguments import CliError, VerbParser, did_you_mean
from ros2cli.pkg import executables


def main(argv: Sequence[str]) -> int:
    """Replace this process by the executable; return only when that fails."""
    args = _parser().parse_args(argv)
    command = command_line(
        find_executable(args.package_name, args.executable_name), args.argv, args.prefix
    )
    sys.stdout.flush()
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise CliError(f"Could not run '{command[0]}': {error.strerror}") from error


def find_executable(package: str, name: str) -> Path:
    """Return the path of a package's executable; raise CliError unless there is exactly one."""
    known = executables(package)
    paths = [path for path in known if path.name == name]
    if not paths:
        near = did_you_mean(name, [path.name for path in known])
        raise CliError(f"No executable found: '{name}' in package '{package}'{near}")
    if len(paths) > 1:
        raise CliError(f"Multiple executables found: {', '.join(map(str, paths))}")
    return paths[0]


def command_line(path: Path, argv: Sequence[str], prefix: str | None) -> list[str]:
    """Return the command: the prefix's words, the executable, its arguments."""
    return [*shlex.split(prefix or ""), str(path), *argv]


def _parser() -> argparse.ArgumentParser:
    parser = VerbParser("ros2 run", "Run a package specific executable", "ros2run")
    parser.add_argument(
        "--prefix",
        help="Prefix command, which should go before the executable "
        "(e.g. --prefix 'gdb -ex run --args')",
    )
    parser.add_argument("package_name", help="Name of the ROS package")
    parser.add_argument("executable_name", help="Name of the executable")
    parser.add_argument(
        "argv", nargs=argparse.REMAINDER, help="Pass arbitrary arguments to the executable"
    )
    return parser
