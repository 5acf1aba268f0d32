"""The endpoints that a platform names, UDP or its own: all opened or none, never blocking."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress

from vdsim_protocol.flood.wall import FloodWall

from vdsim_interface.platforms.host_lookup import HOST_RULE, ipv4_of
from vdsim_interface.platforms.wire import Address, Datagram, Endpoint, Transport
from vdsim_interface.values import Notice, notice_kinds
from vdsim_protocol import contract_ports

_LARGEST_DATAGRAM = 65535
# A flood of datagrams must not delay the tick: the rest stays in the kernel's queue.
_MAX_PER_DRAIN = 256
# Raised by a receive after a send to a peer that does not exist; the watchdogs handle that.
_PEER_GONE = {errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN}


class EndpointError(OSError):
    """An endpoint could not be opened; the text is one line for the user."""


class Endpoints:
    """Non-blocking UDP sockets, and transports that platforms bring, by endpoint name.

    System errors at run time are counted and reported, never raised: a link that is down must not
    end the node that has to stop the car.
    """

    def __init__(self, endpoints: tuple[Endpoint, ...]) -> None:
        self._endpoints = {endpoint.name: endpoint for endpoint in endpoints}
        self._destinations: dict[str, tuple[Address, ...]] = {}
        self._sockets: dict[str, socket.socket | Transport] = {}
        self._walls: dict[str, FloodWall] = {}
        self._send_failed_n = 0
        self._receive_failed_n = 0
        self._notices: dict[str, Notice] = {}
        try:
            for endpoint in endpoints:
                self._destinations[endpoint.name] = _destinations(endpoint)
                self._sockets[endpoint.name] = opened = _opened(endpoint)
                if endpoint.peers is not None and isinstance(opened, socket.socket):
                    self._walls[endpoint.name] = FloodWall(opened, endpoint.peers)
        except OSError:
            self.close()
            raise

    @property
    def is_walled(self) -> bool:
        """Whether a flood is discarded: then `drain` at each tick, though nothing arrives."""
        return any(wall.is_up for wall in self._walls.values())

    def drain(self, now: float) -> Iterator[tuple[bytes, Address, str]]:
        """All received datagrams: datagram, source, endpoint."""
        for name, sock in self._sockets.items():
            sources: list[Address] = []
            for _ in range(_MAX_PER_DRAIN):
                try:
                    data, source = sock.recvfrom(_LARGEST_DATAGRAM)
                except BlockingIOError:
                    break
                except OSError as error:
                    if error.errno in _PEER_GONE:
                        continue
                    self._receive_failed_n += 1
                    self._report(f"{name}: receiving failed: {_why(error)}")
                    break
                sources.append((source[0], source[1]))
                yield data, sources[-1], name
            if name in self._walls and (line := self._walls[name].update(sources, now)):
                self._report(f"{name}: {line}")

    def send(self, datagrams: tuple[Datagram, ...]) -> int:
        """Send each to every destination of its endpoint; return how many failed."""
        failed = 0
        for name, data in datagrams:
            sock = self._sockets[name]
            for destination in self._destinations[name]:
                try:
                    sock.sendto(data, destination)
                except OSError as error:
                    failed += 1
                    host, port = destination
                    self._report(f"{name}: sending to {host}:{port} failed: {_why(error)}")
        self._send_failed_n += failed
        return failed

    def take_notices(self) -> tuple[Notice, ...]:
        """Return the errors since the last call, each once."""
        if not self._notices:
            return ()
        notices = tuple(self._notices.values())
        self._notices.clear()
        return notices

    def counts(self) -> Mapping[str, float]:
        """Failures to send or to receive, what the kernel discarded; {} without a socket."""
        if not self._sockets:
            return {}
        return {
            "send_failed": float(self._send_failed_n),
            "receive_failed": float(self._receive_failed_n),
            "discarded": float(sum(wall.discarded() for wall in self._walls.values())),
        }

    def bound(self) -> dict[str, Address]:
        """Where each endpoint listens, with the port that the kernel chose for 0."""
        return {
            name: sock.getsockname()[:2]
            for name, sock in self._sockets.items()
            if isinstance(sock, socket.socket) and self._endpoints[name].listen is not None
        }

    def filenos(self) -> list[int]:
        """The file descriptors, to wait for."""
        numbers = (sock.fileno() for sock in self._sockets.values())
        return [number for number in numbers if number >= 0]

    def close(self) -> None:
        """Close all."""
        for sock in self._sockets.values():
            with suppress(OSError):
                sock.close()
        self._sockets.clear()

    def _report(self, text: str) -> None:
        self._notices[text] = Notice(notice_kinds.LINK_ERROR, text)


def _numeric(name: str, address: Address) -> Address:
    """The address with its host resolved, so that sending a packet does not resolve it."""
    host, port = address
    ipv4 = ipv4_of(host)
    if ipv4 is None:
        raise EndpointError(f"{name}: host {host!r} {HOST_RULE}")
    return ipv4, port


def _destinations(endpoint: Endpoint) -> tuple[Address, ...]:
    """Where it sends: a transport of the platform's own knows its names itself."""
    if endpoint.opens is not None:
        return endpoint.send_to
    return tuple(_numeric(endpoint.name, address) for address in endpoint.send_to)


def _opened(endpoint: Endpoint) -> socket.socket | Transport:
    if endpoint.opens is None:
        return _open(endpoint)
    try:
        return endpoint.opens()
    except OSError as error:
        raise EndpointError(f"{endpoint.name}: {_why(error)}") from error


def _open(endpoint: Endpoint) -> socket.socket:
    listen = endpoint.listen and _numeric(endpoint.name, endpoint.listen)
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setblocking(False)
    try:
        if listen is not None:
            contract_ports.bind(sock, listen)
    except OSError as error:
        sock.close()
        host, port = listen or ("", 0)
        reason = "is taken by another process" if error.errno == errno.EADDRINUSE else _why(error)
        raise EndpointError(f"{endpoint.name}: UDP {host}:{port} {reason}") from error
    return sock


def _why(error: OSError) -> str:
    return error.strerror or str(error)
