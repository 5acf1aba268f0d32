"""Raw stick and trigger values -> clean ones: dead zone, curve, distrust of untouched triggers.

A driver publishes an axis as 0 (or anything) until it moves for the first time. For a trigger
whose rest is +1 that is half throttle. So a trigger counts only once it was seen at rest, or once a
value of exactly 0 has changed, which proves that the device now reports it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from vdsim_interface.teleop.mapping import PedalAxis, SteerAxis

_NEAR_REST = 0.15
"""Part of a trigger's travel that counts as 'at rest' when it is seen for the first time."""


def shaped(value: float, dead_zone: float, expo: float) -> float:
    """-1..1 -> -1..1: nothing inside the dead zone, then a blend of a line and a cube."""
    magnitude = min(abs(value), 1.0)
    if magnitude <= dead_zone:
        return 0.0
    travel = (magnitude - dead_zone) / (1.0 - dead_zone)
    return math.copysign((1.0 - expo) * travel + expo * travel**3, value)


def steer_value(raw: float, axis: SteerAxis) -> float:
    """Steering demand, -1 (right) to +1 (left)."""
    return shaped(-raw if axis.invert else raw, axis.dead_zone, axis.expo)


@dataclass(frozen=True)
class TriggerMemory:
    """Whether a trigger may be believed yet, and its first value until then."""

    trusted: bool = False
    first_raw: float | None = None


def trigger_value(
    raw: float, axis: PedalAxis, memory: TriggerMemory
) -> tuple[float, TriggerMemory]:
    """Pedal demand, 0 to 1, and what to remember for the next sample."""
    travel = (raw - axis.rest) / (axis.pressed - axis.rest)
    if not memory.trusted:
        first = raw if memory.first_raw is None else memory.first_raw
        woke_up = first == 0.0 and raw != 0.0
        memory = TriggerMemory(woke_up or abs(travel) <= _NEAR_REST, first)
        if not memory.trusted:
            return 0.0, memory
    return shaped(min(max(travel, 0.0), 1.0), axis.dead_zone, axis.expo), memory
