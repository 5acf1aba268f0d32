"""A faulty link on virtual time: datagrams in, datagrams out, later, damaged, twice or never.

The same seed and the same packets give the same faults. Every fault draws from its own random
stream, so enabling one does not change the pattern of the others.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import asdict, dataclass

from vdsim_protocol.faults.parameters import PERFECT_LINK, LinkFaults
from vdsim_protocol.faults.stamp import shift_timestamp, timestamp_of

PPM = 1e-6


@dataclass
class FaultCounters:
    """What happened to the packets of one direction."""

    offered: int = 0
    lost: int = 0
    lost_in_burst: int = 0
    lost_in_blackout: int = 0
    duplicated: int = 0
    reordered: int = 0
    bit_flipped: int = 0
    truncated: int = 0
    delivered: int = 0


class LinkSimulator:
    """One direction of a link: `send` accepts a datagram, `due` returns those that have arrived."""

    def __init__(
        self, faults: LinkFaults = PERFECT_LINK, seed: int | str = 0, now: float = 0.0
    ) -> None:
        self._seed = seed
        self._counters = FaultCounters()
        self._in_flight: list[tuple[float, int, bytes]] = []
        self._order = 0
        self._last_arrival_s = -float("inf")
        self._is_bad = False
        self._first_stamp_s: float | None = None
        self._streams: dict[str, random.Random] = {}
        self.faults = faults
        self._set_at_s = now

    def set_faults(self, faults: LinkFaults, now: float) -> None:
        """Change the faults at `now` [s]; what is in flight stays in flight."""
        self.faults = faults
        self._set_at_s = now
        self._is_bad = False
        self._first_stamp_s = None

    def send(self, datagram: bytes, now: float) -> None:
        """A datagram enters the link at `now` [s]."""
        self._counters.offered += 1
        if self._is_lost(now):
            return
        datagram = self._skewed(datagram)
        copies = 1 + self._happens("duplicate", self.faults.duplicate)
        self._counters.duplicated += copies - 1
        for _ in range(copies):
            self._launch(self._damaged(datagram), now)

    def due(self, now: float) -> list[bytes]:
        """The datagrams that have arrived by `now` [s], in order of arrival."""
        arrived = []
        while self._in_flight and self._in_flight[0][0] <= now:
            arrived.append(heapq.heappop(self._in_flight)[2])
        self._counters.delivered += len(arrived)
        return arrived

    def next_deadline(self) -> float | None:
        """When the next datagram arrives [s]; None when nothing is in flight."""
        return self._in_flight[0][0] if self._in_flight else None

    def counters(self) -> dict[str, int]:
        """The counters so far."""
        return asdict(self._counters)

    def _stream(self, name: str) -> random.Random:
        if name not in self._streams:
            self._streams[name] = random.Random(f"{self._seed}/{name}")
        return self._streams[name]

    def _happens(self, name: str, probability: float) -> bool:
        """Draw once for any probability, so that the pattern depends on the seed alone."""
        return self._stream(name).random() < probability

    def _is_lost(self, now: float) -> bool:
        elapsed_s = now - self._set_at_s
        in_burst = self._is_lost_in_burst()
        if any(blackout.covers(elapsed_s) for blackout in self.faults.blackouts):
            self._counters.lost_in_blackout += 1
            return True
        if in_burst:
            self._counters.lost_in_burst += 1
            return True
        lost = self._happens("loss", self.faults.loss)
        self._counters.lost += lost
        return lost

    def _is_lost_in_burst(self) -> bool:
        burst = self.faults.burst
        if burst is None:
            return False
        change = burst.leave if self._is_bad else burst.enter
        if self._happens("burst", change):
            self._is_bad = not self._is_bad
        return self._happens("burst", burst.loss_in_bad if self._is_bad else burst.loss_in_good)

    def _damaged(self, datagram: bytes) -> bytes:
        if self._happens("bit_flip", self.faults.bit_flip) and datagram:
            self._counters.bit_flipped += 1
            bit = self._stream("which_bit").randrange(8 * len(datagram))
            damaged = bytearray(datagram)
            damaged[bit // 8] ^= 1 << bit % 8
            datagram = bytes(damaged)
        if self._happens("truncate", self.faults.truncate) and datagram:
            self._counters.truncated += 1
            datagram = datagram[: self._stream("length").randrange(len(datagram))]
        return datagram

    def _launch(self, datagram: bytes, now: float) -> None:
        arrival_s = now + self.faults.delay_s
        arrival_s += self.faults.jitter_s * self._stream("jitter").random()
        if self._happens("reorder", self.faults.reorder):
            self._counters.reordered += 1
            arrival_s += self.faults.reorder_delay_s
        else:
            arrival_s = max(arrival_s, self._last_arrival_s)
            self._last_arrival_s = arrival_s
        self._order += 1
        heapq.heappush(self._in_flight, (arrival_s, self._order, datagram))

    def _skewed(self, datagram: bytes) -> bytes:
        """The datagram with the stamp of a faster or slower clock."""
        stamp_s = timestamp_of(datagram) if self.faults.clock_skew_ppm else None
        if stamp_s is None:
            return datagram
        if self._first_stamp_s is None:
            self._first_stamp_s = stamp_s
        gained_s = (stamp_s - self._first_stamp_s) * self.faults.clock_skew_ppm * PPM
        return shift_timestamp(datagram, gained_s)
