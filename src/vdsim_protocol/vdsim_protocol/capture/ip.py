"""Extracts UDP payloads from captured frames: Ethernet, Linux cooked, loopback or bare IP."""

from __future__ import annotations

import ipaddress
import struct

from vdsim_protocol.capture.datagram import Datagram

NULL_LOOPBACK = 0
ETHERNET = 1
RAW_IP = 101
LINUX_COOKED = 113
LINUX_COOKED_2 = 276
LINK_HEADER_SIZE = {NULL_LOOPBACK: 4, ETHERNET: 14, RAW_IP: 0, LINUX_COOKED: 16, LINUX_COOKED_2: 20}
VLAN_TAG = b"\x81\x00"
VLAN_TAG_SIZE = 4
UDP = 17
IPV4_MIN_HEADER = 20
IPV6_HEADER = 40
UDP_HEADER = 8
FRAGMENT_MASK = 0x3FFF


def udp_of_frame(link_type: int, frame: bytes, time_s: float) -> Datagram | None:
    """The UDP datagram in a frame; None when it holds none, or only a fragment."""
    start = LINK_HEADER_SIZE[link_type]
    if link_type == ETHERNET and frame[12:14] == VLAN_TAG:
        start += VLAN_TAG_SIZE
    packet = frame[start:]
    version = packet[0] >> 4 if packet else 0
    if version == 4:
        return _udp_of_ipv4(packet, time_s)
    if version == 6:
        return _udp_of_ipv6(packet, time_s)
    return None


def _udp_of_ipv4(packet: bytes, time_s: float) -> Datagram | None:
    if len(packet) < IPV4_MIN_HEADER or packet[9] != UDP:
        return None
    (fragment,) = struct.unpack_from(">H", packet, 6)
    if fragment & FRAGMENT_MASK:
        return None
    header = 4 * (packet[0] & 0x0F)
    return _udp(
        packet[header:],
        str(ipaddress.IPv4Address(packet[12:16])),
        str(ipaddress.IPv4Address(packet[16:20])),
        time_s,
    )


def _udp_of_ipv6(packet: bytes, time_s: float) -> Datagram | None:
    if len(packet) < IPV6_HEADER or packet[6] != UDP:
        return None
    return _udp(
        packet[IPV6_HEADER:],
        f"[{ipaddress.IPv6Address(packet[8:24])}]",
        f"[{ipaddress.IPv6Address(packet[24:40])}]",
        time_s,
    )


def _udp(segment: bytes, source: str, destination: str, time_s: float) -> Datagram | None:
    if len(segment) < UDP_HEADER:
        return None
    source_port, destination_port, length, _ = struct.unpack_from(">4H", segment)
    payload = segment[UDP_HEADER:length]
    return Datagram(time_s, payload, f"{source}:{source_port}", f"{destination}:{destination_port}")
