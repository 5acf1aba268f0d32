"""`ros2 interface show`."""

from __future__ import annotations

import argparse
import sys

from ros2cli.errors import CliError
from ros2cli.interface.definition import Comments, definition_lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "type",
        help="An interface (e.g. 'std_msgs/msg/String'); '-' reads it from standard input "
        "(e.g. 'ros2 topic type /chatter | ros2 interface show -')",
    )
    comments = parser.add_mutually_exclusive_group()
    comments.add_argument(
        "--all-comments",
        action="store_true",
        help="Show all comments, including for nested interface definitions",
    )
    comments.add_argument(
        "--no-comments", action="store_true", help="Show no comments or whitespace"
    )


def main(args: argparse.Namespace) -> int:
    """Print the definition of an interface with those nested in it."""
    name = sys.stdin.readline().strip() if args.type == "-" else args.type
    comments = Comments.TOP
    if args.all_comments:
        comments = Comments.ALL
    elif args.no_comments:
        comments = Comments.NONE
    try:
        for line in definition_lines(name, comments):
            print(line)
    except (LookupError, ValueError) as error:
        raise CliError(str(error.args[0])) from error
    return 0
