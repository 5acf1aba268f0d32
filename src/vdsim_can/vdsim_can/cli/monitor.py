"""`vdsim_can monitor CAR`: every message of the car on the bus, once a second.

It only listens: rate, worst gap and jitter of the last frames [Hz, ms], age, how many frames came
outside of their jitter budget, were lost by their counter, or were rejected, and the last reason.
"""

from __future__ import annotations

import argparse
import select
import sys
import time

from vdsim_can.bus.channels import INTERFACE, PORT, channel_of
from vdsim_can.bus.opening import open_transport
from vdsim_can.car.reading import load_car
from vdsim_can.cli.verbs import Verbs
from vdsim_can.data import EXAMPLES, car_path
from vdsim_can.frame import unpacked
from vdsim_can.traffic.table import lines_of, watcher

EVERY_S = 1.0
CLEAR = "\x1b[H\x1b[2J"


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser("monitor", help="print every message on the bus, once a second")
    parser.add_argument("car", nargs="?", default=EXAMPLES[0], help="car file, or a shipped one")
    parser.add_argument("--interface", default=INTERFACE, choices=("socketcan", "udp_multicast"))
    parser.add_argument("--channels", default="", help="channel of each bus, as main=can0")
    parser.add_argument("--port", type=int, default=PORT, help="of udp_multicast")
    parser.add_argument("--seconds", type=float, default=None, help="end after so long")
    parser.set_defaults(verb=monitor)


def monitor(arguments: argparse.Namespace) -> int:
    """Listen and print until Ctrl-C, or for --seconds."""
    car = load_car(car_path(arguments.car))
    try:
        ports = {
            name: open_transport(
                arguments.interface, channel_of(arguments.channels, name), arguments.port, fd=bus.fd
            )
            for name, bus in car.buses.items()
        }
    except (OSError, ValueError) as error:
        print(f"vdsim_can: {error}", file=sys.stderr)
        return 1
    receiver = watcher(car)
    start_s = printed_s = time.monotonic()
    files = [port.fileno() for port in ports.values()]
    try:
        while True:
            select.select(files, [], [], max(0.0, printed_s + EVERY_S - time.monotonic()))
            now = time.monotonic()
            for name, port in ports.items():
                for data in port.drain():
                    frame = unpacked(data)
                    if not isinstance(frame, str) and not frame.error:
                        receiver.receive(name, frame, now)
            if now - printed_s >= EVERY_S:
                printed_s = now
                print(CLEAR * sys.stdout.isatty() + "\n".join(lines_of(car, receiver, now)))
                sys.stdout.flush()
            if arguments.seconds is not None and now - start_s >= arguments.seconds:
                return 0
    except KeyboardInterrupt:
        return 0
    finally:
        for port in ports.values():
            port.close()
