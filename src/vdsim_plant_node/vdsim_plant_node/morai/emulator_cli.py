"""`morai_emulator`: speaks the simulator's side of every MORAI SIM: Drive UDP message.

Our plant is the ego vehicle, with a little scripted traffic. Exit codes: 0 stopped by a signal or
after --duration, 1 the network could not be had, 2 wrong options or settings.
"""

from __future__ import annotations

import argparse
import math
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from vdsim_plant.parameters import ParameterError

from vdsim_plant_node.duration import checked_duration
from vdsim_plant_node.morai.settings import EmulatorSettings, load_settings
from vdsim_plant_node.morai.world import PERIOD_S, World
from vdsim_plant_node.pacing import Pacer, RealTimeRunner
from vdsim_plant_node.throttled_note import ThrottledNote

PROGRAM = "morai_emulator"
LARGEST_DATAGRAM = 65535
MOST_PER_FRAME = 256
ROS_ARGUMENTS = "--ros-args"
"""What launch files append for nodes; this program is none and leaves the rest unread."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command_line = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    add = command_line.add_argument
    add("--scene", type=Path, metavar="FILE", help="YAML file: ports, boxes, and what is below")
    add("--vehicle", help="vehicle preset or file")
    add("--mu", type=float, help="friction of the road")
    add("--host", help="address on which commands are received")
    add("--to", help="address to which messages go")
    add("--control-port", type=int, dest="control_port", help="UDP port of Ego Ctrl Cmd")
    add("--status-port", type=int, dest="status_port", help="to which Ego Vehicle Status goes")
    add("--generation", type=int, help="of Ego Vehicle Status, 1 to 5")
    add("--duration", type=float, help="stop after this time [s]")
    return command_line


class Sockets:
    """One socket a port that listens, one that sends."""

    def __init__(self, settings: EmulatorSettings) -> None:
        self._settings = settings
        self._opened = ExitStack()
        self._sender = self._open(None)
        self._receivers: list[socket.socket] = []
        try:
            for port in settings.ports.listening:
                self._receivers.append(self._open(port))
        except OSError as error:
            self.close()
            error.filename = f"UDP {settings.host}:{port}"
            raise

    def _open(self, port: int | None) -> socket.socket:
        opened = self._opened.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        opened.setblocking(False)
        if port is None:
            opened.bind((self._settings.host, 0))
        else:
            opened.bind((self._settings.host, port))
        return opened

    def receive(self) -> list[bytes]:
        """Everything that has arrived."""
        arrived: list[bytes] = []
        for receiver in self._receivers:
            with suppress(BlockingIOError):
                for _ in range(MOST_PER_FRAME):
                    arrived.append(receiver.recv(LARGEST_DATAGRAM))
        return arrived

    def send(self, port: int, data: bytes) -> None:
        """Send to the other side; nobody need listen there, and no network lead there now."""
        with suppress(OSError):
            self._sender.sendto(data, (self._settings.to, port))

    def close(self) -> None:
        """Give the ports back."""
        self._opened.close()


class Emulator:
    """A world on sockets."""

    def __init__(self, settings: EmulatorSettings, sockets: Sockets) -> None:
        self._ports = settings.ports
        self._sockets = sockets
        self._world = World(settings)
        self._notes: dict[str, ThrottledNote] = {}

    def tick(self, now: float) -> None:
        """One period: hear, move, speak."""
        for datagram in self._sockets.receive():
            notice = self._world.receive(datagram)
            if notice.text:
                self._notes.setdefault(notice.about, ThrottledNote()).add(notice.text)
        self._say_notes(now)
        self._world.step()
        for outgoing in self._world.messages():
            self._sockets.send(getattr(self._ports, outgoing.port), outgoing.data)

    def end(self) -> None:
        """Say what has not been said yet."""
        self._say_notes(math.inf)

    def _say_notes(self, now: float) -> None:
        """About each kind of message at most a line a second: anyone can send them fast."""
        for note in self._notes.values():
            line = note.due(now)
            if line:
                _say(line)


class _StopSignal:
    """True once SIGINT or SIGTERM has come or the time is up."""

    def __init__(self, duration_s: float | None) -> None:
        self._end_s = math.inf if duration_s is None else time.monotonic() + duration_s
        self._raised = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._raise)

    def _raise(self, number: int, frame: object) -> None:
        self._raised = True

    def __call__(self) -> bool:
        return self._raised or time.monotonic() >= self._end_s


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until a signal comes."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if ROS_ARGUMENTS in given:
        given = given[: given.index(ROS_ARGUMENTS)]
    options = vars(parser().parse_args(given))
    scene, asked_s = options.pop("scene"), options.pop("duration")
    try:
        duration_s = checked_duration(asked_s)
        run(load_settings(scene, options), duration_s)
    except ParameterError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"{PROGRAM}: {where}{error.strerror or error}", file=sys.stderr)
        return 1
    return 0


def run(settings: EmulatorSettings, duration_s: float | None = None) -> None:
    """Emulate until SIGINT, SIGTERM or the end of the duration."""
    with ExitStack() as opened:
        sockets = Sockets(settings)
        opened.callback(sockets.close)
        emulator = Emulator(settings, sockets)
        opened.callback(emulator.end)
        ports = settings.ports
        _say(
            f"{settings.vehicle}: Ego Ctrl Cmd at {settings.host}:{ports.control}, "
            f"Ego Vehicle Status at {1.0 / PERIOD_S:g} Hz to {settings.to}:{ports.status}"
        )
        runner = RealTimeRunner(Pacer(PERIOD_S), clock=time.monotonic, sleep=time.sleep)
        runner.run(emulator.tick, _StopSignal(duration_s))


def _say(line: str) -> None:
    print(f"{PROGRAM}: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
