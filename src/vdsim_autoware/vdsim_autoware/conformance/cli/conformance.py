"""`vdsim_autoware_conformance`: does a vehicle interface do what Autoware's pages say?

vdsim_autoware_conformance                   that of this ROS graph; the car drives about 100 m
vdsim_autoware_conformance --namespace /a    below a namespace
vdsim_autoware_conformance --list            the requirements, as a table
vdsim_autoware_conformance --provoke link_lost='CUT THE LINK' --relieve link_lost='JOIN IT'

It stands in for Autoware's control component: nothing else may command the car meanwhile. The exit
code is 1 when a MUST is broken, 2 for wrong use, 130 when it was interrupted (the car is stopped).
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance import report
from vdsim_autoware.conformance.conductor import Options
from vdsim_autoware.conformance.requirements import judge

WRONG_USE, INTERRUPTED = 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point."""
    words = _parser().parse_args(arguments)
    if words.list:
        print(report.table(), end="")
        return 0
    provoked, relieved = dict(words.provoke), dict(words.relieve)
    if odd := set(relieved) - set(provoked):
        return _refuse(f"--relieve {min(odd)}: there is no --provoke {min(odd)}")
    for file in (words.junit, words.markdown):
        if file is not None and not file.absolute().parent.is_dir():
            return _refuse(f"{file}: there is no folder {file.absolute().parent}")
    options = Options(
        patience=words.patience,
        speed_mps=words.speed,
        without=frozenset(words.without),
        causes=frozenset(provoked),
        by_hand=words.by_hand,
    )
    commands = {(cause, True): text for cause, text in provoked.items()}
    commands |= {(cause, False): text for cause, text in relieved.items()}
    return _drive(words, options, commands)


def _drive(
    words: argparse.Namespace, options: Options, commands: Mapping[tuple[str, bool], str]
) -> int:
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    from vdsim_autoware.conformance.ros.driver import Driver

    caught: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _frame: _catch(caught, number))
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    driver = Driver(words.namespace, options, commands)
    completed = False
    try:
        print("looking for the vehicle interface", flush=True)
        driver.discover(words.discovery, lambda: bool(caught))
        if not caught:
            if not driver.record.endpoints:
                return _refuse("no topic of a vehicle interface is in this ROS graph")
            print("found; now its car drives, about 100 m", flush=True)
            completed = driver.run(lambda: bool(caught))
    finally:
        driver.close()
        rclpy.try_shutdown()
    if not completed:
        print("interrupted: nothing is judged", file=sys.stderr)
        return INTERRUPTED
    judged = judge(driver.record, options)
    print("\n".join(report.lines(judged)))
    if words.junit is not None:
        words.junit.write_text(report.junit(judged), encoding="utf-8")
    if words.markdown is not None:
        words.markdown.write_text(report.markdown(judged), encoding="utf-8")
    return 1 if report.has_failed(judged) else 0


def _catch(caught: list[int], number: int) -> None:
    """The first signal stops the car; the second one ends at once."""
    if caught:
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
    caught.append(number)


def _refuse(text: str) -> int:
    print(text, file=sys.stderr)
    return WRONG_USE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vdsim_autoware_conformance",
        description="does a vehicle interface do what Autoware's interface pages say?",
    )
    add = parser.add_argument
    add("--namespace", default="/", type=_namespace, help="of the vehicle interface (default: /)")
    add("--patience", default=1.0, type=_number("--patience", 1.0, 100.0),
        help="multiplies every limit of time, for a slow machine (default: 1)")  # fmt: skip
    add("--speed", default=2.5, type=_number("--speed", 2.3, 10.0),
        help="speed of the drive [m/s] (default: 2.5)")  # fmt: skip
    add("--discovery", default=15.0, type=_number("--discovery", 1.0, 600.0),
        help="longest wait for the vehicle interface [s] (default: 15)")  # fmt: skip
    add("--without", action="append", default=[], choices=names.OPTIONAL,
        help="what the vehicle does not have")  # fmt: skip
    add(
        "--by-hand",
        action="store_true",
        help="hold the car by manual_control_cmd, as a person does, in the partial modes",
    )
    causes = ", ".join(names.CAUSES)
    add("--provoke", action="append", default=[], type=_cause, metavar="CAUSE=COMMAND",
        help=f"what makes it happen; CAUSE is one of {causes}")  # fmt: skip
    add("--relieve", action="append", default=[], type=_cause, metavar="CAUSE=COMMAND",
        help="what ends it")  # fmt: skip
    add("--junit", type=Path, help="file for JUnit XML")
    add("--markdown", type=Path, help="file for a report in markdown")
    add("--list", action="store_true", help="print the requirements and drive nothing")
    return parser


def _number(name: str, low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{name}={text}: must be >= {low:g} and <= {high:g}")
        return value

    return read


def _namespace(text: str) -> str:
    parts = text.strip("/").split("/") if text.strip("/") else []
    if not text.startswith("/") or not all(part.isidentifier() for part in parts):
        raise argparse.ArgumentTypeError(f"--namespace={text}: must be like /vehicle_1")
    return text


def _cause(text: str) -> tuple[str, str]:
    cause, _, command = text.partition("=")
    if cause not in names.CAUSES or not command.strip():
        causes = ", ".join(names.CAUSES)
        raise argparse.ArgumentTypeError(f"{text}: must be CAUSE=COMMAND, CAUSE one of {causes}")
    return cause, command


if __name__ == "__main__":
    sys.exit(main())
