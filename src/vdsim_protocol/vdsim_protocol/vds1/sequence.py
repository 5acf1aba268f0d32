"""Sequence numbers of one stream: what is new, late, seen before, or a new session.

A number is uint32 and wraps (serial-number arithmetic, RFC 1982). The last 64 numbers are
remembered one by one, so a packet that was merely overtaken is told from a copy.

A sender starts a session at 0. A packet opens a new session when it is the first, when its number
is 0, or when nothing was taken for `silence_s`; so a restarted sender is heard at once. Two cases
look like that and are not: a late or copied 0 of the present session (its time stamp lies within
the session), and a copy of the very last packet after a silence.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

MODULUS = 1 << 32
HALF = 1 << 31
WINDOW = 64
_WINDOW_MASK = (1 << WINDOW) - 1


class Order(enum.Enum):
    """Where a packet stands in its stream."""

    NEW_SESSION = "new session"
    NEXT = "next"
    DUPLICATE = "duplicate"
    REORDERED = "reordered"
    STALE = "stale"


@dataclass(frozen=True)
class Place:
    """The verdict on one packet."""

    order: Order
    skipped: int = 0
    """Numbers between the last packet taken and this one."""

    @property
    def is_fresh(self) -> bool:
        """Whether the packet may be taken."""
        return self.order in (Order.NEW_SESSION, Order.NEXT)


@dataclass
class _Session:
    """What is remembered of the session that runs."""

    first_stamp_s: float
    last_seq: int
    last_stamp_s: float
    last_time_s: float
    seen: int = 1
    """Bit i is set when number last - i was taken, or came late."""
    reach: int = 0
    """How far back the session (at most the window) reaches from the last number."""


class SequenceTracker:
    """The sequence state of one stream."""

    def __init__(self, silence_s: float) -> None:
        self._silence_s = silence_s
        self._session: _Session | None = None

    @property
    def last_seq(self) -> int | None:
        """The number of the last packet taken."""
        return None if self._session is None else self._session.last_seq

    def place(self, seq: int, timestamp_s: float, now: float) -> Place:
        """Where a packet that arrives at `now` [s] stands.

        Remembers nothing but a late number, so that the next copy of it counts as a copy.
        """
        session = self._session
        if session is None:
            return Place(Order.NEW_SESSION)
        ahead = (seq - session.last_seq) % MODULUS
        if 0 < ahead < HALF and (seq != 0 or ahead <= WINDOW):
            return Place(Order.NEXT, skipped=ahead - 1)
        if ahead == 0 and timestamp_s == session.last_stamp_s:
            return Place(Order.DUPLICATE)
        if seq == 0 and not self._is_stamp_of(session, timestamp_s):
            return Place(Order.NEW_SESSION)
        if now >= session.last_time_s + self._silence_s:
            return Place(Order.NEW_SESSION)
        behind = -ahead % MODULUS
        if behind > session.reach:
            return Place(Order.STALE)
        if session.seen >> behind & 1:
            return Place(Order.DUPLICATE)
        session.seen |= 1 << behind
        return Place(Order.REORDERED)

    def take(self, place: Place, seq: int, timestamp_s: float, now: float) -> None:
        """Record a packet that was taken."""
        session = self._session
        if session is None or place.order is Order.NEW_SESSION:
            self._session = _Session(timestamp_s, seq, timestamp_s, now)
            return
        shift = min(place.skipped + 1, WINDOW)
        session.seen = (session.seen << shift | 1) & _WINDOW_MASK
        session.reach = min(session.reach + shift, WINDOW - 1)
        session.last_seq = seq
        session.last_stamp_s = timestamp_s
        session.last_time_s = now

    def _is_stamp_of(self, session: _Session, timestamp_s: float) -> bool:
        """Whether a packet with this stamp may have been sent within the session."""
        return session.first_stamp_s - self._silence_s <= timestamp_s <= session.last_stamp_s
