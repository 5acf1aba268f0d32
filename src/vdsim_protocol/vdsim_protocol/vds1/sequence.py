"""Sequence numbers of one stream: which packet is new, late, a copy, or the first of a session.

A number is uint32 and wraps (serial-number arithmetic, RFC 1982). The last 64 numbers are stored
one by one, which distinguishes a late packet from a copy.

A sender starts a session at 0. A packet opens a new session when it is the first, when its number
is 0, or when nothing was accepted for `silence_s`; a restarted sender is therefore accepted at
once. Two packets look the same and open none: a late or copied 0 of the current session (its time
stamp lies within the session), and a copy of the last packet after a silence.

A server may number all its packets together, whichever vehicle they are about. The numbers that
went to other vehicles are not lost then. A server that numbers each vehicle by itself gives a
number twice, which shows which of the two it is.

Within a session the number goes up by `LARGEST_JUMP` at most, so that a stray number cannot make
everything that follows look old.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field

MODULUS = 1 << 32
HALF = 1 << 31
WINDOW = 64
LARGEST_JUMP = 1000
_WINDOW_MASK = (1 << WINDOW) - 1


class Order(enum.Enum):
    """Where a packet belongs in its stream."""

    NEW_SESSION = "new session"
    NEXT = "next"
    DUPLICATE = "duplicate"
    REORDERED = "reordered"
    STALE = "stale"
    JUMP = "jump"


# Plain names: an attribute of an enumeration costs as much as a call.
_FIRST, _IN_ORDER = Order.NEW_SESSION, Order.NEXT


@dataclass(frozen=True)
class Place:
    """The position of one packet in its stream."""

    order: Order
    skipped: int = 0
    """Numbers between the last accepted packet and this one."""

    @property
    def is_fresh(self) -> bool:
        """Whether the packet may be accepted."""
        order = self.order
        return order is _IN_ORDER or order is _FIRST


FIRST_OF_A_SESSION = Place(Order.NEW_SESSION)
"""Where the packet of a new owner belongs, whatever its number."""

_NEXT = Place(Order.NEXT)


@dataclass
class _Session:
    """The current session."""

    first_stamp_s: float
    last_seq: int
    last_stamp_s: float
    last_time_s: float
    seen: int = 1
    """Bit i is set when number last - i was accepted, or arrived late."""
    reach: int = 0
    """How far back the session (at most the window) reaches from the last number."""
    others: set[int] = field(default_factory=set)
    """Numbers ahead of the last one that went to other vehicles."""
    is_shared: bool = True
    """Whether the numbers may be common to several vehicles."""


class SequenceTracker:
    """The sequence state of one stream."""

    def __init__(self, silence_s: float) -> None:
        self._silence_s = silence_s
        self._session: _Session | None = None

    @property
    def last_seq(self) -> int | None:
        """The number of the last accepted packet."""
        return None if self._session is None else self._session.last_seq

    def silent_s(self, now: float) -> float:
        """Time since the last accepted packet at `now` [s]; infinite before the first."""
        return math.inf if self._session is None else now - self._session.last_time_s

    def place(self, seq: int, timestamp_s: float, now: float) -> Place:
        """Classify a packet that arrives at `now` [s].

        Stores nothing but a late number, so that its next copy counts as a duplicate.
        """
        session = self._session
        if session is None:
            return FIRST_OF_A_SESSION
        ahead = (seq - session.last_seq) % MODULUS
        if ahead == 1:
            return _NEXT
        if 0 < ahead <= LARGEST_JUMP and (seq != 0 or ahead <= WINDOW):
            return Place(Order.NEXT, skipped=ahead - 1 - self._sent_to_others(session, ahead))
        if ahead == 0 and timestamp_s == session.last_stamp_s:
            return Place(Order.DUPLICATE)
        if seq == 0 and not self._is_stamp_of(session, timestamp_s):
            return FIRST_OF_A_SESSION
        if now >= session.last_time_s + self._silence_s:
            return FIRST_OF_A_SESSION
        if seq != 0 and 0 < ahead < HALF:
            return Place(Order.JUMP)
        behind = -ahead % MODULUS
        if behind > session.reach:
            return Place(Order.STALE)
        if session.seen >> behind & 1:
            return Place(Order.DUPLICATE)
        session.seen |= 1 << behind
        return Place(Order.REORDERED)

    def accept(self, place: Place, seq: int, timestamp_s: float, now: float) -> None:
        """Record an accepted packet."""
        session = self._session
        if session is None or place.order is _FIRST:
            self._session = _Session(
                first_stamp_s=timestamp_s,
                last_seq=seq,
                last_stamp_s=timestamp_s,
                last_time_s=now,
            )
            return
        shift = min((seq - session.last_seq) % MODULUS, WINDOW)
        if session.others:
            session.others = {n for n in session.others if 0 < (n - seq) % MODULUS < HALF}
        session.seen = (session.seen << shift | 1) & _WINDOW_MASK
        session.reach = min(session.reach + shift, WINDOW - 1)
        session.last_seq = seq
        session.last_stamp_s = timestamp_s
        session.last_time_s = now

    def on_other_vehicle(self, seq: int) -> None:
        """Note a packet of the same sender that is about another vehicle."""
        session = self._session
        if session is None or not session.is_shared:
            return
        ahead = (seq - session.last_seq) % MODULUS
        behind = -ahead % MODULUS
        if behind < WINDOW and session.seen >> behind & 1:
            session.is_shared = False
            session.others.clear()
        elif 0 < ahead <= LARGEST_JUMP:
            session.others.add(seq)

    def _sent_to_others(self, session: _Session, ahead: int) -> int:
        """How many of the numbers up to `ahead` were other vehicles'."""
        return sum((seq - session.last_seq) % MODULUS < ahead for seq in session.others)

    def _is_stamp_of(self, session: _Session, timestamp_s: float) -> bool:
        """Whether a packet with this stamp may have been sent within the session."""
        return session.first_stamp_s - self._silence_s <= timestamp_s <= session.last_stamp_s
