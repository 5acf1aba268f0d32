"""One message as it arrives, and what becomes of its frames."""

from __future__ import annotations

import math
from collections import Counter as Counts
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from vdsim_can.integrity import CounterCheck
from vdsim_can.traffic.arrivals import Arrivals
from vdsim_can.traffic.wire_message import WireMessage


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
    a stale message may begin again. `why`: the last reject.
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
    accepted: Outcome = field(init=False)
    stale_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.accepted = Outcome(ACCEPTED, self.wire.name)
        self.stale_s = 1e-3 * self.wire.row.stale_ms

    @property
    def count(self) -> int | None:
        """The counter of the last accepted frame; None before it."""
        return None if self.check is None else self.check.accepted

    def is_fresh(self, now: float) -> bool:
        """Whether its signals are known: a frame was accepted within `stale_ms`, not later."""
        return 0.0 <= now - self.accepted_s <= self.stale_s
