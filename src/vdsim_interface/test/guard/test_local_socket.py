"""A connection whose peer ends: what it sent before is received, whatever was on its way to it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vdsim_interface.guard import local_socket
from vdsim_interface.guard.local_socket import Connection, Listener

ENDING = b"the last frame"


@pytest.fixture
def pair() -> Iterator[tuple[Connection, socket.socket]]:
    ours, peer = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, peer:
        yield Connection(ours), peer


def test_the_last_frame_of_a_peer_that_has_ended_is_received(
    pair: tuple[Connection, socket.socket],
) -> None:
    connection, peer = pair
    peer.send(ENDING)
    peer.close()
    assert connection.receive() == ENDING
    assert connection.is_open
    assert connection.receive() is None
    assert not connection.is_open


def test_it_is_received_when_the_peer_had_not_read_ours(
    pair: tuple[Connection, socket.socket],
) -> None:
    """The kernel reports a reset before it gives what was sent."""
    connection, peer = pair
    connection.send(b"never read")
    peer.send(ENDING)
    peer.close()
    assert connection.receive() == ENDING
    assert connection.receive() is None
    assert not connection.is_open


@pytest.mark.parametrize("unread", [False, True])
def test_it_is_received_when_a_frame_of_ours_finds_the_peer_gone(
    pair: tuple[Connection, socket.socket], unread: bool
) -> None:
    connection, peer = pair
    if unread:
        connection.send(b"never read")
    peer.send(b"one before")
    peer.send(ENDING)
    peer.close()
    connection.send(b"too late")
    connection.send(b"later still")
    assert [connection.receive() for _ in range(3)] == [b"one before", ENDING, None]
    assert not connection.is_open


def test_a_peer_that_does_not_read_loses_frames_and_stays(
    pair: tuple[Connection, socket.socket],
) -> None:
    connection, peer = pair
    for _ in range(2000):
        connection.send(bytes(4096))
    assert connection.dropped_n > 0
    assert connection.is_open
    peer.send(ENDING)
    assert connection.receive() == ENDING


def test_nobody_else_may_connect_from_the_first_moment_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run" / "guard.sock"
    modes = []

    class Watched(socket.socket):
        def bind(self, address: Any) -> None:
            super().bind(address)
            modes.append(path.stat().st_mode & 0o777)

    monkeypatch.setattr(local_socket.socket, "socket", Watched)
    before = os.umask(0)
    try:
        Listener(path).close()
    finally:
        os.umask(before)
    assert modes == [0o600]
