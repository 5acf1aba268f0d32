"""When strangers' datagrams flood a socket, and which senders it still hears. Pure.

    strangers' datagrams         a peer is heard    the kernel passes those of
    up to MANY in WINDOW_S       either             everybody
    more                         no                 everybody: one of them may become the peer
    more                         yes                the peers, until one of them is silent for half
                                                    of what lets others follow, or hardly anything
                                                    was discarded for CALM_S

What is discarded could not have been accepted: the receiver says who the peers are, and names
nobody while another sender may take over. Only its counters miss what the kernel discards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeAlias

Source: TypeAlias = tuple[str, int]
Peers: TypeAlias = Callable[[float], frozenset[Source]]
"""Returns the only addresses that a receiver may accept at a time [s]; empty: others, too."""

WINDOW_S, MANY = 0.1, 200
"""In a window so many datagrams of anybody arrive before the strangers' are counted at all."""
CALM_S = 1.0
EVERYBODY: frozenset[Source] = frozenset()


@dataclass
class FloodWatch:
    """One socket. `heard`: whose datagrams the kernel passes; empty: everybody's."""

    peers: Peers
    heard: frozenset[Source] = EVERYBODY
    _begun_s: float = 0.0
    _arrived_n: int = 0
    _strangers_n: int = 0
    _discarded_n: int = 0

    def on_arrivals(
        self, sources: Collection[Source], discarded: Callable[[], int], now: float
    ) -> None:
        """After a look at the socket: who sent what it held; `discarded()`: by the kernel, ever."""
        if self.heard:
            self._look_for_the_end(discarded, now)
            return
        if not 0.0 <= now - self._begun_s < WINDOW_S:
            self._begun_s, self._arrived_n, self._strangers_n = now, 0, 0
        self._arrived_n += len(sources)
        if self._arrived_n <= MANY:
            return
        peers = self.peers(now)
        self._strangers_n += sum(source not in peers for source in sources)
        if peers and self._strangers_n > MANY:
            self.heard, self._begun_s, self._discarded_n = peers, now, discarded()

    def _look_for_the_end(self, discarded: Callable[[], int], now: float) -> None:
        self.heard = self.peers(now)
        if 0.0 <= now - self._begun_s < CALM_S:
            return
        before, self._begun_s, self._discarded_n = self._discarded_n, now, discarded()
        if self._discarded_n - before <= MANY * CALM_S / WINDOW_S:
            self.heard = EVERYBODY
            self._arrived_n = self._strangers_n = 0
