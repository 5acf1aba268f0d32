"""What makes the car stop, and what ends it.

Every cause of a stop is one `Stop`. Those that stand are merged by the hardest, so their order does
not matter.
"""

from enum import IntEnum
from typing import NamedTuple


class Until(IntEnum):
    """What ends a stop. CLEARED: its cause has gone. ENGAGED: that too, and once it has brought the
    car to rest or held it, a later engagement. RELEASED: `give_back`, at standstill."""

    CLEARED = 0
    ENGAGED = 1
    RELEASED = 2


class Stop(NamedTuple):
    """One cause: how hard it brakes, and how fast that deceleration rises [m/s2, m/s3].

    `source`: the name of the notice that reports it.
    """

    source: str
    decel_mps2: float
    jerk_mps3: float
    until: Until = Until.CLEARED


NO_STOPS: tuple[Stop, ...] = ()
