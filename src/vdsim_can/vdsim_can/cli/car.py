"""`vdsim_can_car CAR`: the simulated car at the other end of the bus, as the ECUs of its file.

It ticks in real time every 5 ms and answers whatever interface drives it: handshake, overrides,
counters, checksums. `--fault` breaks it on order.
"""

from __future__ import annotations

import argparse
import select
import signal
import sys
import time
from collections.abc import Sequence

from vdsim_interface.platforms.pedal_table import load_pedal_map
from vdsim_plant.session import SimSession
from vdsim_protocol.checked_file import FileError
from vdsim_protocol.ending_signals import ending_signals, ignore_repeated_signals

from vdsim_can.bus.channels import INTERFACE, PORT, channel_of
from vdsim_can.bus.opening import CanPort, open_transport
from vdsim_can.car import CarFile
from vdsim_can.car.reading import load_car
from vdsim_can.data import EXAMPLES, car_path
from vdsim_can.ecu.driven_car import DrivenCar
from vdsim_can.ecu.ecus import Ecus
from vdsim_can.ecu.orders import Kind, OrderError, parsed
from vdsim_can.frame import packed, unpacked

PROGRAM = "vdsim_can_car"
TICK_S = 0.005
LATE_S = 0.1
"""A process that did not run for longer goes on from now."""
Ports = dict[str, CanPort]


def main(words: Sequence[str] | None = None) -> int:
    """Run until a signal or the end of --seconds; 2: a wrong argument."""
    options = _parser().parse_args(words)
    try:
        file = load_car(car_path(options.car))
        orders = tuple(parsed(text) for text in options.fault)
        ecus = Ecus(file, TICK_S, orders)
        session = SimSession(options.vehicle, actuators=options.actuator or None)
        car = DrivenCar(session, ecus, load_pedal_map(options.pedal_map), TICK_S)
        ports = _opened(file, options)
    except (FileError, OrderError, ValueError, OSError) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    loop = Loop(car, ports)
    for number in ending_signals():
        signal.signal(number, lambda *_: loop.end())
    names = ", ".join(f"{bus} ({options.interface})" for bus in ports)
    _say(f"{file.name} on {names}, driven by {session.name}")
    try:
        loop.run(options.seconds)
    finally:
        for port in ports.values():
            port.close()
        ignore_repeated_signals()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description="The simulated car at the other end of a CAN bus."
    )
    parser.add_argument("car", nargs="?", default=EXAMPLES[0], help="car file, or a shipped one")
    parser.add_argument(
        "--interface",
        default=INTERFACE,
        choices=("socketcan", "udp_multicast"),
        help="kind of all buses; udp_multicast: processes of this machine",
    )
    parser.add_argument("--channels", default="", help="channel of each bus, as main=can0")
    parser.add_argument("--port", type=int, default=PORT, help="of udp_multicast")
    parser.add_argument("--vehicle", default="ioniq5_awd", help="the simulated car")
    parser.add_argument("--actuator", default="", help="its actuators; empty: ideal ones")
    parser.add_argument("--pedal-map", default="ioniq5_awd", help="of its own ECU")
    kinds = ", ".join(kind.value for kind in Kind)
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="KIND:WHAT@AT+FOR",
        help=f"{kinds}; WHAT: a message, MESSAGE.SIGNAL or a bus; times in s since the start",
    )
    parser.add_argument("--seconds", type=float, default=None, help="end after so long")
    return parser


def _opened(file: CarFile, options: argparse.Namespace) -> Ports:
    """Open every bus or none."""
    ports: Ports = {}
    try:
        for name, bus in file.buses.items():
            channel = channel_of(options.channels, name)
            ports[name] = open_transport(options.interface, channel, options.port, fd=bus.fd)
    except OSError:
        for port in ports.values():
            port.close()
        raise
    return ports


class Loop:
    """Ticks at absolute times; frames that arrive between them are read before the next one."""

    def __init__(self, car: DrivenCar, ports: Ports) -> None:
        self._car, self._ports = car, ports
        self._is_ended = self._was_driven = False
        self._start_s = time.monotonic()

    def end(self) -> None:
        """Stop before the next tick."""
        self._is_ended = True

    def run(self, seconds: float | None) -> None:
        """Tick until the end."""
        due_s = self._start_s = time.monotonic()
        files = [port.fileno() for port in self._ports.values()]
        while not self._is_ended:
            select.select(files, [], [], max(0.0, due_s - time.monotonic()))
            now = time.monotonic()
            self._receive(now - self._start_s)
            if now < due_s:
                continue
            due_s = due_s + TICK_S if now - due_s < LATE_S else now + TICK_S
            self._tick(now - self._start_s)
            if seconds is not None and now - self._start_s >= seconds:
                return

    def _receive(self, now: float) -> None:
        for name, port in self._ports.items():
            for data in port.drain():
                frame = unpacked(data)
                if not isinstance(frame, str) and not frame.error:
                    self._car.receive(name, frame, now)

    def _tick(self, now: float) -> None:
        for name, frame in self._car.tick(now):
            try:
                self._ports[name].sendto(packed(frame), (name, 0))
            except OSError as error:
                _say(f"{name}: sending failed: {error}")
        driven = self._car.ecus.command(now) is not None
        if driven is not self._was_driven:
            self._was_driven = driven
            _say("an interface drives" if driven else "nobody drives any more")


def _say(line: str) -> None:
    print(f"{PROGRAM}: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
