"""How late reports are: a delay is found, a slow or drifting clock of the vehicle is no delay."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator

import pytest
from vdsim_interface.pipeline.link_health import ReportLag

PERIOD_S = 0.01
TIMEOUT_S = 0.1
SILENCE_S = 1.0
UPTIME_S = 5_000.0


class Vehicle:
    """A vehicle that reports at 100 Hz on a clock of its own, over a link with a delay."""

    def __init__(self, seed: int = 1) -> None:
        self.lag = ReportLag(SILENCE_S)
        self.random = random.Random(seed)
        self.sent_s = self.clock_s = 0.0
        self.rate = 1.0
        self.delay_s = 0.0
        self.notices: list[str] = []
        self.skips: Callable[[], float] = lambda: 0.0

    def run(self, seconds: float) -> list[float]:
        """Report for a while; return the lag of each report."""
        return list(self._reports(seconds))

    def _reports(self, seconds: float) -> Iterator[float]:
        for _ in range(round(seconds / PERIOD_S)):
            self.sent_s += PERIOD_S
            self.clock_s += PERIOD_S * self.rate - self.skips()
            noise_s = self.random.uniform(0.0, 0.003)
            arrival_s = UPTIME_S + self.sent_s + self.delay_s + noise_s
            yield self.lag.add(arrival_s, self.clock_s)
            if notice := self.lag.take_notice():
                self.notices.append(notice)

    def pause(self, seconds: float) -> None:
        """Send nothing; the vehicle's clock stands still."""
        self.sent_s += seconds


@pytest.fixture
def vehicle() -> Vehicle:
    return Vehicle()


def test_jitter_is_no_lag(vehicle: Vehicle) -> None:
    assert set(vehicle.run(60.0)) == {0.0}


@pytest.mark.parametrize("delay_s", [0.15, 0.5, 0.9])
def test_a_delay_is_lag_for_as_long_as_the_window_remembers(
    vehicle: Vehicle, delay_s: float
) -> None:
    vehicle.run(20.0)
    vehicle.delay_s = delay_s
    late = vehicle.run(9.0)
    assert late[0] == pytest.approx(delay_s, abs=0.05)
    # A few hundredths a second may be the clock: what is left is a reason to stop.
    assert min(late[:100]) > TIMEOUT_S
    if delay_s >= 0.5:
        assert min(late) > TIMEOUT_S
    vehicle.delay_s = 0.0
    assert vehicle.run(1.0)[0] == 0.0
    assert vehicle.notices == []


def test_a_delay_that_grows_for_half_a_second_is_lag(vehicle: Vehicle) -> None:
    vehicle.run(20.0)
    for _ in range(50):
        vehicle.delay_s += 0.01
        vehicle.run(PERIOD_S)
    assert min(vehicle.run(5.0)) > TIMEOUT_S


@pytest.mark.parametrize("ppm", [-100.0, 100.0])
def test_an_hour_of_drift_and_lost_ticks_gives_no_notice(vehicle: Vehicle, ppm: float) -> None:
    """One tick of a hundred is lost, sometimes several at once."""
    vehicle.run(5.0)
    vehicle.rate = 1.0 + 1e-6 * ppm
    chance = vehicle.random.random

    def skips() -> float:
        one = PERIOD_S if chance() < 0.006 else 0.0
        several = 4.0 * PERIOD_S if chance() < 0.001 else 0.0
        return one + several

    vehicle.skips = skips
    longest_s = max(vehicle.run(3600.0))
    assert longest_s < TIMEOUT_S
    assert vehicle.notices == []


@pytest.mark.parametrize("rate", [0.94, 0.9, 0.75])
def test_a_slow_plant_is_reported_as_that_and_not_as_late(vehicle: Vehicle, rate: float) -> None:
    vehicle.rate = rate
    assert max(vehicle.run(60.0)[350:]) < TIMEOUT_S
    assert vehicle.notices == [f"the vehicle's clock runs at {rate:.2f}x real time"]
    assert vehicle.lag.time_ratio == pytest.approx(rate, abs=0.005)
    vehicle.rate = 1.0
    assert max(vehicle.run(60.0)) < TIMEOUT_S
    assert vehicle.notices[1:] == ["the vehicle's clock runs in real time again"]


def test_a_plant_that_becomes_slow_is_not_late_either(vehicle: Vehicle) -> None:
    vehicle.run(30.0)
    vehicle.rate = 0.94
    assert max(vehicle.run(60.0)) < TIMEOUT_S
    assert vehicle.notices == ["the vehicle's clock runs at 0.94x real time"]


def test_a_slow_plant_can_be_late_too(vehicle: Vehicle) -> None:
    vehicle.rate = 0.94
    vehicle.run(30.0)
    vehicle.delay_s = 0.5
    assert min(vehicle.run(5.0)) > 2 * TIMEOUT_S


def test_a_stamp_that_stands_still_is_late(vehicle: Vehicle) -> None:
    vehicle.run(20.0)
    vehicle.rate = 0.0
    late = vehicle.run(60.0)
    assert min(late[20:]) > TIMEOUT_S


def test_a_pause_a_reset_and_a_new_session_begin_again(vehicle: Vehicle) -> None:
    vehicle.run(20.0)
    vehicle.pause(3.0)
    assert set(vehicle.run(5.0)) == {0.0}
    vehicle.clock_s = 0.0  # the vehicle was reset, or has started again
    assert set(vehicle.run(5.0)) == {0.0}
    vehicle.clock_s += 500.0  # a scenario that begins later
    assert set(vehicle.run(20.0)) == {0.0}
    assert vehicle.notices == []


def test_reports_that_waited_are_as_old_as_they_are(vehicle: Vehicle) -> None:
    """Our own process was stopped for 2 s: it then reads everything at once."""
    vehicle.run(20.0)
    resumed_s = UPTIME_S + vehicle.sent_s + 2.0
    vehicle.lag.silence_s = 10.0
    ages = []
    for _ in range(200):
        vehicle.sent_s += PERIOD_S
        vehicle.clock_s += PERIOD_S
        ages.append(vehicle.lag.add(resumed_s, vehicle.clock_s))
    assert ages[0] == pytest.approx(1.99, abs=0.1)
    assert ages[-1] == 0.0
    assert ages == sorted(ages, reverse=True)


@pytest.mark.parametrize("stamp", [math.nan, math.inf, -math.inf])
def test_a_vehicle_without_a_clock_has_no_lag(vehicle: Vehicle, stamp: float) -> None:
    assert [vehicle.lag.add(now, stamp) for now in (1.0, 2.0, 30.0)] == [0.0] * 3


def test_the_window_forgets(vehicle: Vehicle) -> None:
    vehicle.run(20.0)
    vehicle.delay_s = 0.5
    vehicle.run(12.0)
    assert max(vehicle.run(1.0)) == 0.0
