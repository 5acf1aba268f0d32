"""`vdsim_can monitor CAR`: every message of the car on the bus, once a second.

It only listens: rate, worst gap and jitter of the last frames [Hz, ms], age, how many frames came
outside of their jitter budget, were lost by their counter, or were rejected, and the last reason.
`--record` writes all of them, with the kernel's time stamps.
"""

from __future__ import annotations

import argparse
import select
import signal
import sys
import time
from pathlib import Path

from vdsim_protocol.ending_signals import ending_signals

from vdsim_can.bus.channels import INTERFACE, PORT, channel_of
from vdsim_can.bus.opening import CanPort, open_transport
from vdsim_can.bus.recording import Recording
from vdsim_can.car import CarFile
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
    parser.add_argument("--record", type=Path, help="write every frame: .log, .asc or .blf")
    parser.add_argument("--seconds", type=float, default=None, help="end after so long")
    parser.set_defaults(verb=monitor)


def monitor(arguments: argparse.Namespace) -> int:
    """Listen and print until a signal, or for --seconds."""
    car = load_car(car_path(arguments.car))
    ports: dict[str, CanPort] = {}
    recording = None
    try:
        for name, bus in car.buses.items():
            channel = channel_of(arguments.channels, name)
            ports[name] = open_transport(arguments.interface, channel, arguments.port, fd=bus.fd)
        if arguments.record is not None:
            recording = Recording(arguments.record, tuple(ports))
        listener = Listener(car, ports, recording)
        for number in ending_signals():
            signal.signal(number, lambda *_: listener.end())
        listener.run(arguments.seconds)
    except BrokenPipeError:  # no failure of a bus: the reader of the table has enough
        raise
    except (OSError, ValueError) as error:
        print(f"vdsim_can: {error}", file=sys.stderr)
        return 1
    finally:
        for port in ports.values():
            port.close()
        if recording is not None:
            recording.close()
    return 0


class Listener:
    """Reads the buses, keeps the figures, and records."""

    def __init__(
        self, car: CarFile, ports: dict[str, CanPort], recording: Recording | None
    ) -> None:
        self._car, self._ports, self._recording = car, ports, recording
        self._seen = watcher(car)
        self._is_ended = False

    def end(self) -> None:
        """Stop after this round."""
        self._is_ended = True

    def run(self, seconds: float | None) -> None:
        """Listen; print once a second."""
        start_s = printed_s = time.monotonic()
        files = [port.fileno() for port in self._ports.values()]
        while not self._is_ended:
            select.select(files, [], [], max(0.0, printed_s + EVERY_S - time.monotonic()))
            now = time.monotonic()
            for name, port in self._ports.items():
                self._read(name, port, now)
            if now - printed_s >= EVERY_S:
                printed_s = now
                lines = "\n".join(lines_of(self._car, self._seen, now))
                print(CLEAR * sys.stdout.isatty() + lines, flush=True)
            self._is_ended |= seconds is not None and now - start_s >= seconds

    def _read(self, name: str, port: CanPort, now: float) -> None:
        for data in port.drain():
            frame = unpacked(data)
            if isinstance(frame, str):
                continue
            outcome = None if frame.error else self._seen.receive(name, frame, now)
            if self._recording is not None:
                sent = outcome is not None and outcome.message in self._car.send
                self._recording.add(name, frame, port.stamp_s, is_sent=sent)
