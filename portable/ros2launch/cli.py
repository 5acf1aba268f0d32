"""Run a launch file from the command line."""

from __future__ import annotations

import argparse
import os
import sys
import traceback

from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import AnyLaunchDescriptionSource
from launch.logging import get_logger, launch_config

from launch import LaunchContext, LaunchDescription, LaunchIntrospector, LaunchService

from .api import LaunchFileError, arguments_as_text, find_launch_file, parse_launch_arguments


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of ``ros2 launch``."""
    parser = argparse.ArgumentParser(prog="ros2 launch", description="Run a launch file")
    parser.add_argument(
        "-n",
        "--noninteractive",
        action="store_true",
        help="run non-interactively, with no terminal associated",
    )
    parser.add_argument(
        "-d", "--debug", action="store_true", help="more output, with tracebacks of errors"
    )
    _add_shows(parser)
    _add_process_options(parser)
    parser.add_argument(
        "package_name", help="package with the launch file, or the path of a launch file"
    )
    parser.add_argument("launch_file_name", nargs="?", help="name of the launch file")
    parser.add_argument(
        "launch_arguments",
        nargs="*",
        help="'<name>:=<value>' for the launch file; of duplicates the last one applies",
    )
    return parser


def _add_shows(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "-p",
        "--print",
        "--print-description",
        action="store_true",
        dest="print_description",
        help="print the launch description without launching it",
    )
    what.add_argument(
        "-s",
        "--show-args",
        "--show-arguments",
        action="store_true",
        dest="show_arguments",
        help="show the arguments of the launch file",
    )


def _add_process_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-a",
        "--show-all-subprocesses-output",
        action="store_true",
        help="show the output of all processes, whatever the launch file says",
    )
    parser.add_argument(
        "--launch-prefix",
        help="a command to put before all executables",
    )
    parser.add_argument(
        "--launch-prefix-filter",
        help="a regular expression for the names of the executables that get --launch-prefix",
    )


def main(argv: list[str] | None = None) -> int:
    """Run ``ros2 launch`` with the arguments after it; return the exit code."""
    args = build_parser().parse_intermixed_args(argv)
    try:
        return _run(args)
    except LaunchFileError as error:
        print(f"ros2 launch: {error}", file=sys.stderr)
    except Exception as error:
        if args.debug:
            traceback.print_exc()
        print(f"ros2 launch: {type(error).__name__}: {error}", file=sys.stderr)
    return 1


def _run(args: argparse.Namespace) -> int:
    path, words = find_launch_file(
        args.package_name, args.launch_file_name, list(args.launch_arguments)
    )
    arguments = parse_launch_arguments(words)
    if args.show_arguments:
        print(arguments_as_text(_load(path)))
        return 0
    if args.print_description:
        print(LaunchIntrospector().format_launch_description(_load(path)))
        return 0
    if args.show_all_subprocesses_output:
        os.environ["OVERRIDE_LAUNCH_PROCESS_OUTPUT"] = "both"
    return _launch(args, path, arguments)


def _load(path: str) -> LaunchDescription:
    return AnyLaunchDescriptionSource(path).get_launch_description(LaunchContext())


def _launch(args: argparse.Namespace, path: str, arguments: list[tuple[str, str]]) -> int:
    service = LaunchService(
        argv=[f"{name}:={value}" for name, value in arguments],
        noninteractive=args.noninteractive,
        debug=args.debug,
    )
    for name in ("launch_prefix", "launch_prefix_filter"):
        value = getattr(args, name)
        if value is not None:
            service.context.launch_configurations[name.replace("_", "-")] = value
    get_logger().info(f"All log files can be found below {launch_config.log_dir}")
    service.include_launch_description(
        LaunchDescription(
            [IncludeLaunchDescription(AnyLaunchDescriptionSource(path), launch_arguments=arguments)]
        )
    )
    return service.run()


if __name__ == "__main__":
    sys.exit(main())
