"""The guard in virtual time, as the last stage of a composition, behind a socket of the test's."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from vdsim_interface.guard.guard import Guard
from vdsim_interface.platforms.spec import Address, Datagram, Endpoint


class CarLink(Protocol):
    """A car with the sockets connected to it."""

    def drain(self, now: float) -> Iterator[tuple[bytes, Address, str]]:
        """What has arrived."""

    def send(self, datagrams: tuple[Datagram, ...]) -> None:
        """Take packets."""


class _Vehicle:
    """The car as the guard's link."""

    def __init__(self, car: CarLink) -> None:
        self._car = car

    def open(self, endpoints: tuple[Endpoint, ...]) -> None:
        """Nothing to open."""

    def send(self, datagrams: tuple[Datagram, ...]) -> None:
        """Send to the car."""
        self._car.send(datagrams)

    def close(self) -> None:
        """Nothing to close."""

    def counts(self) -> Mapping[str, float]:
        """No trouble."""
        return {}


class _Connection:
    """The shell's end: the guard has processed a frame when `send` returns."""

    is_open = True

    def __init__(self, stage: GuardStage) -> None:
        self._stage = stage
        self.inbox: deque[bytes] = deque()

    def send(self, data: bytes) -> None:
        """Let the guard process a frame."""
        self._stage.on_frame(data)

    def receive(self) -> bytes | None:
        """Return the next frame of the guard."""
        return self.inbox.popleft() if self.inbox else None

    def close(self) -> None:
        """End the connection."""
        self.is_open = False
        self._stage.guard.disconnect()


class GuardStage:
    """A Guard with the methods of a node that the test's composition calls."""

    def __init__(self, car: CarLink, clock: Callable[[], float]) -> None:
        self._car, self._clock = car, clock
        self.vehicle = _Vehicle(car)
        self.guard = Guard(self.vehicle)
        self.shell: Any = None
        self._connection: _Connection | None = None

    def connect(self, path: Path) -> _Connection:
        """Connect the shell."""
        self._connection = _Connection(self)
        self.guard.connect()
        return self._connection

    def on_frame(self, data: bytes) -> None:
        """Process a frame of the shell, and send what it causes."""
        self.guard.on_frame(data, self._clock())
        self._flush()

    def _flush(self) -> None:
        frames = self.guard.take_frames(self._clock())
        if self._connection is not None:
            self._connection.inbox.extend(frames)

    def start(self) -> None:
        """The first tick follows the activation."""
        self._on_poll()

    def poll(self, now: float) -> None:
        """Process the packets of the car."""
        for data, source, endpoint in self._car.drain(now):
            self.guard.on_datagram(data, source, endpoint, now)
        self._flush()

    def _on_poll(self) -> None:
        """One tick; the shell receives its result."""
        now = self._clock()
        self.vehicle.send(self.guard.decide(now))
        self.guard.after_send(now)
        self._flush()
        self.shell.poll(now)

    def end(self) -> None:
        """End with the last, safe command."""
        self.vehicle.send(self.guard.stop(self._clock()))

    def destroy_node(self) -> None:
        """It is none."""
