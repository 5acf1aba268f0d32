"""The time from a fault to the first safe command: every fault of the table, a few phases each.

Virtual time: a busy machine changes nothing. The long run is `./ws campaign ftti`.
"""

from __future__ import annotations

import random
from typing import ClassVar

import pytest
from vdsim_campaign.ftti.faults import FAULTS, TimedFault
from vdsim_campaign.ftti.measure import WORLDS, Times, measure
from vdsim_campaign.ftti.world import NotSafeError, World, time_to_safe

REPEATS = 20


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_worst_time_is_within_the_stated_one_and_a_cycle(fault: TimedFault) -> None:
    times = measure(fault, REPEATS, seed=1)
    assert len(times.times_s) == REPEATS
    assert times.holds, f"{times.times_s[-1]:.4f} s, allowed {fault.allowed_s:.4f} s"


def test_at_least_twenty_faults_with_names_of_their_own() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 20


def test_every_world_is_used() -> None:
    assert {fault.world for fault in FAULTS} == set(WORLDS)


def test_a_late_command_misses_the_bound() -> None:
    fault = FAULTS[0]
    assert Times(fault, (0.1, fault.allowed_s)).holds
    assert not Times(fault, (0.1, fault.allowed_s + 1e-4)).holds


class Deaf(World):
    """A core that never answers."""

    PERIODS_S: ClassVar[dict[str, float]] = {"tick": 0.01}

    def tick(self) -> None:
        self.sent(safe=False)


def test_a_core_that_never_answers_is_an_error_and_no_time() -> None:
    with pytest.raises(NotSafeError, match="no safe command within 10 s"):
        time_to_safe(Deaf("none", random.Random(1)))


class AlwaysSafe(Deaf):
    """A core that brakes before any fault."""

    def tick(self) -> None:
        self.sent(safe=True)


def test_a_car_that_does_not_drive_shows_nothing() -> None:
    with pytest.raises(NotSafeError, match="does not drive before the fault"):
        time_to_safe(AlwaysSafe("none", random.Random(1)))


def test_a_command_that_becomes_unsafe_again_does_not_count() -> None:
    world = Deaf("none", random.Random(1))
    world.sent(safe=True)
    world.now += 1.0
    world.sent(safe=False)
    assert not world.is_safe
    world.now += 1.0
    world.sent(safe=True)
    assert world.safe_s == world.now
