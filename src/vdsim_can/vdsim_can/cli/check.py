"""`vdsim_can check`: what a car file says, what is wrong with it, what has moved in its network."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from vdsim_protocol.checked_file import FileError

from vdsim_can.car.checks import problems_of
from vdsim_can.car.description import describe_car
from vdsim_can.car.moved import moved
from vdsim_can.car.reading import read_car
from vdsim_can.cli.verbs import Verbs
from vdsim_can.data import EXAMPLES, car_path
from vdsim_can.dbc.reading import read_dbc


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser("check", help="check a car file against its networks")
    parser.add_argument("car", nargs="?", default=EXAMPLES[0], help="car file, or a shipped one")
    parser.add_argument(
        "--was",
        type=Path,
        metavar="OLD.dbc",
        help="an earlier version of the network: name every mapped signal that moved",
    )
    parser.add_argument("--bus", help="the bus of --was; without it, the first one")
    parser.set_defaults(verb=_check)


def _check(arguments: argparse.Namespace) -> int:
    car = read_car(car_path(arguments.car))
    bus = arguments.bus or next(iter(car.buses))
    if bus not in car.buses:
        raise FileError(car.source, f"--bus={bus}", f"must be one of {', '.join(car.buses)}")
    problems = problems_of(car)
    if arguments.was is not None:
        problems += moved(car, bus, read_dbc(arguments.was).network)
    else:
        for line in describe_car(car):
            print(line)
    for problem in problems:
        print(f"{car.source}: line {problem.line}: {problem.text}", file=sys.stderr)
    if problems:
        print(f"{len(problems)} to mend", file=sys.stderr)
    return 1 if problems else 0
