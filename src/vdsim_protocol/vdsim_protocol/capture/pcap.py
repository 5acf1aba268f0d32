"""Reads capture files: classic pcap and pcapng, either byte order."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from vdsim_protocol.capture.datagram import CaptureError, Datagram
from vdsim_protocol.capture.ip import LINK_HEADER_SIZE, udp_of_frame

_CLASSIC = {
    b"\xd4\xc3\xb2\xa1": ("<", 1e-6),
    b"\xa1\xb2\xc3\xd4": (">", 1e-6),
    b"\x4d\x3c\xb2\xa1": ("<", 1e-9),
    b"\xa1\xb2\x3c\x4d": (">", 1e-9),
}
_CLASSIC_HEADER = 24
_RECORD_HEADER = 16
_SECTION = b"\x0a\x0d\x0d\x0a"
_INTERFACE_TYPE = 1
_PACKET_TYPE = 6
_BYTE_ORDERS = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
_BLOCK_OVERHEAD = 12
_END_OPTION = 0
_RESOLUTION_OPTION = 9
_PACKET_HEADER = 20


def is_capture(content: bytes) -> bool:
    """Whether a file's first bytes are those of a pcap or pcapng file."""
    return content[:4] in _CLASSIC or content[:4] == _SECTION


def read_pcap(content: bytes) -> Iterator[Datagram]:
    """The UDP datagrams of a capture file; a truncated record at the end of the file is ignored."""
    if content[:4] == _SECTION:
        return _read_pcapng(content)
    if content[:4] in _CLASSIC and len(content) >= _CLASSIC_HEADER:
        return _read_classic(content)
    raise CaptureError("not a pcap or pcapng file")


def _check_link(link_type: int) -> int:
    if link_type not in LINK_HEADER_SIZE:
        known = ", ".join(map(str, LINK_HEADER_SIZE))
        raise CaptureError(f"link type {link_type}: must be one of {known}")
    return link_type


def _read_classic(content: bytes) -> Iterator[Datagram]:
    order, tick_s = _CLASSIC[content[:4]]
    (link,) = struct.unpack_from(order + "I", content, 20)
    link_type = _check_link(link & 0xFFFF)
    at = _CLASSIC_HEADER
    while at + _RECORD_HEADER <= len(content):
        seconds, ticks, size, _ = struct.unpack_from(order + "4I", content, at)
        at += _RECORD_HEADER
        frame = content[at : at + size]
        at += size
        if len(frame) < size:
            return
        datagram = udp_of_frame(link_type, frame, seconds + ticks * tick_s)
        if datagram is not None:
            yield datagram


def _read_pcapng(content: bytes) -> Iterator[Datagram]:
    order = "<"
    interfaces: list[tuple[int, float]] = []
    at = 0
    while at + _BLOCK_OVERHEAD <= len(content):
        if content[at : at + 4] == _SECTION:
            order = _BYTE_ORDERS.get(content[at + 8 : at + 12], order)
            interfaces = []
        kind, size = struct.unpack_from(order + "2I", content, at)
        body = content[at + 8 : at + size - 4]
        if size < _BLOCK_OVERHEAD or size % 4 or at + size > len(content):
            return
        at += size
        if kind == _INTERFACE_TYPE and len(body) >= 8:
            (link,) = struct.unpack_from(order + "H", body)
            interfaces.append((_check_link(link), _tick_s(body[8:], order)))
        elif kind == _PACKET_TYPE and len(body) >= _PACKET_HEADER:
            datagram = _packet(body, order, interfaces)
            if datagram is not None:
                yield datagram


def _packet(body: bytes, order: str, interfaces: list[tuple[int, float]]) -> Datagram | None:
    number, high, low, size, _ = struct.unpack_from(order + "5I", body)
    frame = body[_PACKET_HEADER : _PACKET_HEADER + size]
    if number >= len(interfaces) or len(frame) < size:
        return None
    link_type, tick_s = interfaces[number]
    return udp_of_frame(link_type, frame, (high << 32 | low) * tick_s)


def _tick_s(options: bytes, order: str) -> float:
    """The unit of an interface's time stamps: a microsecond unless an option gives another."""
    at = 0
    while at + 4 <= len(options):
        code, size = struct.unpack_from(order + "2H", options, at)
        if code == _END_OPTION:
            break
        if code == _RESOLUTION_OPTION and size == 1 and at + 4 < len(options):
            exponent = options[at + 4]
            return 2.0 ** -(exponent & 0x7F) if exponent & 0x80 else 10.0**-exponent
        at += 4 + size + -size % 4
    return 1e-6
