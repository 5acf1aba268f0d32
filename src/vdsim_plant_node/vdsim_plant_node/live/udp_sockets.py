"""The UDP sockets of a server: opened before its cars are built, which may take long."""

from __future__ import annotations

import contextlib
import errno
import socket
from dataclasses import dataclass

from vdsim_plant_node.settings.server_settings import ServerSettings

_RECEIVE_BUFFER_BYTES = 1 << 20
_PORTS_OF_FAST_DDS = range(7000, 7400)


class PortTakenError(OSError):
    """The port belongs to another program; the message is one line for the user."""


@dataclass(frozen=True)
class PortSocket:
    """One bound socket and the vehicles that share it."""

    vehicle_ids: tuple[int, ...]
    socket: socket.socket


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
        with contextlib.suppress(OSError):
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER_BYTES)
        opened.setblocking(False)
        opened.bind((ip, port))
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTakenError(_taken(ip, port)) from None
        raise OSError(error.errno, f"cmd_port={port} on {ip}: {error.strerror}") from None
    return opened
