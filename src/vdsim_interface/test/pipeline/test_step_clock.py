import random

import pytest
from vdsim_interface.pipeline.step_clock import StepClock


def test_a_steady_tick_is_one_period() -> None:
    clock = StepClock(0.01)
    assert {clock.steps(0.01 * n) for n in range(2000)} == {1}


def test_late_ticks_make_up_for_what_was_missed() -> None:
    clock = StepClock(0.01)
    assert [clock.steps(t) for t in (0.0, 0.01, 0.04, 0.05)] == [1, 1, 3, 1]


def test_early_ticks_do_nothing() -> None:
    clock = StepClock(0.01)
    assert [clock.steps(t) for t in (0.0, 0.001, 0.002, 0.01)] == [1, 0, 0, 1]


def test_a_long_pause_starts_again() -> None:
    clock = StepClock(0.01)
    assert [clock.steps(t) for t in (0.0, 5.0, 5.01)] == [1, 1, 1]
    assert clock.steps(5.11) == 10


def test_time_that_jumps_back_starts_again() -> None:
    clock = StepClock(0.01)
    assert [clock.steps(t) for t in (9.0, 9.01, 1.0, 1.01)] == [1, 1, 1, 1]


@pytest.mark.parametrize("rate", [50.0, 80.0, 130.0, 333.0])
def test_other_rates_keep_true_time(rate: float) -> None:
    clock = StepClock(0.01)
    assert sum(clock.steps(n / rate) for n in range(int(20 * rate))) == pytest.approx(
        2000, rel=0.01
    )


def test_jitter_keeps_true_time_and_mostly_one_period() -> None:
    clock, chance = StepClock(0.01), random.Random(1)
    steps = [clock.steps(0.01 * n + chance.uniform(-0.003, 0.003)) for n in range(5000)]
    assert sum(steps) == pytest.approx(5000, abs=2)
    assert steps.count(1) > 4900


def test_a_shift_of_the_phase_is_followed() -> None:
    """A stream that begins to lead half a period off the grid soon gives one period a tick."""
    clock = StepClock(0.01)
    for n in range(100):
        clock.steps(0.01 * n)
    chance = random.Random(2)
    steps = [clock.steps(1.005 + 0.01 * n + chance.uniform(-0.001, 0.001)) for n in range(400)]
    assert steps[100:].count(1) == 300
