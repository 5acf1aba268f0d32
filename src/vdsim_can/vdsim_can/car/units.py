"""Units that signals are stated in -> SI units, which the fields of the interface have."""

from __future__ import annotations

import math
from collections.abc import Mapping

UNITS: Mapping[str, float] = {
    "1": 1.0,
    "deg": math.pi / 180.0,
    "rad": 1.0,
    "deg/s": math.pi / 180.0,
    "rad/s": 1.0,
    "rpm": math.pi / 30.0,
    "km/h": 1.0 / 3.6,
    "mph": 0.44704,
    "m/s": 1.0,
    "cm/s": 0.01,
    "m/s2": 1.0,
    "g": 9.80665,
    "%": 0.01,
    "percent": 1.0,
    "s": 1.0,
    "ms": 0.001,
    "N m": 1.0,
}
"""Factor of each unit; "%" is of a field from 0 to 1, "percent" of one in per cent."""
