"""The wire between interface and plant: every packet recorded, faults on request.

    interface ──CMD──▶ command port ── link ──▶ state port ──CMD──▶ plant
              ◀─STATE─              ◀─ link ──             ◀─STATE─

The faults are those of the product's relay (`vdsim_protocol.faults`); `alter` changes what STATE
says. Times are those of the monotonic clock of this machine.
"""

from __future__ import annotations

import select
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import NamedTuple

from vdsim_protocol.faults import LinkFaults, LinkSimulator

from vdsim_campaign.lies import Alter

PERFECT = LinkFaults()
COMMAND, STATE = "command", "state"
_POLL_S = 0.05
_LARGEST = 65535


class Seen(NamedTuple):
    """A datagram and when it passed."""

    time_s: float
    data: bytes


@dataclass
class Direction:
    """One direction: what entered the link, and what left it."""

    link: LinkSimulator
    entered: list[Seen] = field(default_factory=list)
    left: list[Seen] = field(default_factory=list)


class WireTap:
    """A thread between two sockets. `ports`: for CMD of the interface, for STATE of the plant."""

    def __init__(
        self, ports: tuple[int, int], interface_port: int, plant_port: int, seed: str
    ) -> None:
        self.directions = {
            name: Direction(LinkSimulator(PERFECT, f"{seed}/{name}")) for name in (COMMAND, STATE)
        }
        self._sockets = {COMMAND: _bound(ports[0]), STATE: _bound(ports[1])}
        host = "127.0.0.1"
        self._targets = {COMMAND: (host, plant_port), STATE: (host, interface_port)}
        # What leaves for the interface comes from the port to which it sends, and the reverse.
        self._leaves_by = {COMMAND: self._sockets[STATE], STATE: self._sockets[COMMAND]}
        self._alter: Alter | None = None
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="wire tap", daemon=True)
        self._thread.start()

    def set_faults(self, direction: str, faults: LinkFaults) -> None:
        """Change the faults of a direction."""
        with self._lock:
            self.directions[direction].link.set_faults(faults, time.monotonic())

    def counters(self, direction: str) -> dict[str, int]:
        """How often each fault happened since the start."""
        with self._lock:
            return self.directions[direction].link.counters()

    def alter(self, alter: Alter | None) -> None:
        """Alter every STATE from now on; None: pass it as it is."""
        self._alter = alter

    @property
    def thread_id(self) -> int | None:
        """The kernel's number of the thread."""
        return self._thread.native_id

    def close(self) -> None:
        """End the thread, close the sockets."""
        self._stop.set()
        self._thread.join()
        for each in self._sockets.values():
            each.close()

    def _run(self) -> None:
        names = {sock: name for name, sock in self._sockets.items()}
        while not self._stop.is_set():
            readable, _, _ = select.select(list(names), [], [], self._patience_s())
            for sock in readable:
                self._receive(names[sock], sock)
            with self._lock:
                for name, direction in self.directions.items():
                    self._deliver(name, direction)

    def _patience_s(self) -> float:
        deadlines = [d.link.next_deadline() for d in self.directions.values()]
        known = [deadline for deadline in deadlines if deadline is not None]
        return max(0.0, min([_POLL_S, *(deadline - time.monotonic() for deadline in known)]))

    def _receive(self, name: str, sock: socket.socket) -> None:
        direction = self.directions[name]
        while True:
            try:
                data = sock.recv(_LARGEST)
            except BlockingIOError:
                return
            except ConnectionError:  # the other end has closed its port
                continue
            now = time.monotonic()
            direction.entered.append(Seen(now, data))
            alter = self._alter
            if name == STATE and alter is not None:
                data = alter(data)
            with self._lock:
                direction.link.send(data, now)

    def _deliver(self, name: str, direction: Direction) -> None:
        for data in direction.link.due(time.monotonic()):
            direction.left.append(Seen(time.monotonic(), data))
            try:
                self._leaves_by[name].sendto(data, self._targets[name])
            except ConnectionError:
                continue


def _bound(port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    sock.bind(("127.0.0.1", port))
    sock.setblocking(False)
    return sock
