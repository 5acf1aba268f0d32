"""The floor and the ceiling of a parameter, from its unit: smaller or larger values are no choice.

A parameter that must be positive is at least its floor: 5e-324 m is no wheelbase, and a car with a
jerk of 1e-12 m/s3 engages and never moves. One that may be 0 is 0 or at least its floor. Without a
bound of its own a parameter ends at its ceiling.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class Limits(NamedTuple):
    """The smallest value beside 0 that means something, and the largest."""

    floor: float
    ceiling: float


UNITS: Mapping[str, Limits] = {
    "s": Limits(1e-3, 3600.0),
    "ms": Limits(1.0, 60_000.0),
    "Hz": Limits(0.1, 10_000.0),
    "1/s": Limits(0.01, 100.0),
    "1/s2": Limits(0.001, 100.0),
    "m": Limits(0.001, 100_000.0),
    "km": Limits(1.0, 10_000.0),
    "m/s": Limits(0.01, 150.0),
    "km/h": Limits(0.1, 500.0),
    "m/s2": Limits(0.05, 20.0),
    "m/s3": Limits(0.1, 1000.0),
    "rad": Limits(0.001, 6.3),
    "rad/s": Limits(0.01, 100.0),
    "rad s2/m": Limits(1e-6, 1.0),
    "deg": Limits(0.1, 360.0),
    "deg/s": Limits(1.0, 5000.0),
    "N m": Limits(0.1, 20_000.0),
    "%": Limits(0.01, 100.0),
    "dB": Limits(0.01, 100.0),
    "-": Limits(0.001, 1000.0),
    "full travel": Limits(0.01, 1.0),
    "full travel/s": Limits(0.1, 100.0),
    "raw units": Limits(1.0, 4_294_967_295.0),
    "raw units/s": Limits(10.0, 1e9),
}
"""By the unit as descriptions have it."""
_UNIT = re.compile("|".join(re.escape(f"[{unit}]") for unit in UNITS))


def limits_of(doc: str) -> Limits | None:
    """The limits of the unit that a description names, as in `largest speed [m/s]`."""
    found = _UNIT.search(doc)
    return UNITS[found[0][1:-1]] if found else None
