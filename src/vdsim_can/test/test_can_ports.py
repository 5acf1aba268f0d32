"""Buses of python-can behind the calls of a socket, with real sockets on loopback."""

import os
import select
import socket
import time
from collections.abc import Iterator

import pytest
from vdsim_can.bus.echoes import KEPT, Echoes
from vdsim_can.bus.opening import CanPort, group_of, open_transport
from vdsim_can.frame import Frame, packed, unpacked
from vdsim_kit.ports import free_ports

FRAME = Frame(0x110, b"\x01\x02")
LONG = Frame(0x18FF0001, bytes(range(12)), extended=True, fd=True)
DEADLINE_S = 60.0


@pytest.fixture
def port() -> int:
    return free_ports(1)[0]


Pair = tuple[CanPort, CanPort]


@pytest.fixture(params=["udp_multicast", "virtual"])
def pair(request: pytest.FixtureRequest, port: int) -> Iterator[Pair]:
    made = [open_transport(request.param, f"bus{port}", port, fd=True) for _ in range(2)]
    yield made[0], made[1]
    for each in made:
        each.close()


def received(port: CanPort) -> Frame:
    """The next frame, as soon as it is there."""
    end = time.monotonic() + DEADLINE_S
    while True:
        if port.fileno() >= 0:
            select.select([port.fileno()], [], [], DEADLINE_S)
        try:
            data, _ = port.recvfrom(72)
        except BlockingIOError:  # what was there is an echo of its own
            assert time.monotonic() < end
            continue
        frame = unpacked(data)
        assert isinstance(frame, Frame)
        return frame


def test_frames_arrive_at_the_other_end_as_they_were_with_a_time_stamp(pair: Pair) -> None:
    one, other = pair
    for frame in (FRAME, LONG):
        assert one.sendto(packed(frame), ("bus", 0)) == len(packed(frame))
        assert received(other) == frame
        assert other.stamp_s > 1.6e9, "seconds since 1970, of the kernel where it gives them"


def test_a_sender_does_not_receive_its_own_frames_but_the_same_one_of_somebody_else(
    pair: Pair,
) -> None:
    one, other = pair
    one.sendto(packed(FRAME), ("bus", 0))
    assert received(other) == FRAME
    other.sendto(packed(FRAME), ("bus", 0))
    other.sendto(packed(LONG), ("bus", 0))
    assert [received(one), received(one)] == [FRAME, LONG]
    with pytest.raises(BlockingIOError):
        one.recvfrom(72)


def test_an_empty_bus_does_not_block(pair: Pair) -> None:
    with pytest.raises(BlockingIOError):
        pair[0].recvfrom(72)


def test_two_buses_of_one_port_do_not_hear_each_other(port: int) -> None:
    main, body, other = (
        open_transport("udp_multicast", name, port, fd=False) for name in ("main", "body", "main")
    )
    try:
        body.sendto(packed(FRAME._replace(can_id=1)), ("body", 0))
        main.sendto(packed(FRAME), ("main", 0))
        assert received(other) == FRAME
        with pytest.raises(BlockingIOError):
            other.recvfrom(72)
    finally:
        for each in (main, body, other):
            each.close()


def test_a_packet_that_is_no_frame_is_counted_and_the_next_frame_is_received(port: int) -> None:
    bus = open_transport("udp_multicast", "main", port, fd=True)
    peer = open_transport("udp_multicast", "main", port, fd=True)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            loopback = socket.inet_aton("127.0.0.1")
            stranger.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, loopback)
            stranger.sendto(b"\xc1garbage", (group_of("main"), port))
        select.select([bus.fileno()], [], [], DEADLINE_S)
        data, _ = bus.recvfrom(72)
        assert isinstance(unpacked(data), str)
        assert bus.garbled_n == 1
        peer.sendto(packed(FRAME), ("main", 0))
        assert received(bus) == FRAME
    finally:
        bus.close()
        peer.close()


def test_nothing_leaves_this_machine(port: int) -> None:
    bus = open_transport("udp_multicast", "main", port, fd=False)
    try:
        with socket.socket(fileno=os.dup(bus.fileno())) as sock:
            assert sock.getsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL) == 0
            interface = sock.getsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, 4)
            assert interface == socket.inet_aton("127.0.0.1")
    finally:
        bus.close()


def test_a_can_controller_that_is_not_there_is_one_line() -> None:
    with pytest.raises(OSError, match="socketcan no_such_bus: ") as refused:
        open_transport("socketcan", "no_such_bus", 1, fd=False)
    assert "\n" not in str(refused.value)


def test_a_closed_bus_fails_with_an_error_of_the_system(pair: Pair) -> None:
    pair[0].close()
    with pytest.raises(OSError, match=r"[a-z]"):
        pair[0].sendto(packed(FRAME), ("bus", 0))


def test_a_channel_is_a_group_or_gets_one_by_its_name() -> None:
    assert group_of("239.1.2.3") == "239.1.2.3"
    assert group_of("main") == group_of("main") != group_of("body")
    assert group_of("10.0.0.1").startswith("239.255.")


def test_each_own_frame_is_taken_off_once_and_old_ones_are_forgotten() -> None:
    echoes = Echoes()
    echoes.on_sent(b"a")
    assert [echoes.is_ours(b"a"), echoes.is_ours(b"a")] == [True, False]
    echoes.on_sent(b"a")
    for number in range(KEPT):
        echoes.on_sent(b"%d" % number)
    assert not echoes.is_ours(b"a"), "the oldest one never came back"
    assert echoes.is_ours(b"5")
