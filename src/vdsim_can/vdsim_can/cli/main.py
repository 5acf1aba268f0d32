"""`vdsim_can VERB ...`: one command for files of CAN cars."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from vdsim_protocol.checked_file import FileError
from vdsim_protocol.cli.closed_pipe import ends_with_its_reader

from vdsim_can.cli import check, learn, monitor, new, replay
from vdsim_can.dbc.description import describe_network
from vdsim_can.dbc.reading import read_dbc

Verb = Callable[[argparse.Namespace], int]


@ends_with_its_reader
def main(words: Sequence[str] | None = None) -> int:
    """Run one verb; the exit code."""
    arguments = _parser().parse_args(words)
    verb: Verb = arguments.verb
    try:
        return verb(arguments)
    except FileError as error:
        print(f"vdsim_can: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vdsim_can", description="Files of a drive-by-wire car on CAN."
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    show = verbs.add_parser("show", help="print the messages and signals of a DBC file")
    show.add_argument("dbc", type=Path, help="the DBC file")
    show.set_defaults(verb=_show)
    check.add(verbs)
    new.add(verbs)
    learn.add(verbs)
    monitor.add(verbs)
    replay.add(verbs)
    return parser


def _show(arguments: argparse.Namespace) -> int:
    file = read_dbc(arguments.dbc)
    for line in describe_network(file.network):
        print(line)
    for note in file.notes:
        print(note, file=sys.stderr)
    return 0
