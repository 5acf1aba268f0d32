"""`vdsim_can new`: a first car file of a network, to be completed by hand."""

from __future__ import annotations

import argparse
from pathlib import Path

from vdsim_protocol.checked_file import FileError

from vdsim_can.car.proposal import propose_car
from vdsim_can.cli.verbs import Verbs
from vdsim_can.dbc.reading import read_dbc


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser("new", help="write a first car file of a DBC file")
    parser.add_argument("dbc", type=Path, help="the DBC file")
    parser.add_argument("car", type=Path, help="the car file to write; it must not exist")
    parser.add_argument("--node", default="", help="the node of the DBC that we are on the bus")
    parser.set_defaults(verb=_new)


def _new(arguments: argparse.Namespace) -> int:
    network = read_dbc(arguments.dbc).network
    senders = sorted({message.sender for message in network.messages.values()} - {""})
    if arguments.node not in senders:
        known = ", ".join(senders) or "none"
        source = str(arguments.dbc)
        raise FileError(source, f"--node={arguments.node}", f"must be a sender: {known}")
    path = arguments.car
    text = propose_car(network, arguments.node, name=path.stem, dbc=str(arguments.dbc.resolve()))
    if arguments.dbc.resolve().parent == path.resolve().parent:
        text = text.replace(str(arguments.dbc.resolve()), arguments.dbc.name)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise FileError(str(path), "", error.strerror or "cannot be written") from None
    print(f"{path}: complete it, then: vdsim_can check {path}")
    return 0
