"""A flood of strangers' datagrams: kept out while a peer is heard, and never anybody else."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from dataclasses import replace

import pytest
from vdsim_protocol.flood.wall import FloodWall
from vdsim_protocol.flood.watch import CALM_S, EVERYBODY, MANY, WINDOW_S, FloodWatch, Source
from vdsim_protocol_kit.vds1 import COMMAND

from vdsim_protocol import vds1

PEER, STRANGER, NAMED = ("127.0.0.1", 40001), ("127.0.0.1", 40002), ("127.0.0.1", 40003)
LOOPBACK = ("127.0.0.1", 0)
MANY_MORE = [STRANGER] * (2 * MANY)


class Dropped:
    """What a kernel has discarded."""

    def __init__(self) -> None:
        self.n = 0

    def __call__(self) -> int:
        return self.n


def test_only_the_peers_are_heard_while_a_flood_lasts() -> None:
    dropped, watch = Dropped(), FloodWatch(lambda now: frozenset({PEER}))
    watch.on_arrivals([*MANY_MORE, PEER], dropped, 0.0)
    assert watch.heard == {PEER}
    for second in range(1, 4):
        dropped.n += 50_000
        watch.on_arrivals([PEER], dropped, second * CALM_S)
        assert watch.heard == {PEER}
    watch.on_arrivals([PEER], dropped, 3.9 * CALM_S)
    assert watch.heard == {PEER}, "not judged before the time is over"
    watch.on_arrivals([PEER], dropped, 4.1 * CALM_S)
    assert watch.heard == EVERYBODY


def test_nobody_is_shut_out_who_could_become_the_peer() -> None:
    watch = FloodWatch(lambda now: EVERYBODY)
    for step in range(100):
        watch.on_arrivals(MANY_MORE, Dropped(), 0.01 * step)
        assert watch.heard == EVERYBODY


def test_a_peer_that_falls_silent_opens_the_socket_at_once() -> None:
    watch = FloodWatch(lambda now: frozenset({PEER}) if now < 0.1 else EVERYBODY)
    watch.on_arrivals(MANY_MORE, Dropped(), 0.0)
    watch.on_arrivals([], Dropped(), 0.099)
    assert watch.heard == {PEER}
    watch.on_arrivals([], Dropped(), 0.1)
    assert watch.heard == EVERYBODY


@pytest.mark.parametrize("sources", [[PEER] * 20 * MANY, [STRANGER] * MANY])
def test_much_of_the_peer_and_little_of_strangers_is_no_flood(sources: list[Source]) -> None:
    watch = FloodWatch(lambda now: frozenset({PEER}))
    for window in range(50):
        watch.on_arrivals(sources, Dropped(), window * WINDOW_S)
    assert watch.heard == EVERYBODY


def arrivals(seed: int) -> Iterator[tuple[float, bytes, Source]]:
    """Of two that drive in turn, fall silent and begin again, in a flood of copies of theirs."""
    chance = random.Random(seed)
    senders = {source: vds1.Sender(3) for source in (PEER, STRANGER, NAMED)}
    drives, now, silent_until = PEER, 0.0, 0.0
    for _ in range(1000):
        now += 0.01
        if chance.random() < 0.02:
            drives = chance.choice([PEER, STRANGER, NAMED])
            silent_until = now + chance.choice([0.0, 0.05, 0.15, 0.3, 2.5])
            senders[drives] = vds1.Sender(3)
        data = senders[drives].command(replace(COMMAND), now)
        if now >= silent_until:
            yield now, data, drives
        for _ in range(chance.choice([0, 40, 80])):
            yield now, data, chance.choice([("127.0.0.1", 50000 + chance.randrange(8)), STRANGER])


@pytest.mark.parametrize("named", [(), (NAMED,), (PEER, NAMED)])
@pytest.mark.parametrize("release_s", [0.1, 2.0])
def test_the_same_packets_are_accepted_with_the_wall_as_without(
    release_s: float, named: tuple[Source, ...]
) -> None:
    """Brute force: a kernel that discards as the watch says, beside a receiver of everything."""

    def receiver() -> vds1.Receiver[vds1.Command]:
        return vds1.Receiver(
            vds1.Command, allowed_sources=("127.0.0.1", *named), release_s=release_s
        )

    open_to_all, walled = receiver(), receiver()
    watch, dropped = FloodWatch(walled.peers), Dropped()
    tick: list[Source] = []
    tick_s, accepted_n, kept_out = 0.0, 0, 0
    for now, data, source in arrivals(len(named)):
        if now != tick_s:
            # The wall is as old as the last look at the socket, every 2 ms; silence comes between.
            for look in range(5):
                watch.on_arrivals(tick, dropped, tick_s + 0.002 * look)
                tick = []
            tick_s = now
        expected = isinstance(open_to_all.receive(data, source, now), vds1.Accepted)
        if watch.heard and source not in watch.heard:
            dropped.n += 1
            kept_out += 1
            assert not expected, (now, source, watch.heard)
            continue
        tick.append(source)
        found = isinstance(walled.receive(data, source, now), vds1.Accepted)
        assert found == expected
        accepted_n += found
    assert accepted_n > 300
    assert kept_out > 3_000


def bound() -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind(LOOPBACK)
    made.setblocking(False)
    return made


def waiting(receiver: socket.socket) -> list[tuple[bytes, Source]]:
    found = []
    while True:
        try:
            found.append(receiver.recvfrom(100))
        except BlockingIOError:
            return found


def test_the_kernel_keeps_the_strangers_out_and_the_peer_gets_through() -> None:
    with bound() as receiver, bound() as peer, bound() as stranger:
        to, heard = receiver.getsockname(), frozenset({peer.getsockname()})
        wall = FloodWall(receiver, lambda now: heard if now < 5.0 else EVERYBODY)
        assert wall.update(MANY_MORE, 0.0).endswith("is silent, no other is read")
        assert wall.is_up
        for number in range(1000):
            for _ in range(5):
                stranger.sendto(b"flood", to)
            if number % 100 == 0:
                peer.sendto(b"peer", to)
        assert waiting(receiver) == [(b"peer", peer.getsockname())] * 10
        assert wall.discarded() == 5000
        assert wall.update([], 5.0) == "every sender's datagrams are read again"
        stranger.sendto(b"new", to)
        assert waiting(receiver) == [(b"new", stranger.getsockname())]


def test_another_host_on_the_peers_port_is_a_stranger() -> None:
    with bound() as receiver, bound() as peer:
        heard = frozenset({("127.0.0.2", peer.getsockname()[1])})
        wall = FloodWall(receiver, lambda now: heard)
        wall.update(MANY_MORE, 0.0)
        peer.sendto(b"other host", receiver.getsockname())
        assert waiting(receiver) == []


@pytest.mark.parametrize(
    "heard",
    [{("no address", 1)}, {("127.0.0.1", port) for port in range(1, 100)}],
    ids=["a name", "too many"],
)
def test_where_the_kernel_takes_no_filter_everything_is_read(heard: set[Source]) -> None:
    with bound() as receiver, bound() as stranger:
        wall = FloodWall(receiver, lambda now: frozenset(heard))
        assert wall.update(MANY_MORE, 0.0) == ""
        assert not wall.is_up
        stranger.sendto(b"read", receiver.getsockname())
        assert waiting(receiver) == [(b"read", stranger.getsockname())]
