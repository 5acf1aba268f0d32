"""Capture files and hex, read back; whatever is broken in them is left out or refused clearly."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_protocol.capture import CaptureError, Datagram, is_capture, read_hex, read_pcap
from vdsim_protocol.capture.ip import (
    ETHERNET,
    LINUX_COOKED,
    LINUX_COOKED_2,
    NULL_LOOPBACK,
    RAW_IP,
    udp_of_frame,
)
from vdsim_protocol_kit.capture import block, ethernet, frame, ipv4, ipv6, pcap, pcapng, udp_segment

SEGMENT = udp_segment(b"payload", 5000, 7001)
EXPECTED = Datagram(1.5, b"payload", "127.0.0.1:5000", "127.0.0.1:7001")


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("nanoseconds", [False, True])
def test_classic_pcap(order: str, nanoseconds: bool) -> None:
    content = pcap([(1.5, frame(b"payload")), (2.25, frame(b"x", 7002, 9))], 1, order, nanoseconds)
    assert is_capture(content)
    first, second = read_pcap(content)
    assert first == EXPECTED
    assert second == Datagram(2.25, b"x", "127.0.0.1:7002", "127.0.0.1:9")


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("resolution", [None, 6, 9, 0x8A])
def test_pcapng(order: str, resolution: int | None) -> None:
    content = pcapng([(1.5, frame(b"payload"))], 1, order, resolution)
    assert is_capture(content)
    (datagram,) = read_pcap(content)
    assert datagram.time_s == pytest.approx(1.5, abs=1e-3)
    assert (datagram.payload, datagram.source) == (EXPECTED.payload, EXPECTED.source)


def test_pcapng_sections_start_again() -> None:
    one = pcapng([(1.5, frame(b"payload"))])
    other = pcapng([(1.5, frame(b"payload"))], order=">")
    unknown = block(5, bytes(8))
    assert [d.payload for d in read_pcap(one + unknown + other)] == [b"payload"] * 2


@pytest.mark.parametrize(
    "tail",
    [
        block(6, bytes(8)),  # too short for a packet
        block(6, struct.pack("<5I", 7, 0, 0, 0, 0)),  # an interface that is not there
        block(6, struct.pack("<5I", 0, 0, 0, 99, 99)),  # more bytes promised than are there
        block(6, struct.pack("<5I", 0, 0, 0, 4, 4) + b"text"),  # no IP packet
        block(1, bytes(4)),  # too short for an interface
        struct.pack("<2I", 6, 4) + bytes(8),  # a block smaller than its own frame
        struct.pack("<2I", 6, 13) + bytes(8),  # a size that is no multiple of four
        block(6, bytes(40))[:-1],  # cut off
        b"abc",
    ],
)
def test_pcapng_garbage_is_ignored(tail: bytes) -> None:
    assert list(read_pcap(pcapng([(1.5, frame(b"payload"))]) + tail)) == [EXPECTED]


@pytest.mark.parametrize(
    "options",
    [
        b"",
        struct.pack("<2HB3x", 9, 2, 9),  # not a resolution: two bytes long
        struct.pack("<2H", 9, 1),  # cut off
        struct.pack("<2H", 0, 0) + struct.pack("<2HB3x", 9, 1, 9),  # after the end
    ],
)
def test_pcapng_resolution_is_a_microsecond_unless_said(options: bytes) -> None:
    content = pcapng([])[:28]
    content += block(1, struct.pack("<HHI", 1, 0, 65535) + options)
    data = frame(b"payload")
    content += block(6, struct.pack("<5I", 0, 0, 1500000, len(data), len(data)) + data)
    assert list(read_pcap(content)) == [EXPECTED]


def test_a_truncated_last_record_is_ignored() -> None:
    content = pcap([(1.5, frame(b"payload")), (2.0, frame(b"payload"))])
    assert list(read_pcap(content[:-1])) == [EXPECTED]
    assert list(read_pcap(content[: -len(frame(b"payload")) - 1])) == [EXPECTED]


@pytest.mark.parametrize(
    "content", [b"", b"rubbish", pcap([])[:20], b"\x0a\x0d\x0d"], ids=["none", "text", "cut", "ng"]
)
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(CaptureError, match="not a pcap or pcapng file"):
        read_pcap(content)


def test_unknown_link_types_are_refused() -> None:
    for content in (pcap([], link=147), pcapng([], link=147)):
        with pytest.raises(CaptureError, match="link type 147: must be one of 0, 1, 101, 113, 276"):
            list(read_pcap(content))


@pytest.mark.parametrize(
    ("link", "data"),
    [
        (ETHERNET, ethernet(ipv4(SEGMENT))),
        (ETHERNET, ethernet(ipv4(SEGMENT), vlan=True)),
        (ETHERNET, ethernet(ipv4(SEGMENT, options=bytes(8)))),
        (ETHERNET, ethernet(ipv4(SEGMENT, fragment=0x4000))),
        (ETHERNET, ethernet(ipv4(SEGMENT)) + b"padding"),
        (RAW_IP, ipv4(SEGMENT)),
        (NULL_LOOPBACK, bytes(4) + ipv4(SEGMENT)),
        (LINUX_COOKED, bytes(16) + ipv4(SEGMENT)),
        (LINUX_COOKED_2, bytes(20) + ipv4(SEGMENT)),
    ],
)
def test_udp_is_found_behind_every_link(link: int, data: bytes) -> None:
    assert udp_of_frame(link, data, 1.5) == EXPECTED


def test_udp_is_found_in_ipv6() -> None:
    assert udp_of_frame(RAW_IP, ipv6(SEGMENT), 0.0) == Datagram(
        0.0, b"payload", "[::1]:5000", "[::1]:7001"
    )


@pytest.mark.parametrize(
    "packet",
    [
        b"",
        b"\x15",
        ipv4(SEGMENT)[:19],
        ipv4(SEGMENT)[:27],
        ipv4(SEGMENT, protocol=6),
        ipv4(SEGMENT, fragment=0x2000),
        ipv4(SEGMENT, fragment=1),
        ipv6(SEGMENT)[:39],
        ipv6(SEGMENT)[:47],
        ipv6(SEGMENT, protocol=6),
    ],
)
def test_other_packets_hold_no_datagram(packet: bytes) -> None:
    assert udp_of_frame(RAW_IP, packet, 0.0) is None


def test_packets_without_udp_are_ignored_in_both_formats() -> None:
    frames = [(1.0, ethernet(ipv4(SEGMENT, protocol=6))), (1.5, frame(b"payload"))]
    assert list(read_pcap(pcap(frames))) == [EXPECTED]
    assert list(read_pcap(pcapng(frames))) == [EXPECTED]


@given(st.binary(max_size=300), st.booleans(), st.booleans())
def test_rubbish_in_a_capture_never_raises_anything_else(
    rubbish: bytes, is_classic: bool, is_big: bool
) -> None:
    order = ">" if is_big else "<"
    head = pcap([], order=order) if is_classic else pcapng([], order=order)
    try:
        for datagram in read_pcap(head + rubbish):
            assert isinstance(datagram, Datagram)
    except CaptureError:
        pass


def test_hex_text() -> None:
    text = "# a comment\n\n31 53 44 56\n  abCD  \n#more\n00"
    assert list(read_hex(text)) == [
        Datagram(0.0, b"1SDV"),
        Datagram(0.01, b"\xab\xcd"),
        Datagram(0.02, b"\0"),
    ]


@pytest.mark.parametrize("line", ["xyz", "123", "31 5g"])
def test_text_that_is_not_hex_is_refused(line: str) -> None:
    with pytest.raises(CaptureError, match=f"^line 2: not hex: '{line}'"):
        list(read_hex(f"00\n{line}\n"))
