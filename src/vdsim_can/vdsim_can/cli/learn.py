"""`vdsim_can learn`: which signals of a log move with which pedal or wheel."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from vdsim_protocol.checked_file import FileError, read_text

from vdsim_can.cli.verbs import Verbs
from vdsim_can.dbc.reading import read_dbc
from vdsim_can.learn.candump import LoggedFrame, frames_of
from vdsim_can.learn.drive_table import table_series
from vdsim_can.learn.likeness import Likeness, Series, best_of, likenesses
from vdsim_can.learn.log_signals import series_of


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser("learn", help="find the signals that move with a pedal or a wheel")
    parser.add_argument("log", type=Path, help="a log of candump -l")
    parser.add_argument("--dbc", type=Path, required=True, help="the network")
    parser.add_argument(
        "--drive", type=Path, help="a table (CSV) with t_s on the log's clock and fields of a car"
    )
    parser.add_argument(
        "--like",
        action="append",
        default=[],
        metavar="MESSAGE.SIGNAL",
        help="a known signal, whose relatives are wanted; may be given several times",
    )
    parser.add_argument("--lag", type=float, default=0.5, help="longest lag either way, in s")
    parser.add_argument("--at-least", type=float, default=0.9, help="least correlation, 0 to 1")
    parser.add_argument("--most", type=int, default=3, help="proposals for each quantity")
    parser.set_defaults(verb=_learn)


def _learn(arguments: argparse.Namespace) -> int:
    network = read_dbc(arguments.dbc).network
    log = str(arguments.log)
    signals = series_of(read_frames(arguments.log), network)
    if not signals:
        raise FileError(log, "", f"holds no frame of {network.source}")
    quantities = _quantities(arguments, signals)
    names = {quantity.name for quantity in quantities}
    found = likenesses(
        quantities,
        [signal for signal in signals if signal.name not in names],
        longest_lag_s=max(0.0, arguments.lag),
    )
    best = best_of(found, at_least=arguments.at_least, most=arguments.most)
    for quantity in quantities:
        rows = best.get(quantity.name, [])
        if not rows:
            print(f"{quantity.name}: nothing moves like it", file=sys.stderr)
        for row in rows:
            print(_row(row))
    return 0 if best else 1


def read_frames(path: Path) -> Iterator[LoggedFrame]:
    """Return the frames of a log of candump."""
    return frames_of(read_text(path), source=str(path))


def read_drive(path: Path) -> list[Series]:
    """Return the columns of a table of a drive."""
    return table_series(read_text(path), source=str(path))


def _quantities(arguments: argparse.Namespace, signals: list[Series]) -> list[Series]:
    quantities = []
    if arguments.drive is not None:
        quantities = read_drive(arguments.drive)
    by_name = {signal.name: signal for signal in signals}
    for name in arguments.like:
        if name not in by_name:
            raise FileError(str(arguments.log), f"--like={name}", "is no signal of this log")
        quantities.append(by_name[name])
    if not quantities:
        raise FileError(str(arguments.log), "", "--drive or --like is needed: what is known")
    return quantities


def _row(row: Likeness) -> str:
    keys = f"signal: {row.signal}, scale: {row.scale:.6g}, offset: {row.offset:.4g}"
    remark = f"correlation {row.correlation:+.3f}, lag {1000.0 * row.lag_s:.0f} ms"
    return f"{row.quantity}: {{{keys}}}  # {remark}"
