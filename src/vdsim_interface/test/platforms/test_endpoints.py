"""The sockets of a platform: names, refusals of the system, and what is left when opening fails."""

import socket
from collections.abc import Iterator

import pytest
from vdsim_interface.platforms.endpoints import EndpointError, Endpoints
from vdsim_interface.platforms.spec import Address, Datagram, Endpoint

LOOPBACK: Address = ("127.0.0.1", 0)
TOO_LONG_FOR_UDP = bytes(70_000)


@pytest.fixture
def peer() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.bind(LOOPBACK)
        made.settimeout(60.0)
        yield made


def opened(to: Address) -> Endpoints:
    return Endpoints((Endpoint("car", LOOPBACK, (to,)),))


def test_a_name_is_looked_up_when_the_sockets_are_opened_and_not_again(
    peer: socket.socket,
) -> None:
    port = peer.getsockname()[1]
    sockets = Endpoints((Endpoint("car", ("localhost", 0), (("localhost", port),)),))
    assert sockets.send((Datagram("car", b"one"), Datagram("car", b"two"))) == 0
    assert [peer.recv(100), peer.recv(100)] == [b"one", b"two"]
    assert sockets.bound()["car"][0] == "127.0.0.1"
    assert sockets._destinations["car"] == (("127.0.0.1", port),), "given to the system as it is"
    sockets.close()


@pytest.mark.parametrize("host", ["", "no.such.host.invalid", "a" * 64, "two..dots", "::1"])
@pytest.mark.parametrize("which", ["listen", "send_to"])
def test_a_name_that_stands_for_no_address_is_refused_in_one_line(host: str, which: str) -> None:
    address = (host, 7001)
    endpoint = (
        Endpoint("car", address) if which == "listen" else Endpoint("car", LOOPBACK, (address,))
    )
    with pytest.raises(EndpointError) as refused:
        Endpoints((endpoint,))
    assert str(refused.value) == (
        f"car: host {host!r} cannot be resolved: must be an IPv4 address or a name that has one"
    )


def test_nothing_stays_open_when_one_of_several_cannot_be_opened(peer: socket.socket) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(LOOPBACK)
        free: Address = probe.getsockname()
    taken: Address = peer.getsockname()
    for second in (Endpoint("second", taken), Endpoint("second", None, (("", 1),))):
        with pytest.raises(EndpointError, match="second"):
            Endpoints((Endpoint("first", free), second))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as again:
            again.bind(free)


def test_what_the_system_refuses_to_send_is_counted_and_told(peer: socket.socket) -> None:
    host, port = peer.getsockname()
    sockets = opened((host, port))
    assert sockets.send((Datagram("car", TOO_LONG_FOR_UDP), Datagram("car", b"fits"))) == 1
    assert peer.recv(100) == b"fits"
    [report] = sockets.take_notices()
    assert report.kind == "link_error"
    assert report.text == f"car: sending to {host}:{port} failed: Message too long"
    assert sockets.take_notices() == ()
    assert sockets.counts() == {"send_failed": 1.0, "receive_failed": 0.0, "discarded": 0.0}
    sockets.close()


def test_an_address_that_may_not_be_sent_to_is_told_not_raised() -> None:
    sockets = opened(("255.255.255.255", 9))
    for _ in range(3):
        assert sockets.send((Datagram("car", b"?"),)) == 1
    [report] = sockets.take_notices()
    assert report.text.startswith("car: sending to 255.255.255.255:9 failed: ")
    assert sockets.counts()["send_failed"] == 3.0
    sockets.close()


def test_what_the_system_refuses_to_receive_is_counted_and_told(peer: socket.socket) -> None:
    """One socket is broken; the others are still heard."""
    sockets = Endpoints((Endpoint("broken", LOOPBACK), Endpoint("well", LOOPBACK)))
    peer.sendto(b"hello", sockets.bound()["well"])
    sockets._sockets["broken"].detach()
    assert [(data, name) for data, _, name in sockets.drain(0.0)] == [(b"hello", "well")]
    [report] = sockets.take_notices()
    assert report.kind == "link_error"
    assert report.text == "broken: receiving failed: Bad file descriptor"
    assert sockets.counts() == {"send_failed": 0.0, "receive_failed": 1.0, "discarded": 0.0}
    sockets.close()


