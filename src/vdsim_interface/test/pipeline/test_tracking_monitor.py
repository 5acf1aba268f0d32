import math
import random
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.tracking_monitor import (
    Pairs,
    TrackingEstimate,
    TrackingMonitor,
    estimate,
    with_round_trip,
)
from vdsim_interface.pipeline.vehicle_watch import TrackingParameters
from vdsim_interface.values import Applied, Authority
from vdsim_interface_kit.interface import CRUISE, Drive, tracking_of

PERIOD = 0.01


def estimated(
    delay_n: int, gain: float, bias: float, moving: bool = True, noise: float = 0.0
) -> tuple[float, float, float, bool]:
    pairs = Pairs(maxlen=300)
    chance = random.Random(3)

    def asked(n: int) -> float:
        return 0.2 * math.sin(2.0 * math.pi * 0.7 * n * PERIOD) if moving else 0.1

    for n in range(400):
        answer = gain * asked(n - delay_n) + bias + chance.gauss(0.0, noise)
        pairs.append((asked(n), answer))
    found = estimate("angle", pairs, 60, PERIOD, 0.08)
    return found.delay_s, found.gain, found.bias, found.tracks


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 60), st.floats(0.5, 1.2), st.floats(-0.03, 0.03))
@example(0, 1.0, 0.0)
@example(60, 0.5, -0.02)
def test_delay_gain_and_bias_are_found(delay_n: int, gain: float, bias: float) -> None:
    found = estimated(delay_n, gain, bias)
    assert found[:3] == (
        pytest.approx(delay_n * PERIOD),
        pytest.approx(gain, abs=1e-6),
        pytest.approx(bias, abs=1e-6),
    )


def test_noise_does_little_harm() -> None:
    delay, gain, bias, _ = estimated(10, 1.0, 0.01, noise=0.01)
    assert delay == pytest.approx(0.1, abs=0.02)
    assert gain == pytest.approx(1.0, abs=0.02)
    assert bias == pytest.approx(0.01, abs=0.003)


def test_a_still_command_gives_bias_but_no_delay_and_gain() -> None:
    delay, gain, bias, follows = estimated(5, 1.0, 0.05, moving=False)
    assert math.isnan(delay)
    assert math.isnan(gain)
    assert bias == pytest.approx(0.05)
    assert follows
    assert not estimated(5, 1.0, 0.2, moving=False)[3]


def test_a_vehicle_that_does_nothing_does_not_follow() -> None:
    assert not estimated(0, 0.0, 0.0)[3]
    assert estimated(10, 1.0, 0.0)[3]


def windows(**tracking: float) -> tuple[TrackingMonitor, InterfaceParameters]:
    parameters = InterfaceParameters(tracking=TrackingParameters(window_s=1.0, **tracking))
    tracked = TrackingMonitor()
    tracked.angle, tracked.accel = Pairs(maxlen=100), Pairs(maxlen=100)
    return tracked, parameters


def test_nothing_is_said_before_the_window_is_full() -> None:
    tracked, parameters = windows()
    for _ in range(99):
        tracked.angle.append((0.0, 1.0))
    assert tracked.estimates(parameters) == ()
    tracked.angle.append((0.0, 1.0))
    assert [found.channel for found in tracked.estimates(parameters)] == ["front wheel angle"]


def test_words() -> None:
    tracked, parameters = windows()
    for n in range(200):
        tracked.angle.append((0.1 * math.sin(0.05 * n), 0.0))
        tracked.accel.append((0.5, 0.4))
    angle, accel = tracked.estimates(parameters)
    assert not angle.tracks or angle.error < 0.08
    assert "gain 0.00" in angle.words()
    assert accel.words() == "acceleration tracks: mean error 0.1"
    stricter = windows(accel_error_mps2=0.05)[1]
    assert "does NOT track" in tracked.estimates(stricter)[1].words()


def test_a_standing_car_is_not_judged_by_its_acceleration() -> None:
    drive = Drive()
    drive.run(6.0)
    drive.run(0.5, CRUISE)
    tracked = tracking_of(drive)
    assert len(tracked.angle) > len(tracked.accel)


def test_nothing_is_kept_of_a_drive_that_has_ended_or_had_another_window() -> None:
    drive = Drive()
    drive.run(6.0, CRUISE)
    tracked = tracking_of(drive)
    shorter = replace(drive.parameters, tracking=TrackingParameters(window_s=1.0))
    sent, report = drive.outputs[-1].sent.command, drive.outputs[-1].report
    tracked.add(sent, report, shorter)
    assert len(tracked.angle) == 1
    tracked.add(sent._replace(authority=Authority.IDLE), report, shorter)
    assert not tracked.angle
    assert not tracked.accel


def test_the_round_trip_is_the_measured_one_else_the_delay_of_the_wheel_angle() -> None:
    def found(delay_s: float) -> list[TrackingEstimate]:
        return [TrackingEstimate("front wheel angle", delay_s, 1.0, 0.0, 0.0, True)]

    assert with_round_trip({}, found(0.1)) == {}
    assert with_round_trip({"lost": 0.0}, ()) == {"lost": 0.0}
    assert with_round_trip({"lost": 0.0}, found(math.nan)) == {"lost": 0.0}
    assert with_round_trip({"lost": 0.0}, found(0.1)) == {"lost": 0.0, "round_trip_s": 0.1}
    measured = {"measured_round_trip_s": 0.02}
    assert with_round_trip(measured, found(0.1)) == {**measured, "round_trip_s": 0.02}


def tracking(drive: Drive) -> tuple[TrackingEstimate, ...]:
    return tracking_of(drive).estimates(drive.parameters)


def test_through_the_pipeline() -> None:
    """The fake car follows; one whose steering is stuck does not, and is named."""
    drive = Drive()
    drive.run(6.0, CRUISE)
    assert [estimate.tracks for estimate in tracking(drive)] == [True, True]
    drive.platform.altered = {"applied": Applied(0.0, 0.0)}
    # Before the end of autonomy, which a stuck steering brings about, too.
    drive.run(2.9, CRUISE._replace(curvature_1pm=0.08))
    angle = tracking(drive)[0]
    assert not angle.tracks
    assert "does NOT track" in angle.words()


def test_the_round_trip_is_seen_in_the_wheel_angle() -> None:
    drive = Drive("high_level")
    drive.run(3.0, CRUISE)
    for n in range(400):
        bend = 0.05 * math.sin(0.04 * n)
        drive.run(0.01, CRUISE._replace(curvature_1pm=bend))
    assert tracking(drive)[0].delay_s == pytest.approx(0.1, abs=0.05)
    assert drive.pipeline.vehicle_side.link_statistics(drive.now) == {}, "no wire, no statistics"
