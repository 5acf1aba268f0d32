"""Writes capture files byte by byte for the tests of their readers."""

from __future__ import annotations

import struct
from ipaddress import ip_address

LOOPBACK = "127.0.0.1"


def udp_segment(payload: bytes, source_port: int, destination_port: int) -> bytes:
    """A UDP header (without checksum) and its payload."""
    return struct.pack(">4H", source_port, destination_port, 8 + len(payload), 0) + payload


def ipv4(segment: bytes, protocol: int = 17, fragment: int = 0, options: bytes = b"") -> bytes:
    """An IPv4 packet between two loopback addresses."""
    first = 0x40 | (20 + len(options)) // 4
    size = 20 + len(options) + len(segment)
    ends = ip_address(LOOPBACK).packed * 2
    head = struct.pack(">BBHHHBBH", first, 0, size, 0, fragment, 64, protocol, 0)
    return head + ends + options + segment


def ipv6(segment: bytes, protocol: int = 17) -> bytes:
    """An IPv6 packet between two loopback addresses."""
    ends = ip_address("::1").packed * 2
    return struct.pack(">IHBB", 6 << 28, len(segment), protocol, 64) + ends + segment


def ethernet(packet: bytes, vlan: bool = False) -> bytes:
    """An Ethernet frame with an IPv4 packet."""
    tag = b"\x81\x00\x00\x05" if vlan else b""
    return bytes(12) + tag + b"\x08\x00" + packet


def frame(payload: bytes, source_port: int = 5000, destination_port: int = 7001) -> bytes:
    """An Ethernet frame with one UDP datagram."""
    return ethernet(ipv4(udp_segment(payload, source_port, destination_port)))


def pcap(
    frames: list[tuple[float, bytes]], link: int = 1, order: str = "<", nanoseconds: bool = False
) -> bytes:
    """A classic capture file."""
    magic, ticks = (0xA1B23C4D, 1e9) if nanoseconds else (0xA1B2C3D4, 1e6)
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    for time_s, data in frames:
        fraction = round((time_s - int(time_s)) * ticks)
        out += struct.pack(order + "4I", int(time_s), fraction, len(data), len(data)) + data
    return out


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    """A pcapng block."""
    body += bytes(-len(body) % 4)
    size = struct.pack(order + "I", 12 + len(body))
    return struct.pack(order + "I", kind) + size + body + size


def pcapng(
    frames: list[tuple[float, bytes]],
    link: int = 1,
    order: str = "<",
    resolution: int | None = None,
) -> bytes:
    """A pcapng file with one section and one interface."""
    out = block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)
    options = b""
    if resolution is not None:
        # A name before the resolution, so that the reader must skip an option.
        options = struct.pack(order + "2H", 2, 2) + b"lo\0\0"
        options += struct.pack(order + "2HB3x", 9, 1, resolution) + struct.pack(order + "2H", 0, 0)
    out += block(1, struct.pack(order + "HHI", link, 0, 65535) + options, order)
    ticks = 1e6
    if resolution is not None:
        ticks = 2.0 ** (resolution & 0x7F) if resolution & 0x80 else 10.0**resolution
    for time_s, data in frames:
        stamp = round(time_s * ticks)
        head = struct.pack(order + "5I", 0, stamp >> 32, stamp & 0xFFFFFFFF, len(data), len(data))
        out += block(6, head + data, order)
    return out
