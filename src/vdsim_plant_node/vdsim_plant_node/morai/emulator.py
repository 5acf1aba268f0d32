"""The emulated simulator on its sockets: a world, one socket a port, notes for the log."""

from __future__ import annotations

import math
import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress

from vdsim_plant_node.live.throttled_note import ThrottledNote
from vdsim_plant_node.morai.settings import EmulatorSettings
from vdsim_plant_node.morai.world import World

LARGEST_DATAGRAM = 65535
MOST_PER_FRAME = 256


class Sockets:
    """One receiving socket for each port, and one that sends."""

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

    def receive(self) -> list[tuple[bytes, str]]:
        """Everything that has arrived, with its sender."""
        arrived: list[tuple[bytes, str]] = []
        for receiver in self._receivers:
            with suppress(BlockingIOError):
                for _ in range(MOST_PER_FRAME):
                    data, (host, port) = receiver.recvfrom(LARGEST_DATAGRAM)
                    arrived.append((data, f"{host}:{port}"))
        return arrived

    def send(self, port: int, data: bytes) -> None:
        """Send to the other side, whether or not it listens or the network is up."""
        with suppress(OSError):
            self._sender.sendto(data, (self._settings.to, port))

    def close(self) -> None:
        """Give the ports back."""
        self._opened.close()


class Emulator:
    """A world on sockets."""

    def __init__(
        self, settings: EmulatorSettings, sockets: Sockets, log: Callable[[str], None]
    ) -> None:
        self._ports = settings.ports
        self._sockets = sockets
        self._log = log
        self._world = World(settings)
        self._notes: dict[str, ThrottledNote] = {}

    def tick(self, now: float) -> None:
        """One period: receive, step the world, send."""
        for datagram, source in self._sockets.receive():
            for notice in self._world.receive(datagram, source):
                self._notes.setdefault(notice.about, ThrottledNote()).add(notice.text)
        self._log_notes(now)
        self._world.step()
        for outgoing in self._world.messages():
            self._sockets.send(getattr(self._ports, outgoing.port), outgoing.data)

    def end(self) -> None:
        """Log the notes that are still pending."""
        self._log_notes(math.inf)

    def _log_notes(self, now: float) -> None:
        """Log at most one line a second for each kind of message: anyone can send them fast."""
        for note in self._notes.values():
            line = note.due(now)
            if line:
                self._log(line)
