"""The connections of the data port: not too many, and none that only waits. Shell.

A connection without a request in progress is closed after `IDLE_S`, whether it is silent or sends
its header byte by byte. When `MOST_CONNECTIONS` are open, a new one takes the place of the one that
has waited longest; when all of them are at work, the new one is closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

IDLE_S = 10.0
MOST_CONNECTIONS = 128


class Connections:
    """The open connections; made on the data port's loop, and used there alone."""

    def __init__(
        self,
        make_protocol: Callable[[], asyncio.Protocol],
        *,
        idle_s: float = IDLE_S,
        most: int = MOST_CONNECTIONS,
    ) -> None:
        self._make_protocol = make_protocol
        self._idle_s = idle_s
        self._most = most
        self._waiting: dict[asyncio.BaseTransport, asyncio.TimerHandle] = {}
        self._at_work: set[asyncio.BaseTransport] = set()

    def __call__(self) -> asyncio.Protocol:
        """Make the protocol of one connection, for `create_server`."""
        return _Watched(self._make_protocol(), self)

    def opened(self, transport: asyncio.BaseTransport) -> bool:
        """Count a new connection; False when there is no room for it."""
        if len(self._waiting) + len(self._at_work) >= self._most:
            if not self._waiting:
                return False
            _abort(next(iter(self._waiting)))
            self._forget(next(iter(self._waiting)))
        self._wait(transport)
        return True

    def began(self, transport: asyncio.BaseTransport | None) -> None:
        """A request has arrived on the connection."""
        if transport in self._waiting:
            self._forget(transport)
            self._at_work.add(transport)

    def ended(self, transport: asyncio.BaseTransport | None) -> None:
        """The request has been answered."""
        if transport in self._at_work:
            self._at_work.discard(transport)
            self._wait(transport)

    def closed(self, transport: asyncio.BaseTransport) -> None:
        """The connection is gone."""
        self._at_work.discard(transport)
        if transport in self._waiting:
            self._forget(transport)

    def _wait(self, transport: asyncio.BaseTransport) -> None:
        loop = asyncio.get_running_loop()
        self._waiting[transport] = loop.call_later(self._idle_s, _abort, transport)

    def _forget(self, transport: asyncio.BaseTransport) -> None:
        self._waiting.pop(transport).cancel()


def _abort(transport: asyncio.BaseTransport) -> None:
    assert isinstance(transport, asyncio.WriteTransport)
    transport.abort()


class _Watched(asyncio.Protocol):
    """Passes everything on to the protocol that answers."""

    def __init__(self, inner: asyncio.Protocol, connections: Connections) -> None:
        self._inner = inner
        self._connections = connections
        self._transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if self._connections.opened(transport):
            self._transport = transport
            self._inner.connection_made(transport)
        else:
            _abort(transport)

    def data_received(self, data: bytes) -> None:
        if self._transport is not None:
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return None if self._transport is None else self._inner.eof_received()

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._connections.closed(self._transport)
            self._inner.connection_lost(exc)
