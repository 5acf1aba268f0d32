"""The UDP sockets of a server: opened before its cars are built, which may take long."""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass
from typing import Protocol

from vdsim_plant_node.settings.server_settings import ServerSettings
from vdsim_protocol import contract_ports

_PORTS_OF_FAST_DDS = range(7000, 7400)


class PortTakenError(OSError):
    """The port belongs to another program; the message is one line for the user."""


class DatagramSocket(Protocol):
    """What a port needs of a bound socket that does not block."""

    def recvfrom(self, size: int, /) -> tuple[bytes, tuple[str, int]]:
        """Return the oldest datagram and its sender, or raise BlockingIOError."""

    def sendto(self, data: bytes, address: tuple[str, int], /) -> int:
        """Send a datagram, or raise an OSError."""

    def getsockname(self) -> tuple[str, int]:
        """Return where it listens."""

    def close(self) -> None:
        """Close it."""


@dataclass(frozen=True)
class PortSocket:
    """One bound socket and the vehicles that share it."""

    vehicle_ids: tuple[int, ...]
    socket: DatagramSocket


def open_sockets(settings: ServerSettings) -> tuple[PortSocket, ...]:
    """Bind every port of the settings, or raise PortTakenError or another OSError and none."""
    shared = tuple(v.vehicle_id for v in settings.vehicles if v.cmd_port is None)
    plans = [(settings.cmd_port, shared)] if shared else []
    plans += [(v.cmd_port, (v.vehicle_id,)) for v in settings.vehicles if v.cmd_port is not None]
    opened: list[PortSocket] = []
    try:
        for port, vehicle_ids in plans:
            opened.append(PortSocket(vehicle_ids, _bound_socket(settings.cmd_ip, port)))
    except OSError:
        close_sockets(opened)
        raise
    return tuple(opened)


def close_sockets(opened: list[PortSocket] | tuple[PortSocket, ...]) -> None:
    """Close them all."""
    for port in opened:
        port.socket.close()


def _taken(ip: str, port: int) -> str:
    text = f"cmd_port={port}: is taken on {ip}; is another server running?"
    if port in _PORTS_OF_FAST_DDS:
        text += (
            " (or ROS 2: with Fast DDS each process that is not vdsim's takes a port from 7000 on)"
        )
    return text


def _bound_socket(ip: str, port: int) -> socket.socket:
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        opened.setblocking(False)
        contract_ports.bind(opened, (ip, port))
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTakenError(_taken(ip, port)) from None
        raise OSError(error.errno, f"cmd_port={port} on {ip}: {error.strerror}") from None
    return opened
