"""Raw stick and trigger values -> shaped ones: dead zone, curve, check of untouched triggers.

A device driver may publish 0 (or any value) for an axis until it moves for the first time. For a
trigger whose rest is +1 that is half throttle. So a trigger counts only after it was reported at
rest, or after a first value of exactly 0 has changed, which proves that the device reports it now.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from vdsim_interface.teleop.mapping import PedalAxis, SteerAxis

_NEAR_REST = 0.15
"""Part of a trigger's travel that counts as 'at rest' in its first sample."""


def shaped(value: float, dead_zone: float, expo: float) -> float:
    """Map -1..1 to -1..1: 0 inside the dead zone, then a blend of a line and a cube."""
    magnitude = min(abs(value), 1.0)
    if magnitude <= dead_zone:
        return 0.0
    travel = (magnitude - dead_zone) / (1.0 - dead_zone)
    return math.copysign((1.0 - expo) * travel + expo * travel**3, value)


def steer_value(raw: float, axis: SteerAxis) -> float:
    """Return the steering demand, -1 (right) to +1 (left)."""
    return shaped(-raw if axis.invert else raw, axis.dead_zone, axis.expo)


@dataclass(frozen=True)
class TriggerMemory:
    """Whether a trigger's value is valid yet, and its first value until then."""

    valid: bool = False
    first_raw: float | None = None


def trigger_value(
    raw: float, axis: PedalAxis, memory: TriggerMemory
) -> tuple[float, TriggerMemory]:
    """Return the pedal demand, 0 to 1, and the memory for the next sample."""
    travel = (raw - axis.rest) / (axis.pressed - axis.rest)
    if not memory.valid:
        first = raw if memory.first_raw is None else memory.first_raw
        changed = first == 0.0 and raw != 0.0
        memory = TriggerMemory(changed or abs(travel) <= _NEAR_REST, first)
        if not memory.valid:
            return 0.0, memory
    return shaped(min(max(travel, 0.0), 1.0), axis.dead_zone, axis.expo), memory
