"""Where a control period is cut: actuators move on within it, and delayed sensors look."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vdsim_plant.sensor import SensorParameters

ACTUATOR_PERIOD_S = 0.005


@dataclass(frozen=True, kw_only=True)
class Cuts:
    """Where a control period is cut, in substeps from its beginning."""

    stops: tuple[int, ...]
    """All cuts, from 0 to the end of the period."""
    actuator_part: int
    """How many substeps the actuators hold an output."""
    looks: frozenset[int]
    """Where a delayed sensor looks."""


def cuts_of(
    substeps: int, substep_s: float, *, actuators: bool, sensors: SensorParameters | None
) -> Cuts:
    """Return the cuts of a period of so many substeps."""
    part = _actuator_part(substeps, substep_s)
    looks = _looks(sensors, substeps, substep_s)
    parts = range(0, substeps, part) if actuators else ()
    stops = tuple(sorted({0, substeps, *parts, *looks}))
    return Cuts(stops=stops, actuator_part=part, looks=looks)


def _actuator_part(substeps: int, substep_s: float) -> int:
    """Return how many substeps an actuator's output is held: a divisor, 5 ms at most."""
    most = max(1, min(substeps, int(ACTUATOR_PERIOD_S / substep_s + 1e-9)))
    return max(part for part in range(1, most + 1) if substeps % part == 0)


def _looks(sensors: SensorParameters | None, substeps: int, substep_s: float) -> frozenset[int]:
    """Return after which substeps of a period a sensor takes what it shows at the end of one.

    A delay that is no whole number of substeps counts as the next longer one.
    """
    if sensors is None:
        return frozenset()
    ages = [math.ceil(delay_s / substep_s - 1e-6) % substeps for delay_s in sensors.delays_s()]
    return frozenset(substeps - age for age in ages if age)
