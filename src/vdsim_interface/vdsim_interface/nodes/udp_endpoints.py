"""The sockets that a platform asks for: opened at once or not at all, never blocking."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import suppress

from vdsim_interface.platforms.spec import Address, Datagram, Endpoint

_LARGEST_DATAGRAM = 65535
# A flood must not keep the tick from running: what is left over waits in the kernel's queue.
_MOST_PER_DRAIN = 256
# What a send or receive reports of a peer that is not there: the watchdogs notice that.
_PEER_GONE = {errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN}


class EndpointError(OSError):
    """A socket could not be opened; the text is one line for the user."""


class UdpEndpoints:
    """Non-blocking UDP sockets by endpoint name."""

    def __init__(self, endpoints: tuple[Endpoint, ...]) -> None:
        self._endpoints = {endpoint.name: endpoint for endpoint in endpoints}
        self._sockets: dict[str, socket.socket] = {}
        try:
            for endpoint in endpoints:
                self._sockets[endpoint.name] = _open(endpoint)
        except OSError:
            self.close()
            raise

    def drain(self) -> Iterator[tuple[bytes, Address, str]]:
        """Everything that has arrived: datagram, source, endpoint."""
        for name, sock in self._sockets.items():
            for _ in range(_MOST_PER_DRAIN):
                try:
                    data, source = sock.recvfrom(_LARGEST_DATAGRAM)
                except BlockingIOError:
                    break
                except OSError as error:
                    if error.errno in _PEER_GONE:
                        continue
                    raise
                yield data, (source[0], source[1]), name

    def send(self, datagrams: tuple[Datagram, ...]) -> int:
        """Send each to every destination of its endpoint; how many could not be sent."""
        failed = 0
        for name, data in datagrams:
            sock = self._sockets[name]
            for destination in self._endpoints[name].send_to:
                try:
                    sock.sendto(data, destination)
                except BlockingIOError:
                    failed += 1
                except OSError as error:
                    if error.errno not in _PEER_GONE:
                        raise
                    failed += 1
        return failed

    def bound(self) -> dict[str, Address]:
        """Where each endpoint listens, with the port that the kernel chose for 0."""
        return {
            name: sock.getsockname()[:2]
            for name, sock in self._sockets.items()
            if self._endpoints[name].listen is not None
        }

    def close(self) -> None:
        """Close all."""
        for sock in self._sockets.values():
            with suppress(OSError):
                sock.close()
        self._sockets.clear()


def _open(endpoint: Endpoint) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setblocking(False)
    try:
        if endpoint.listen is not None:
            sock.bind(endpoint.listen)
    except OSError as error:
        sock.close()
        host, port = endpoint.listen or ("", 0)
        reason = (
            "is taken by another process" if error.errno == errno.EADDRINUSE else error.strerror
        )
        raise EndpointError(f"{endpoint.name}: UDP {host}:{port} {reason}") from error
    return sock
