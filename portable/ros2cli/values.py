"""The values of a message or request: an argument, or standard input."""

from __future__ import annotations

import argparse
import sys


def add_values_argument(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the optional YAML values, or `--stdin` in their place."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "values",
        nargs="?",
        default="{}",
        help=f"Values to fill the {what} with in YAML format (e.g. 'data: Hello World'), "
        "default values otherwise",
    )
    group.add_argument("--stdin", action="store_true", help="Read values from standard input")


def values_text(args: argparse.Namespace) -> str:
    """Return the YAML text."""
    return sys.stdin.read() if args.stdin else str(args.values)
