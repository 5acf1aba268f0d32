from __future__ import annotations

from ros2cli.topic_monitor import BandwidthWindow, DelayWindow, RateWindow


def test_rate_of_regular_messages() -> None:
    window = RateWindow(size=100)
    assert window.report() is None
    for number in range(5):
        window.add(10.0 + 0.5 * number)
    assert window.report() == (
        "average rate: 2.000\n\tmin: 0.500s max: 0.500s std dev: 0.00000s window: 5"
    )


def test_rate_forgets_what_left_the_window() -> None:
    window = RateWindow(size=2)
    for now_s in (0.0, 9.0, 9.1, 9.3):
        window.add(now_s)
    assert window.report() == (
        "average rate: 6.667\n\tmin: 0.100s max: 0.200s std dev: 0.05000s window: 3"
    )


def test_rate_starts_afresh_when_the_clock_goes_back() -> None:
    window = RateWindow(size=10)
    for now_s in (100.0, 101.0, 5.0):
        window.add(now_s)
    assert window.report() is None
    window.add(5.25)
    assert str(window.report()).startswith("average rate: 4.000\n")


def test_rate_of_simultaneous_messages_is_zero() -> None:
    window = RateWindow(size=10)
    window.add(1.0)
    window.add(1.0)
    assert str(window.report()).startswith("average rate: 0.000\n")


def test_delay() -> None:
    window = DelayWindow(size=2)
    assert window.report() is None
    for delay_s in (5.0, 0.25, 0.75):
        window.add(delay_s)
    assert window.report() == (
        "average delay: 0.500\n\tmin: 0.250s max: 0.750s std dev: 0.25000s window: 2"
    )


def test_bandwidth_in_the_unit_that_fits() -> None:
    texts = []
    for factor in (1, 1000, 1000000):
        window = BandwidthWindow(size=10)
        window.add(0.0, 20 * factor)
        assert window.report(1.0) is None
        window.add(1.0, 40 * factor)
        texts.append(window.report(2.0))
    assert texts == [
        "30 B/s from 2 messages\n\tMessage size mean: 30 B min: 20 B max: 40 B",
        "30.00 KB/s from 2 messages\n\tMessage size mean: 30.00 KB min: 20.00 KB max: 40.00 KB",
        "30.00 MB/s from 2 messages\n\tMessage size mean: 30.00 MB min: 20.00 MB max: 40.00 MB",
    ]


def test_bandwidth_without_time_is_not_reported() -> None:
    window = BandwidthWindow(size=10)
    window.add(1.0, 5)
    window.add(1.0, 5)
    assert window.report(1.0) is None
