"""vdsim_dump: show VDS1 and MORAI traffic, live or from a file, and why packets are discarded.

Live traffic arrives as a copy at --listen, or passes through --relay. A file is pcap, pcapng
(tcpdump, Wireshark) or hex, one datagram a line; "-" reads hex from standard input. With --dbc it
is a recording of a CAN bus (candump's .log, .asc, .blf, .mf4), which vdsim_can decodes.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from importlib.metadata import entry_points
from pathlib import Path

from vdsim_protocol.capture import (
    CaptureError,
    Datagram,
    Describer,
    is_capture,
    read_hex,
    read_pcap,
    to_json_object,
    to_line,
)
from vdsim_protocol.checked_file import FileError, read_bytes
from vdsim_protocol.cli.chaos import POLL_S, ChaosRelay, StopOnSignal
from vdsim_protocol.cli.closed_pipe import ends_with_its_reader
from vdsim_protocol.dissector import dissector
from vdsim_protocol.faults import TO, Address, RelayPlan, Route, parse_address
from vdsim_protocol.link import LinkSnapshot

RELAY_SEPARATOR = "="
LARGEST_CAPTURE_BYTES = 1 << 30
BUS_DUMPS = "vdsim_protocol.bus_dumps"
"""Entry points: functions (recording, DBC) -> what each frame says, by name."""


def read_file(name: str) -> Iterator[Datagram]:
    """The datagrams of a file."""
    if name == "-":
        return read_hex(sys.stdin.read())
    try:
        content = read_bytes(Path(name), largest_bytes=LARGEST_CAPTURE_BYTES)
    except FileError as fault:
        raise CaptureError(str(fault)) from None
    if is_capture(content):
        return read_pcap(content)
    return read_hex(content.decode("latin-1"))


def plan_of(listen: Sequence[str], relay: Sequence[str]) -> RelayPlan:
    """The faultless routes of the command line."""
    routes = [
        Route(name=f"listen {text}", listen=parse_address(text, "--listen"), target=None)
        for text in listen
    ]
    for text in relay:
        front, _, target = text.partition(RELAY_SEPARATOR)
        routes.append(
            Route(
                name=f"relay {text}",
                listen=parse_address(front, "--relay"),
                target=parse_address(target, "--relay"),
            )
        )
    return RelayPlan(tuple(routes))


def _text(address: Address | None) -> str:
    return "" if address is None else f"{address[0]}:{address[1]}"


def live(relay: ChaosRelay, duration_s: float | None, stop: StopOnSignal) -> Iterator[Datagram]:
    """The traffic as it arrives, with times from the start."""
    started = time.monotonic()
    listening = relay.addresses()
    while not stop.requested and (duration_s is None or time.monotonic() - started < duration_s):
        for passage in relay.step(POLL_S):
            route = passage.route
            if passage.way == TO:
                destination = _text(route.target or listening[route.name])
            else:
                destination = _text(listening[route.name])
            elapsed_s = time.monotonic() - started
            yield Datagram(elapsed_s, passage.datagram, _text(passage.sender), destination)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="vdsim_dump", description=__doc__)
    parser.add_argument("file", nargs="?", help='pcap, pcapng or hex file, or "-"')
    parser.add_argument("--listen", action="append", default=[], metavar="HOST:PORT")
    parser.add_argument("--relay", action="append", default=[], metavar="HOST:PORT=HOST:PORT")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.add_argument("--fields", default="", metavar="A,B", help="show only these fields")
    parser.add_argument(
        "--rejects", action="store_true", help="show only what a receiver would discard"
    )
    parser.add_argument("--stats", action="store_true", help="end with statistics of every link")
    parser.add_argument("--count", type=int, metavar="N", help="stop after N datagrams")
    parser.add_argument("--duration", type=float, metavar="S", help="stop after so many seconds")
    parser.add_argument(
        "--dbc",
        type=Path,
        metavar="FILE",
        help="the file is a recording of a bus with this network",
    )
    parser.add_argument("--dissector", action="store_true", help="print a Wireshark dissector")
    return parser.parse_args(argv)


def _statistics_line(name: str, link: LinkSnapshot) -> str:
    rejects = {reason.value: count for reason, count in link.rejected.items() if count}
    figures = {
        key: value
        for key, value in dataclasses.asdict(link).items()
        if key not in ("rejected", "clock")
    }
    clock = dataclasses.asdict(link.clock) if link.clock else None
    return json.dumps({"link": name, **figures, "rejected": rejects, "clock": clock})


def _show(datagrams: Iterator[Datagram], arguments: argparse.Namespace) -> None:
    describer = Describer()
    only = frozenset(filter(None, arguments.fields.split(",")))
    shown = 0
    for datagram in datagrams:
        description = describer.describe(datagram)
        if arguments.rejects and not description.reject:
            continue
        if arguments.json:
            print(json.dumps(to_json_object(description, only)), flush=True)
        else:
            print(to_line(description, only), flush=True)
        shown += 1
        if shown == arguments.count:
            break
    if arguments.stats:
        for name, link in describer.links().items():
            print(_statistics_line(name, link), flush=True)


def _show_bus(arguments: argparse.Namespace) -> None:
    """Show the frames of a recording of a bus; without vdsim_can a ValueError."""
    readers = [point.load() for point in entry_points(group=BUS_DUMPS)]
    if not readers:
        raise ValueError(f"--dbc {arguments.dbc}: needs vdsim_can, which reads DBC files")
    only = frozenset(filter(None, arguments.fields.split(",")))
    shown = 0
    for texts in readers[0](Path(arguments.file), arguments.dbc):
        if arguments.rejects and "reject" not in texts:
            continue
        signals = texts.get("signals", {})
        kept = {name: value for name, value in signals.items() if not only or name in only}
        if arguments.json:
            print(json.dumps({**texts, "signals": kept}), flush=True)
        else:
            said = " ".join(f"{name}={_shown(value)}" for name, value in kept.items())
            ending = f"REJECT {texts['reject']}" if "reject" in texts else said
            head = (f"{texts['time_s']:.6f}", texts["bus"], texts["direction"], texts["frame"])
            print(*head, texts["message"], ending, flush=True)
        shown += 1
        if shown == arguments.count:
            break


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _show_live(arguments: argparse.Namespace) -> None:
    plan = plan_of(arguments.listen, arguments.relay)
    with closing(ChaosRelay(plan, None, time.monotonic())) as relay, StopOnSignal() as stop:
        for name, address in relay.addresses().items():
            print(f"{name}: listening on {_text(address)}", file=sys.stderr, flush=True)
        _show(live(relay, arguments.duration, stop), arguments)


@ends_with_its_reader
def main(argv: Sequence[str] | None = None) -> int:
    """Show traffic; exit code 2 when the arguments or the file cannot be used."""
    arguments = _arguments(argv)
    try:
        if arguments.dissector:
            print(dissector(), end="")
        elif arguments.dbc is not None:
            if not arguments.file:
                raise ValueError("--dbc: give the recording, too")
            _show_bus(arguments)
        elif arguments.file:
            _show(read_file(arguments.file), arguments)
        elif arguments.listen or arguments.relay:
            _show_live(arguments)
        else:
            raise ValueError("give a file, --listen or --relay")
    except ValueError as error:
        print(f"vdsim_dump: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
