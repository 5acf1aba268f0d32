"""The floor and the ceiling of a parameter, from its unit: smaller or larger values are no choice.

From a model car of 0.1 kg to a truck of 100 t. A parameter that must be positive is at least its
floor: a wheel of 5e-324 kg m2 is none. Without a bound of its own a parameter ends at its ceiling,
on both sides of 0 where it has a sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Limits(NamedTuple):
    """The smallest value above 0 that means something, and the largest."""

    floor: float
    ceiling: float


UNITS: Mapping[str, Limits] = {
    "": Limits(1e-3, 1e3),
    "s": Limits(1e-6, 86_400.0),
    "1/s": Limits(0.01, 1e3),
    "Hz": Limits(0.01, 10_000.0),
    "m": Limits(1e-3, 100.0),
    "m2": Limits(1e-4, 100.0),
    "m/s": Limits(1e-3, 150.0),
    "rad": Limits(1e-3, 6.3),
    "rad/s": Limits(1e-4, 1e3),
    "deg": Limits(0.01, 360.0),
    "kg": Limits(1e-3, 100_000.0),
    "kg m2": Limits(1e-7, 1e7),
    "kg/m3": Limits(1e-3, 10.0),
    "N m": Limits(1e-4, 1e6),
    "N m/rad": Limits(1e-3, 1e8),
    "N/rad": Limits(0.1, 1e7),
    "N/m": Limits(0.1, 1e8),
    "N s/m": Limits(0.01, 1e7),
    "m/N": Limits(1e-9, 0.1),
    "W": Limits(1e-3, 1e6),
    "kW h": Limits(1e-4, 1e4),
    "MB": Limits(1e-3, 1e6),
}


def bounded(unit: str, bounds: Mapping[str, float]) -> dict[str, float]:
    """The bounds of a declaration, with what its unit gives where they leave one open."""
    floor, ceiling = UNITS[unit]
    found = dict(bounds)
    if found.get("above") == 0.0:
        del found["above"]
        found["at_least"] = floor
    elif not {"above", "at_least"} & found.keys():
        found["at_least"] = -ceiling
    if not {"below", "at_most"} & found.keys():
        found["at_most"] = ceiling
    return found
