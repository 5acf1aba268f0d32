"""A CAN frame, and its form as bytes: that of Linux (struct can_frame and struct canfd_frame)."""

from __future__ import annotations

import struct
from typing import NamedTuple

_HEAD = struct.Struct("=IBB2x")
CLASSIC_BYTES, FD_BYTES = 16, 72
_EXTENDED, _REMOTE, _ERROR = 0x80000000, 0x40000000, 0x20000000
_ID_11, _ID_29 = 0x7FF, 0x1FFFFFFF
_CLASSIC_DATA, _FD_DATA = 8, 64
FD_LENGTHS = frozenset({*range(9), 12, 16, 20, 24, 32, 48, 64})
"""The lengths that a frame of CAN FD can have [bytes]."""
ERROR_PASSIVE, BUS_OFF, RESTARTED = 0x4, 0x40, 0x100
"""Classes of an error frame, in its id: the controller's state, off the bus, back on it."""


class Frame(NamedTuple):
    """A frame. `error`: the controller reports an error; `can_id` then holds its classes."""

    can_id: int
    data: bytes
    extended: bool = False
    fd: bool = False
    error: bool = False


def packed(frame: Frame) -> bytes:
    """Return the bytes of a frame."""
    size = _FD_DATA if frame.fd else _CLASSIC_DATA
    flags = _EXTENDED if frame.extended else 0
    if frame.error:
        flags |= _ERROR
    head = _HEAD.pack(frame.can_id | flags, len(frame.data), 0)
    return head + frame.data.ljust(size, b"\0")


def unpacked(data: bytes) -> Frame | str:
    """Return the frame, or why the bytes are none."""
    if len(data) not in (CLASSIC_BYTES, FD_BYTES):
        return f"{len(data)} bytes: a frame has {CLASSIC_BYTES} or {FD_BYTES}"
    number, length, _ = _HEAD.unpack_from(data)
    fd, extended = len(data) == FD_BYTES, bool(number & _EXTENDED)
    if number & _REMOTE:
        return "a remote frame, which no message of a car file is"
    if length not in FD_LENGTHS or (not fd and length > _CLASSIC_DATA):
        return f"length {length}: not one of a {'CAN FD' if fd else 'classic'} frame"
    error = bool(number & _ERROR)
    can_id = number & (_ID_29 if extended or error else ~(_EXTENDED | _ERROR))
    if not extended and not error and can_id > _ID_11:
        return f"id 0x{can_id:X} has more than 11 bits, but is not extended"
    return Frame(can_id, data[_HEAD.size : _HEAD.size + length], extended, fd, error)


def shown(frame: Frame) -> str:
    """Return a frame as people write it: 110#0011 or 18FF0001#00 (eight digits: extended)."""
    digits = 8 if frame.extended else 3
    mark = "##0" if frame.fd else "#"
    return f"{frame.can_id:0{digits}X}{mark}{frame.data.hex().upper()}"
