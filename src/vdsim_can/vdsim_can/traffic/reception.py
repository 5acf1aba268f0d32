"""One message as it arrives, and what becomes of its frames."""

from __future__ import annotations

import math
from collections import Counter as Counts
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from vdsim_can.dbc.network import Signal
from vdsim_can.integrity import CounterCheck
from vdsim_can.traffic.arrivals import Arrivals
from vdsim_can.traffic.wire_message import WireMessage

Page = tuple[str, tuple[tuple[int, int], ...]]
"""A selector, and its values with which some signals are there."""


def page_of(signal: Signal) -> Page | None:
    """Return the page of a signal; None for one that every frame carries."""
    return (signal.selector, signal.selected_by) if signal.selector else None


class Fate(Enum):
    """What became of a frame."""

    ACCEPTED = "accepted"
    OTHER = "other"
    """Of a message that the car file does not receive: no fault."""
    LENGTH = "length"
    CHECKSUM = "checksum"
    COUNTER = "counter"
    FOREIGN = "foreign"
    """Of a message that only we send."""


ACCEPTED = Fate.ACCEPTED
"""A plain name: an attribute of an enumeration costs as much as a call."""


class Outcome(NamedTuple):
    """What became of a frame; `message`: its name, empty for an unknown one."""

    fate: Fate
    message: str = ""
    text: str = ""


@dataclass(slots=True)
class Reception:
    """One message as it arrives.

    `raws`: of the last accepted frame. `check`: judges its counter. `candidate`: the one with which
    a stale message may begin again. `why`: the last reject. `pages_s`: when each page that the car
    file uses was accepted last, of a multiplexed message.
    """

    wire: WireMessage
    raws: Mapping[str, float] = field(default_factory=dict)
    accepted_s: float = -math.inf
    check: CounterCheck | None = None
    candidate: CounterCheck | None = None
    lost_n: int = 0
    accepted_n: int = 0
    fates: Counts[Fate] = field(default_factory=Counts)
    why: str = ""
    arrivals: Arrivals = field(default_factory=Arrivals)
    pages_s: dict[Page, float] = field(default_factory=dict)
    accepted: Outcome = field(init=False)
    stale_s: float = field(init=False)
    page_stale_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.accepted = Outcome(ACCEPTED, self.wire.name)
        self.stale_s = 1e-3 * self.wire.row.stale_ms
        # They come in turn.
        self.page_stale_s = self.stale_s * len(set(filter(None, map(page_of, self.signals))))

    @property
    def count(self) -> int | None:
        """The counter of the last accepted frame; None before it."""
        return None if self.check is None else self.check.accepted

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The signals of its frames."""
        return self.wire.message.signals

    def is_followed(self, now: float) -> bool:
        """Whether a frame was accepted within `stale_ms`, of whatever page."""
        return 0.0 <= now - self.accepted_s <= self.stale_s

    def is_fresh(self, now: float) -> bool:
        """Whether its signals are known: a frame of each page was accepted, none too long ago."""
        if not 0.0 <= now - self.accepted_s <= self.stale_s:
            return False
        return not self.pages_s or now - min(self.pages_s.values()) <= self.page_stale_s

    def age_s(self, now: float) -> float:
        """Return the time since the last good frame, of the page that is missing longest [s]."""
        return now - min((self.accepted_s, *self.pages_s.values()))

    def turn(self, raws: Mapping[str, float], now: float) -> None:
        """Note which pages a frame of a multiplexed message carries."""
        for page in {page_of(signal) for signal in self.signals if signal.name in raws}:
            if page in self.pages_s:
                self.pages_s[page] = now
