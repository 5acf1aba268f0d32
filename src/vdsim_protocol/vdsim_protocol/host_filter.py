"""Datagram sockets that discard, in the kernel, what another machine, or another sender, sends.

Another machine: for a middleware whose sockets can be bound to no address, as those of Cyclone DDS.
A packet is of this machine when it arrives through loopback, by whatever address, or when it is
the copy of a multicast of our own; no sender can forge that.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import struct
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

_ATTACH_FILTER = _GET_FILTER = 26
_DETACH_FILTER = 27
_LOAD, _LOAD_HALF, _IS_EQUAL, _RETURN = 0x20, 0x28, 0x15, 0x06
_PACKET_TYPE, _INTERFACE = 0xFFFF_F004, 0xFFFF_F008
"""Addresses at which the kernel shows a filter what it knows of a packet (linux/filter.h)."""
_SENDER, _SENDERS_PORT = 0xFFF0_000C, 0
"""Where an IPv4 datagram has its sender: in the header of the network, and in that of UDP."""
_MOST_SENDERS = 64
_OWN_MULTICAST = 5
"""The packet type of the copy that the sender's own machine receives (linux/if_packet.h)."""
_WHOLE, _NOTHING = 0xFFFF_FFFF, 0
_DESCRIPTORS = Path("/proc/self/fd")


def discard_from_others(opened: socket.socket) -> None:
    """Discard what arrives at this socket from another machine, from now on."""
    instructions = (
        (_LOAD, 0, 0, _INTERFACE),
        (_IS_EQUAL, 2, 0, socket.if_nametoindex("lo")),
        (_LOAD, 0, 0, _PACKET_TYPE),
        (_IS_EQUAL, 0, 1, _OWN_MULTICAST),
        (_RETURN, 0, 0, _WHOLE),
        (_RETURN, 0, 0, _NOTHING),
    )
    _attach(opened, instructions)


def discard_of_others(opened: socket.socket, senders: Collection[tuple[str, int]]) -> None:
    """Discard what others than these addresses send to an IPv4 socket; raises OSError."""
    if len(senders) > _MOST_SENDERS:
        raise OSError(f"{len(senders)} senders: a filter has room for {_MOST_SENDERS}")
    instructions: list[tuple[int, int, int, int]] = []
    for host, port in senders:
        instructions += [
            (_LOAD, 0, 0, _SENDER),
            (_IS_EQUAL, 0, 3, int.from_bytes(socket.inet_aton(host), "big")),
            (_LOAD_HALF, 0, 0, _SENDERS_PORT),
            (_IS_EQUAL, 0, 1, port),
            (_RETURN, 0, 0, _WHOLE),
        ]
    _attach(opened, (*instructions, (_RETURN, 0, 0, _NOTHING)))


def discard_nothing(opened: socket.socket) -> None:
    """Remove the filter of a socket; raises OSError."""
    opened.setsockopt(socket.SOL_SOCKET, _DETACH_FILTER, 0)


def _attach(opened: socket.socket, instructions: Sequence[tuple[int, int, int, int]]) -> None:
    code = b"".join(struct.pack("HBBI", *each) for each in instructions)
    kept = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HL", len(instructions), ctypes.addressof(kept))
    opened.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, program)


def is_discarding(opened: socket.socket) -> bool:
    """Whether a socket has a filter."""
    length = ctypes.c_uint(0)  # 0: its length is asked for, not its instructions
    what = (opened.fileno(), socket.SOL_SOCKET, _GET_FILTER, None, ctypes.byref(length))
    return ctypes.CDLL(None).getsockopt(*what) == 0 and length.value > 0


@contextlib.contextmanager
def discarding_from_others() -> Iterator[None]:
    """Every datagram socket that this process opens meanwhile, in whatever library, discards it."""
    before = {inode for inode, _ in own_sockets()}
    try:
        yield
    finally:
        for inode, descriptor in own_sockets():
            if inode not in before:
                with opened(descriptor) as new:
                    if new.type == socket.SOCK_DGRAM and new.family != socket.AF_UNIX:
                        discard_from_others(new)


def own_sockets() -> list[tuple[str, int]]:
    """The inode and the descriptor of every socket of this process."""
    found = []
    for descriptor in [*_DESCRIPTORS.iterdir()] if _DESCRIPTORS.is_dir() else ():
        with contextlib.suppress(OSError):  # closed meanwhile
            name = str(descriptor.readlink())
            if name.startswith("socket:["):
                found.append((name[8:-1], int(descriptor.name)))
    return found


@contextlib.contextmanager
def opened(descriptor: int) -> Iterator[socket.socket]:
    """A socket that another library holds and keeps."""
    with socket.socket(fileno=os.dup(descriptor)) as shared:
        yield shared
