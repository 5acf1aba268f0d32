"""Measure each fault of the table many times, in virtual time, at random phases."""

from __future__ import annotations

import random
from collections.abc import Iterable
from types import MappingProxyType
from typing import NamedTuple

from vdsim_campaign.ftti import interface_worlds, other_worlds
from vdsim_campaign.ftti.faults import FAULTS, TimedFault
from vdsim_campaign.ftti.world import World, time_to_safe

WORLDS: MappingProxyType[str, type[World]] = MappingProxyType(
    {
        world.__name__: world
        for world in (
            interface_worlds.PipelineWorld, interface_worlds.SafetySilentWorld,
            interface_worlds.GuardWorld, other_worlds.PlantWorld, other_worlds.MuxWorld,
            other_worlds.BridgeWorld,
        )
    }
)  # fmt: skip
ROUNDING_S = 1e-9


class Times(NamedTuple):
    """What was measured for one fault [s]."""

    fault: TimedFault
    times_s: tuple[float, ...]

    @property
    def holds(self) -> bool:
        """Whether the worst is within the stated time and one cycle."""
        return self.times_s[-1] <= self.fault.allowed_s + ROUNDING_S

    def quantile(self, share: float) -> float:
        """The time that a share of the repeats does not exceed."""
        return self.times_s[min(len(self.times_s) - 1, int(share * len(self.times_s)))]


def measure(fault: TimedFault, repeats: int, seed: int) -> Times:
    """Repeat one fault; each repeat has phases of its own."""
    world = WORLDS[fault.world]
    draws = (random.Random(f"{seed}/{fault.name}/{n}") for n in range(repeats))
    return Times(fault, tuple(sorted(time_to_safe(world(fault.name, each)) for each in draws)))


def measure_all(repeats: int, seed: int) -> Iterable[Times]:
    """All faults of the table, one after the other."""
    return (measure(fault, repeats, seed) for fault in FAULTS)