def test_a_flood_of_others_is_discarded_unread_until_the_peer_is_silent(
    peer: socket.socket,
) -> None:
    heard = frozenset({peer.getsockname()})
    endpoint = Endpoint("car", LOOPBACK, peers=lambda now: heard if now < 1.0 else frozenset())
    sockets = Endpoints((endpoint,))
    to = sockets.bound()["car"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.bind(LOOPBACK)

        def arrives(now: float) -> list[tuple[bytes, Address]]:
            for _ in range(450):
                stranger.sendto(b"flood", to)
            peer.sendto(b"peer", to)
            return [(data, source) for data, source, _ in sockets.drain(now)]

        first = arrives(0.0)
        assert len(first) == 256, "the rest waits for the next tick"
        assert len(list(sockets.drain(0.01))) == 195
        assert sockets.is_walled
        assert arrives(0.02) == [(b"peer", peer.getsockname())]
        assert sockets.counts()["discarded"] == 450.0
        assert [*sockets.drain(1.0)] == []
        assert not sockets.is_walled
        assert len(arrives(1.01)) == 256
        texts = [notice.text for notice in sockets.take_notices()]
    host, port = peer.getsockname()
    assert texts == [
        f"car: a flood of datagrams: until it ends, or {host}:{port} is silent, no other is read",
        "car: every sender's datagrams are read again",
    ]
    sockets.close()


class Bus:
    """A transport of a platform's own, which has no file descriptor."""

    def __init__(self) -> None:
        self.arrived = [b"one", b"two"]
        self.sent: list[tuple[bytes, Address]] = []
        self.is_off = self.is_closed = False

    def recvfrom(self, size: int, /) -> tuple[bytes, Address]:
        if not self.arrived:
            raise BlockingIOError
        return self.arrived.pop(0), ("can0", 0)

    def sendto(self, data: bytes, address: Address, /) -> int:
        if self.is_off:
            raise OSError(100, "Network is down")
        self.sent.append((data, address))
        return len(data)

    def fileno(self) -> int:
        return -1

    def close(self) -> None:
        self.is_closed = True


def test_a_platform_brings_its_own_transport_beside_sockets() -> None:
    bus = Bus()
    endpoint = Endpoint("chassis", None, (("can0", 0),), opens=lambda: bus)
    opened_both = Endpoints((endpoint, Endpoint("car", LOOPBACK)))
    arrived = [(b"one", ("can0", 0), "chassis"), (b"two", ("can0", 0), "chassis")]
    assert list(opened_both.drain(0.0)) == arrived
    assert opened_both.send((Datagram("chassis", b"frame"),)) == 0
    assert bus.sent == [(b"frame", ("can0", 0))]
    assert list(opened_both.bound()) == ["car"]
    assert len(opened_both.filenos()) == 1, "what has no descriptor cannot be waited for"
    bus.is_off = True
    assert opened_both.send((Datagram("chassis", b"frame"),)) == 1
    [report] = opened_both.take_notices()
    assert report.text == "chassis: sending to can0:0 failed: Network is down"
    opened_both.close()
    assert bus.is_closed


def test_a_transport_that_cannot_be_opened_leaves_nothing_open() -> None:
    def missing() -> Bus:
        raise OSError(19, "can0: No such device")

    bus = Bus()
    good = Endpoint("body", None, (("can1", 0),), opens=lambda: bus)
    with pytest.raises(EndpointError, match=r"^chassis: can0: No such device$"):
        Endpoints((good, Endpoint("chassis", None, (("can0", 0),), opens=missing)))
    assert bus.is_closed
