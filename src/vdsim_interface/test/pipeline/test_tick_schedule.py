"""When a stage runs, on virtual time."""

from collections.abc import Iterable
from itertools import pairwise

import pytest
from vdsim_interface.pipeline.tick_schedule import POLLS_PER_PERIOD, TickSchedule

PERIOD_S = 0.01


def ticks(arrivals: Iterable[float], until_s: float) -> list[float]:
    """Times of the ticks when commands arrive at `arrivals` and the timer runs."""
    schedule = TickSchedule(PERIOD_S)
    polls = [i * PERIOD_S / POLLS_PER_PERIOD for i in range(int(until_s / PERIOD_S * 2))]
    events = sorted([(t, True) for t in arrivals] + [(t, False) for t in polls])
    made = []
    for now, arrived in events:
        if schedule.on_arrival(now) if arrived else schedule.on_poll(now):
            schedule.on_tick(now)
            made.append(now)
    return made


def test_without_commands_the_timer_ticks_at_the_rate() -> None:
    assert ticks([], 1.0) == pytest.approx([i * PERIOD_S for i in range(100)])


@pytest.mark.parametrize("phase", [0.0, 0.001, 0.003, 0.0049, 0.0051, 0.007, 0.0099])
def test_a_stream_at_the_rate_leads_whatever_its_phase(phase: float) -> None:
    arrivals = [phase + i * PERIOD_S for i in range(100)]
    made = ticks(arrivals, 1.0)
    late = [min(abs(t - a) for t in made) for a in arrivals[3:]]
    assert max(late) == 0.0, "every command is processed the moment it arrives"
    assert len(made) == pytest.approx(100, abs=4), "and the rate stays"


def test_jitter_of_a_leading_stream_makes_no_extra_ticks() -> None:
    arrivals = [0.003 + i * PERIOD_S + (0.002 if i % 3 else -0.001) for i in range(100)]
    assert len(ticks(arrivals, 1.0)) == pytest.approx(100, abs=4)


def test_a_slow_stream_leaves_the_rate_as_it_is() -> None:
    assert len(ticks([0.0033 + i * 0.0303 for i in range(33)], 1.0)) == pytest.approx(100, abs=4)


def test_a_fast_stream_does_not_drive_the_output_faster() -> None:
    for rate_hz in (130.0, 150.0, 200.0, 333.0, 1000.0):
        made = ticks([i / rate_hz for i in range(int(rate_hz))], 1.0)
        assert min(b - a for a, b in pairwise(made)) >= 0.5 * PERIOD_S - 1e-9
        assert len(made) == pytest.approx(100, abs=6), rate_hz


def test_the_timer_takes_over_when_a_leading_stream_ends() -> None:
    made = ticks([0.003 + i * PERIOD_S for i in range(50)], 1.0)
    gaps = [b - a for a, b in pairwise(made)]
    assert max(gaps) <= 2.1 * PERIOD_S
    assert [t for t in made if t > 0.95], "the output goes on"


@pytest.mark.parametrize("gap_s", [0.004, 0.009, 0.01, 0.011, 0.02])
def test_no_poll_before_the_due_time_ticks(gap_s: float) -> None:
    schedule = TickSchedule(PERIOD_S)
    schedule.on_tick(0.0)
    for arrival in range(1, 100):
        now = arrival * gap_s
        if schedule.on_arrival(now) or schedule.on_poll(now):
            schedule.on_tick(now)
        assert not schedule.on_poll(schedule.due_s - 1e-6)
        assert schedule.on_poll(schedule.due_s + 1e-6)


def test_a_stream_that_begins_to_lead_makes_no_second_tick_of_an_instant() -> None:
    schedule = TickSchedule(PERIOD_S)
    schedule.on_arrival(1.0)
    schedule.on_tick(1.01)
    assert not schedule.on_arrival(1.01)
    assert schedule.leads
    assert schedule.on_arrival(1.02)


def test_a_clock_that_jumps_back_ticks_at_once() -> None:
    schedule = TickSchedule(PERIOD_S)
    schedule.on_tick(100.0)
    assert schedule.on_poll(1.0)
    assert TickSchedule(PERIOD_S).on_poll(0.0)
