import math
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from vdsim_interface.pipeline.tracking_monitor import (
    ChannelTracker,
    TrackingMonitor,
    TrackingParameters,
)
from vdsim_interface.values import Applied
from vdsim_interface_kit.interface import CRUISE, Drive

PERIOD = 0.01


def estimate(
    delay_n: int, gain: float, bias: float, moving: bool = True, noise: float = 0.0
) -> tuple[float, float, float, bool]:
    tracker = ChannelTracker("angle", 300, 60, PERIOD)
    chance = random.Random(3)

    def asked(n: int) -> float:
        return 0.2 * math.sin(2.0 * math.pi * 0.7 * n * PERIOD) if moving else 0.1

    for n in range(400):
        answer = gain * asked(n - delay_n) + bias + chance.gauss(0.0, noise)
        tracker.add((asked(n), answer))
    found = tracker.estimate(0.08)
    assert found is not None
    return found.delay_s, found.gain, found.bias, found.tracks


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 60), st.floats(0.5, 1.2), st.floats(-0.03, 0.03))
@example(0, 1.0, 0.0)
@example(60, 0.5, -0.02)
def test_delay_gain_and_bias_are_found(delay_n: int, gain: float, bias: float) -> None:
    found = estimate(delay_n, gain, bias)
    assert found[:3] == (
        pytest.approx(delay_n * PERIOD),
        pytest.approx(gain, abs=1e-6),
        pytest.approx(bias, abs=1e-6),
    )


def test_noise_does_little_harm() -> None:
    delay, gain, bias, _ = estimate(10, 1.0, 0.01, noise=0.01)
    assert delay == pytest.approx(0.1, abs=0.02)
    assert gain == pytest.approx(1.0, abs=0.02)
    assert bias == pytest.approx(0.01, abs=0.003)


def test_a_still_command_gives_bias_but_no_delay_and_gain() -> None:
    delay, gain, bias, follows = estimate(5, 1.0, 0.05, moving=False)
    assert math.isnan(delay)
    assert math.isnan(gain)
    assert bias == pytest.approx(0.05)
    assert follows
    assert not estimate(5, 1.0, 0.2, moving=False)[3]


def test_a_vehicle_that_does_nothing_does_not_follow() -> None:
    assert not estimate(0, 0.0, 0.0)[3]
    assert estimate(10, 1.0, 0.0)[3]


def test_nothing_is_said_before_the_window_is_full() -> None:
    tracker = ChannelTracker("angle", 300, 60, PERIOD)
    for _ in range(299):
        tracker.add((0.0, 1.0))
    assert tracker.estimate(0.1) is None
    tracker.add((0.0, 1.0))
    assert tracker.estimate(0.1) is not None
    tracker.clear()
    assert tracker.estimate(0.1) is None


def test_words() -> None:
    monitor = TrackingMonitor(TrackingParameters(window_s=1.0), PERIOD)
    assert math.isnan(monitor.angle_delay_s())
    for n in range(200):
        monitor.add(0.1 * math.sin(0.05 * n), 0.0, 0.5, 0.4, moving=True)
    angle, accel = monitor.estimates()
    assert not angle.tracks or angle.error < 0.08
    assert "gain 0.00" in angle.words()
    assert accel.words() == "acceleration tracks: mean error 0.1"
    monitor.configure(TrackingParameters(window_s=1.0, accel_error_mps2=0.05))
    assert "does NOT track" in monitor.estimates()[1].words()


def test_a_standing_car_is_not_judged_by_its_acceleration() -> None:
    monitor = TrackingMonitor(TrackingParameters(window_s=1.0), PERIOD)
    for _ in range(200):
        monitor.add(0.0, 0.0, -2.0, 0.0, moving=False)
    assert [e.channel for e in monitor.estimates()] == ["front wheel angle"]


def test_through_the_pipeline() -> None:
    """The fake car follows; one whose steering is stuck does not, and is named."""
    drive = Drive()
    drive.run(6.0, CRUISE)
    assert [estimate.tracks for estimate in drive.pipeline.tracking()] == [True, True]
    drive.platform.altered = {"applied": Applied(0.0, 0.0)}
    # Before the end of autonomy, which a stuck steering brings about, too.
    drive.run(2.9, CRUISE._replace(curvature_1pm=0.08))
    angle = drive.pipeline.tracking()[0]
    assert not angle.tracks
    assert "does NOT track" in angle.words()


def test_the_round_trip_is_seen_in_the_wheel_angle() -> None:
    drive = Drive("high_level")
    drive.run(3.0, CRUISE)
    for n in range(400):
        bend = 0.05 * math.sin(0.04 * n)
        drive.run(0.01, CRUISE._replace(curvature_1pm=bend))
    assert drive.pipeline.tracking()[0].delay_s == pytest.approx(0.1, abs=0.05)
    assert drive.pipeline.link_statistics(drive.now) == {}, "no wire, no statistics"
