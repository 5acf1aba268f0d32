"""The round trip, measured: a probe goes to the plant and comes back.

VDS1 itself has no echo: no field of STATE says which CMD it answers, and the contract's tables stay
as they are. So a probe is a datagram of its own, sent by request only (`vds1.measure_round_trip`),
to a peer that is known to be ours; a peer that is not discards it as a packet of an unknown length.
It passes the same sockets, relays and ticks as CMD and STATE do: what it measures is the network
both ways and the wait for the plant's tick.

    magic "VDSP", kind (1 probe, 2 answer), number, the sender's monotonic clock [s],
    the round trip that the sender measured last [s] (NaN: none yet), CRC-32

The answer is the probe with the other kind. Reading never raises.
"""

from __future__ import annotations

import math
import struct
from typing import NamedTuple
from zlib import crc32

_MAGIC = 0x56445350
_CONTENT = struct.Struct("<IIIIdd")
_CRC = struct.Struct("<I")
PROBE_SIZE = _CONTENT.size + _CRC.size
PROBE, ANSWER = 1, 2
PERIOD_S = 0.1
FORGOTTEN_AFTER_S = 2.0
"""An answer that takes longer is none, and a round trip that is older than this is not known."""
_NUMBERS = 1 << 32


class Probe(NamedTuple):
    """A probe or an answer."""

    kind: int
    number: int
    sent_s: float
    round_trip_s: float


def encode_probe(probe: Probe) -> bytes:
    """The datagram."""
    kind, number, sent_s, round_trip_s = probe
    content = _CONTENT.pack(_MAGIC, kind, number, 0, sent_s, round_trip_s)
    return content + _CRC.pack(crc32(content))


def read_probe(datagram: bytes) -> Probe | None:
    """The probe or answer of a datagram; None for any other bytes."""
    if len(datagram) != PROBE_SIZE:
        return None
    magic, kind, number, _, sent_s, round_trip_s = _CONTENT.unpack_from(datagram)
    if magic != _MAGIC or kind not in (PROBE, ANSWER):
        return None
    if _CRC.unpack_from(datagram, _CONTENT.size)[0] != crc32(datagram[: _CONTENT.size]):
        return None
    return Probe(kind, number, sent_s, round_trip_s)


def answer_to(probe: Probe) -> bytes:
    """The datagram that answers a probe."""
    return encode_probe(probe._replace(kind=ANSWER))


class Prober:
    """Makes probes and measures with their answers. Time is an argument."""

    def __init__(self) -> None:
        self._next_number = 0
        self._due_s = -math.inf
        self._open: dict[int, float] = {}
        self._measured_s = math.nan
        self._at_s = -math.inf
        self.answers = 0

    def probe(self, now: float) -> bytes | None:
        """The next probe when it is due; else None."""
        if now < self._due_s <= now + PERIOD_S:
            return None
        self._due_s = now + PERIOD_S
        self._open = {
            number: sent_s
            for number, sent_s in self._open.items()
            if 0.0 <= now - sent_s <= FORGOTTEN_AFTER_S
        }
        number = self._next_number
        self._next_number = (number + 1) % _NUMBERS
        self._open[number] = now
        return encode_probe(Probe(PROBE, number, now, self.round_trip_s(now)))

    def on_answer(self, answer: Probe, now: float) -> None:
        """Use an answer: only one to a probe of ours that is open, once, by our own clock."""
        sent_s = self._open.pop(answer.number, math.inf) if answer.kind == ANSWER else math.inf
        if 0.0 <= now - sent_s <= FORGOTTEN_AFTER_S:
            self._measured_s, self._at_s = now - sent_s, now
            self.answers += 1

    def round_trip_s(self, now: float) -> float:
        """The latest measured round trip [s]; NaN when there is none, or it is too old."""
        return self._measured_s if 0.0 <= now - self._at_s <= FORGOTTEN_AFTER_S else math.nan
