"""The pacing policy on virtual time: no drift, bounded catch-up, every late tick counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.realtime.pacing import LatenessHistogram, PacedLoop, Pacer


class VirtualClock:
    """A clock that moves only when slept on (plus a fixed wake-up delay) or pushed."""

    def __init__(self, wake_up_s: float = 0.0) -> None:
        self.now = 100.0
        self.wake_up_s = wake_up_s

    def __call__(self) -> float:
        return self.now

    def sleep(self, duration_s: float) -> None:
        self.now += duration_s + self.wake_up_s


def test_a_tick_is_never_early() -> None:
    pacer = Pacer(0.005)
    pacer.start(10.0)
    assert pacer.due(10.0049) == 0
    assert pacer.due(10.0050001) == 1
    assert pacer.due(10.0051) == 0


def test_late_wake_ups_do_not_accumulate() -> None:
    clock = VirtualClock(wake_up_s=0.0011)
    ticks: list[float] = []
    runner = PacedLoop(Pacer(0.005), clock=clock, sleep=clock.sleep)
    runner.run(ticks.append, lambda: len(ticks) >= 10_000)
    assert ticks[-1] == pytest.approx(100.0 + 10_000 * 0.005 + 0.0011, abs=1e-6)
    assert runner.pacer.report().overruns == 0


def test_deadlines_do_not_lose_phase_over_a_day() -> None:
    pacer = Pacer(0.001)
    pacer.start(0.0)
    for second in range(0, 86_400, 60):
        pacer.due(float(second) + 0.0105)
    assert (pacer.deadline() / 0.001) == pytest.approx(round(pacer.deadline() / 0.001), abs=1e-6)


def test_missed_ticks_run_back_to_back() -> None:
    pacer = Pacer(0.005, catch_up_s=0.05)
    pacer.start(0.0)
    assert pacer.due(0.0201) == 4
    report = pacer.report()
    assert (report.ticks, report.overruns, report.skipped_ticks) == (4, 3, 0)
    assert pacer.deadline() == pytest.approx(0.025)


def test_a_long_stall_is_not_raced_through() -> None:
    pacer = Pacer(0.005, catch_up_s=0.05)
    pacer.start(0.0)
    assert pacer.due(3.0001) == 10
    report = pacer.report()
    assert report.ticks + report.skipped_ticks == 600
    assert report.skipped_ticks == 590
    assert pacer.deadline() == pytest.approx(3.005)


@given(st.lists(st.floats(0.0, 0.2), min_size=1, max_size=60), st.floats(0.0005, 0.05))
def test_every_period_is_either_run_or_skipped(steps_s: list[float], period_s: float) -> None:
    pacer = Pacer(period_s)
    pacer.start(0.0)
    now, ran = 0.0, 0
    for step_s in steps_s:
        now += step_s
        ran += pacer.due(now)
        assert pacer.deadline() > now - 1e-9
        assert pacer.deadline() <= now + period_s + 1e-9
    report = pacer.report()
    assert report.ticks == ran
    assert report.ticks + report.skipped_ticks == round(pacer.deadline() / period_s) - 1


def test_precise_mode_sleeps_short_and_polls_the_rest() -> None:
    slept: list[float] = []
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 1e-5
        return now

    def sleep(duration_s: float) -> None:
        nonlocal now
        slept.append(duration_s)
        now += duration_s

    ticks: list[float] = []
    runner = PacedLoop(Pacer(0.005), clock=clock, sleep=sleep, spin_s=0.0003)
    runner.run(ticks.append, lambda: len(ticks) >= 3)
    assert max(slept) < 0.005 - 0.0003
    assert runner.pacer.report().lateness_max_s < 2e-5


@pytest.mark.parametrize("period_s", [0.0, -1.0, float("nan"), float("inf")])
def test_a_period_must_be_positive(period_s: float) -> None:
    with pytest.raises(ValueError, match=r"period_s=.*: must be > 0"):
        Pacer(period_s)


def test_catch_up_must_not_be_negative() -> None:
    with pytest.raises(ValueError, match=r"catch_up_s=-0.1: must be >= 0"):
        Pacer(0.01, catch_up_s=-0.1)


def test_quantiles_are_within_a_bucket_of_the_truth() -> None:
    histogram = LatenessHistogram()
    assert histogram.quantile_s(0.5) == 0.0
    for microseconds in range(1, 1001):
        histogram.add(microseconds * 1e-6)
    assert histogram.quantile_s(0.50) == pytest.approx(500e-6, rel=0.1)
    assert histogram.quantile_s(0.99) == pytest.approx(990e-6, rel=0.1)
    assert histogram.quantile_s(1.0) == pytest.approx(1000e-6, rel=0.1)
    assert histogram.max_s == pytest.approx(1000e-6)


def test_a_lateness_beyond_the_last_bucket_is_kept_as_the_maximum() -> None:
    histogram = LatenessHistogram()
    histogram.add(120.0)
    assert histogram.quantile_s(0.5) == 120.0
