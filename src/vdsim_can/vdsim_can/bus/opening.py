"""Opens buses with python-can: socketcan, udp_multicast on this machine, virtual in the process."""

from __future__ import annotations

import os
import socket
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from vdsim_can.bus.channels import NOT_INSTALLED
from vdsim_can.bus.echoes import Echoes
from vdsim_can.frame import Frame, packed, unpacked

IP_MULTICAST_ALL = 49
"""Of Linux, not in the socket module: whether to receive groups that other sockets joined."""
LOOPBACK = socket.inet_aton("127.0.0.1")

MOST_PER_DRAIN = 256
Address = tuple[str, int]


class CanPort:
    """One bus, never blocking, with the calls of a socket.

    `garbled_n`: packets on the bus that were no frames. `stamp_s`: of the frame that was read last.
    """

    def __init__(self, bus: Any, channel: str, *, shows_ours: bool) -> None:
        self._bus = bus
        self._from: Address = (channel, 0)
        self._echoes = Echoes() if shows_ours else None
        self.garbled_n = 0
        self.stamp_s = 0.0

    def recvfrom(self, size: int, /) -> tuple[bytes, Address]:
        """Return the oldest frame; BlockingIOError when there is none."""
        del size
        while True:
            try:
                message = self._bus.recv(0)
            except _can_errors() as error:
                if isinstance(error.__cause__, OSError):
                    raise OSError(error.__cause__.errno, str(error)) from error
                self.garbled_n += 1
                return b"", self._from
            if message is None:
                raise BlockingIOError
            data = _bytes_of(message)
            if self._echoes is None or not self._echoes.is_ours(data):
                self.stamp_s = float(message.timestamp)
                return data, self._from

    def sendto(self, data: bytes, address: Address, /) -> int:
        """Send a frame."""
        del address
        frame = unpacked(data)
        if isinstance(frame, str):
            raise OSError(22, frame)
        import can

        message = can.Message(
            arbitration_id=frame.can_id,
            data=frame.data,
            is_extended_id=frame.extended,
            is_fd=frame.fd,
            is_rx=False,
        )
        try:
            self._bus.send(message)
        except _can_errors() as error:
            raise OSError(5, str(error)) from error
        if self._echoes is not None:
            self._echoes.on_sent(data)
        return len(data)

    def drain(self) -> Iterator[bytes]:
        """All frames that have arrived, at most MOST_PER_DRAIN at once."""
        for _ in range(MOST_PER_DRAIN):
            try:
                yield self.recvfrom(0)[0]
            except OSError:  # of which an empty bus is one
                return

    def fileno(self) -> int:
        """Return the file descriptor to wait for; -1 where there is none."""
        try:
            return int(self._bus.fileno())
        except (NotImplementedError, OSError):
            return -1

    def close(self) -> None:
        """Leave the bus."""
        with suppress(OSError):
            self._bus.shutdown()


def open_transport(interface: str, channel: str, port: int, *, fd: bool) -> CanPort:
    """Open a bus, or raise OSError with one line."""
    try:
        import can
    except ImportError:
        raise OSError(2, NOT_INSTALLED) from None
    try:
        if interface == "udp_multicast":
            bus = can.Bus(
                interface=interface, channel=group_of(channel), port=port, hop_limit=0, fd=fd
            )
            _keep_on_loopback(bus.fileno(), group_of(channel))
        elif interface == "socketcan":
            bus = can.Bus(interface=interface, channel=channel, fd=fd)
        else:
            bus = can.Bus(interface=interface, channel=channel)
    except (can.CanError, OSError, ValueError) as error:
        raise OSError(5, f"{interface} {channel}: {error.__cause__ or error}") from error
    return CanPort(bus, channel, shows_ours=interface == "udp_multicast")


def group_of(channel: str) -> str:
    """Return the multicast group of a channel: itself, or one that follows from its name."""
    try:
        if 224 <= socket.inet_aton(channel)[0] <= 239:
            return channel
    except OSError:
        pass
    digest = zlib.crc32(channel.encode())
    return f"239.255.{digest >> 8 & 255}.{digest & 255}"


def _keep_on_loopback(file: int, group: str) -> None:
    """Send and receive on 127.0.0.1 alone, and only this group: python-can joins any interface."""
    with socket.socket(fileno=os.dup(file)) as sock:
        address = socket.inet_aton(group)
        any_interface = address + struct.pack("@I", socket.INADDR_ANY)
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_DROP_MEMBERSHIP, any_interface)
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, address + LOOPBACK)
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, LOOPBACK)
        sock.setsockopt(socket.IPPROTO_IP, IP_MULTICAST_ALL, 0)


def _can_errors() -> type[Exception]:
    import can

    return can.CanError


def _bytes_of(message: Any) -> bytes:
    """Return the frame of python-can's message as bytes; none of a remote frame."""
    if message.is_remote_frame:
        return b""
    return packed(
        Frame(
            message.arbitration_id,
            bytes(message.data),
            message.is_extended_id and not message.is_error_frame,
            message.is_fd,
            message.is_error_frame,
        )
    )
