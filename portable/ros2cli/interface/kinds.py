"""The three kinds of interfaces and the options that choose among them."""

from __future__ import annotations

import argparse

KINDS = {"msg": "Messages", "srv": "Services", "action": "Actions"}


def add_kind_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `-m`, `-s` and `-a`."""
    parser.add_argument(
        "-m", "--only-msgs", action="append_const", dest="kinds", const="msg", help="Messages only"
    )
    parser.add_argument(
        "-s", "--only-srvs", action="append_const", dest="kinds", const="srv", help="Services only"
    )
    parser.add_argument(
        "-a",
        "--only-actions",
        action="append_const",
        dest="kinds",
        const="action",
        help="Actions only",
    )


def chosen_kinds(args: argparse.Namespace) -> list[str]:
    """Return the kinds asked for: all without an option."""
    return [kind for kind in KINDS if not args.kinds or kind in args.kinds]
