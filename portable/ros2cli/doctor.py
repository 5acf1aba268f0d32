"""`ros2 doctor`: run the checks and print their results."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from ros2cli.arguments import CliError, VerbParser
from ros2cli.doctor_checks import Section, distribution, network, packages, prefixes

LONG_SECTIONS = ("PREFIXES", "PACKAGES", "NODES", "TOPICS")


def main(argv: Sequence[str]) -> int:
    """Print a summary, or the whole report, and return 1 when a check failed."""
    args = _parser().parse_args(argv)
    if args.subcommand:
        raise CliError(
            f"ros2 doctor: '{args.subcommand}' is not in this ros2: "
            "it comes with upstream's package ros2doctor"
        )
    sections = _examine(args)
    failed = [section for section in sections if section.problems]
    if args.report or args.report_failed:
        for section in sections if args.report else failed:
            print(f"\n{section.text()}")
    else:
        _print_summary(sections, failed)
    return 1 if failed else 0


def _examine(args: argparse.Namespace) -> list[Section]:
    sections = [distribution(os.environ), prefixes(os.environ), network(os.environ)]
    if not args.exclude_packages:
        sections.append(packages())
    try:
        from ros2cli import doctor_graph
    except ImportError as error:  # a finding, not a failure of the doctor
        reason = str(error).splitlines()[0]
        return [*sections, Section("RMW MIDDLEWARE", (), (f"rclpy is not usable: {reason}",))]
    sections.append(doctor_graph.middleware())
    reachable = not any(section.problems for section in sections if section.title == "NETWORK")
    return [*sections, *(doctor_graph.running_graph(args) if reachable else [])]


def _print_summary(sections: Sequence[Section], failed: Sequence[Section]) -> None:
    for section in sections:
        found = ", ".join(f"{name} {value}" for name, value in section.rows)
        brief = section.title not in LONG_SECTIONS
        print(f"{section.title.lower()}: {found if brief else len(section.rows)}")
        for problem in section.problems:
            print(f"{section.title.lower()}: {problem}", file=sys.stderr)
    if failed:
        print(f"\n{len(failed)}/{len(sections)} check(s) failed")
        print(f"\nFailed modules: {' '.join(section.title for section in failed)}")
    else:
        print(f"\nAll {len(sections)} checks passed")


def _parser() -> argparse.ArgumentParser:
    parser = VerbParser("ros2 doctor", "Check ROS setup and other potential issues", "ros2doctor")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("-r", "--report", action="store_true", help="Print all reports.")
    which.add_argument(
        "-rf",
        "--report-failed",
        action="store_true",
        help="Print reports of failed checks only.",
    )
    parser.add_argument(
        "-ep",
        "--exclude-packages",
        action="store_true",
        help="Exclude package checks or report.",
    )
    parser.add_argument("subcommand", nargs="?", help=argparse.SUPPRESS)
    return parser
