"""A sensor's readings: their rate, what is discarded and why, what /diagnostics shows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from sensor_msgs.msg import Range
from vdsim_interface.sensors.declaration import Sensor
from vdsim_interface.sensors.feed import SensorFeed
from vdsim_interface.values import Applied, BodyState, VehicleReport


def report(now: float = 0.0, **extra: float) -> VehicleReport:
    return VehicleReport(now, now, 0.0, 0.0, BodyState(), Applied(0.0, 0.0), extra=extra)


def ranger(report: VehicleReport) -> dict[str, Any] | None:
    return {"range": report.extra["range_m"]} if "range_m" in report.extra else None


def feed_of(read: Callable[[VehicleReport], Any] = ranger, **more: Any) -> SensorFeed:
    return SensorFeed(Sensor("rear", "sensor_msgs/msg/Range", read, **more), Range)


def test_every_reading_is_taken_without_a_rate() -> None:
    feed = feed_of()
    taken = [feed.take(report(0.005 * n, range_m=0.1 * n), 0.005 * n) for n in range(200)]
    assert [message.range for message in taken[:2]] == pytest.approx([0.0, 0.1])
    assert None not in taken
    assert feed.state(0.995, subscribers_n=1).text == "200 Hz"


@pytest.mark.parametrize("rate_hz", [1.0, 10.0, 30.0, 100.0])
def test_a_rate_is_kept_whatever_the_rate_of_the_reports(rate_hz: float) -> None:
    feed = feed_of(rate_hz=rate_hz)
    taken = sum(
        feed.take(report(0.005 * n, range_m=1.0), 0.005 * n) is not None for n in range(2000)
    )
    assert taken == pytest.approx(10.0 * rate_hz, abs=1.0)


def test_a_pause_is_not_made_up_for() -> None:
    feed = feed_of(rate_hz=10.0)
    assert feed.take(report(range_m=1.0), 0.0) is not None
    times = [5.0 + 0.01 * n for n in range(100)]
    assert sum(feed.take(report(range_m=1.0), now) is not None for now in times) == 10


def test_a_clock_that_jumps_back_does_not_hold_it_up() -> None:
    feed = feed_of(rate_hz=10.0)
    assert feed.take(report(range_m=1.0), 1000.0) is not None
    assert feed.take(report(range_m=1.0), 1.0) is not None


def test_a_report_without_a_reading_is_no_fault() -> None:
    feed = feed_of()
    assert feed.take(report(), 1.0) is None
    state = feed.state(1.0, subscribers_n=1)
    assert (state.is_good, state.text, state.values["age_s"]) == (True, "no reading yet", "never")


def raises(report: VehicleReport) -> None:
    raise KeyError("far")


@pytest.mark.parametrize(
    ("read", "count", "text"),
    [
        (lambda r: {"range": math.nan}, "discarded_not_finite", "range=nan: must be finite"),
        (lambda r: {"rang": 1.0}, "discarded_no_such_field", "rang: must be one of"),
        (lambda r: {"range": "far"}, "discarded_wrong_type", "range=far: must be a number"),
        (lambda r: 3, "discarded_wrong_type", "the reading: must be fields by name"),
        (raises, "discarded_raised", "KeyError: 'far'"),
    ],
)
def test_what_cannot_be_used_is_counted_by_its_reason(read: Any, count: str, text: str) -> None:
    feed = feed_of(read)
    assert [feed.take(report(), 1.0) for _ in range(3)] == [None] * 3
    state = feed.state(1.0, subscribers_n=1)
    assert state.values[count] == 3
    assert state.values["published"] == 0
    assert not state.is_good
    assert text in state.text


def test_a_good_reading_ends_the_complaint_and_keeps_the_count() -> None:
    feed = feed_of()
    assert feed.take(report(range_m=math.inf), 1.0) is None
    assert not feed.state(1.0, subscribers_n=1).is_good
    assert feed.take(report(range_m=2.0), 1.1) is not None
    state = feed.state(1.1, subscribers_n=1)
    assert state.is_good
    assert state.values["discarded_not_finite"] == 1


def test_silence_is_named() -> None:
    feed = feed_of(rate_hz=0.5)
    feed.take(report(range_m=2.0), 1.0)
    assert feed.state(10.0, subscribers_n=1).is_good
    assert feed.state(11.5, subscribers_n=1).text == "silent for 10.5 s"


def test_without_a_subscriber_a_probe_shows_that_there_are_readings() -> None:
    feed = feed_of()
    feed.probe(report(range_m=2.0), 1.0)
    state = feed.state(1.5, subscribers_n=0)
    assert (state.is_good, state.text) == (True, "nobody subscribes")
    assert state.values["age_s"] == 0.5
    assert state.values["published"] == 0
