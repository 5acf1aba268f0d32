"""Keeps a flood of strangers' datagrams from a UDP socket: the kernel discards them unread.

A process that reads 50 000 datagrams a second to reject them has no time for its peer's. While a
flood lasts (watch.py), a filter passes those of the peers alone; the process is not even
woken by the others. Where the system takes no filter, everything is read as before.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Collection

from vdsim_protocol.flood.watch import EVERYBODY, FloodWatch, Peers, Source
from vdsim_protocol.host_filter import discard_nothing, discard_of_others

_MEMORY, _DROPS, _FIGURES = 55, 8, 9
"""SO_MEMINFO: nine figures of a socket, of which one is what it has dropped (linux/sock_diag.h)."""


class FloodWall:
    """Of one bound socket, which stays its owner's."""

    def __init__(self, opened: socket.socket, peers: Peers) -> None:
        self._socket = opened
        self._watch = FloodWatch(peers)
        self._passes = EVERYBODY

    @property
    def is_up(self) -> bool:
        """Whether others than the peers are discarded."""
        return bool(self._passes)

    def update(self, sources: Collection[Source], now: float) -> str:
        """After each look at the socket, empty or not; a line for people at begin and end."""
        self._watch.on_arrivals(sources, self.discarded, now)
        heard = self._watch.heard
        if heard == self._passes:
            return ""
        was_up = self.is_up
        try:
            if heard:
                discard_of_others(self._socket, heard)
            else:
                discard_nothing(self._socket)
        except OSError:
            self._watch.heard = heard = EVERYBODY
        self._passes = heard
        if self.is_up is was_up:
            return ""
        if not heard:
            return "every sender's datagrams are read again"
        names = ", ".join(f"{host}:{port}" for host, port in sorted(heard))
        return f"a flood of datagrams: until it ends, or {names} is silent, no other is read"

    def discarded(self) -> int:
        """What the kernel has dropped, by the filter or because the socket was full."""
        with contextlib.suppress(OSError):
            found = self._socket.getsockopt(socket.SOL_SOCKET, _MEMORY, 4 * _FIGURES)
            if len(found) == 4 * _FIGURES:
                return int(struct.unpack(f"{_FIGURES}I", found)[_DROPS])
        return 0
