"""Which side the simulator steers to: found in a second, and never claimed of a car that slides."""

from __future__ import annotations

import math

import pytest
from vdsim_interface.extras.morai.parameters import MoraiParameters
from vdsim_interface.extras.morai.steer_sign import SteerSign
from vdsim_interface.values import Applied, BodyState, VehicleReport

WHEELBASE_M = 2.97


def seen(
    now: float, speed: float, steer: float, yaw_rate: float, side: float = 0.0, brake: float = 0.0
) -> VehicleReport:
    return VehicleReport(
        stamp_s=now,
        vehicle_time_s=now,
        velocity_mps=speed,
        front_wheel_angle_rad=steer,
        body=BodyState(),
        applied=Applied(steer, 0.0, brake=brake),
        lateral_velocity_mps=side,
        yaw_rate_radps=yaw_rate,
    )


def found_s(speed: float, steer: float, sign: float, share: float = 1.0) -> float:
    """When a car that turns to one side is found wrong; infinite: not within 5 s."""
    watch = SteerSign(WHEELBASE_M)
    yaw_rate = sign * share * speed * math.tan(steer) / WHEELBASE_M
    for step in range(250):
        watch.add(seen(0.02 * step, speed, steer, yaw_rate))
        if watch.is_wrong:
            return 0.02 * step
    return math.inf


@pytest.mark.parametrize("speed", [2.0, 7.0, 25.0, -2.0])
@pytest.mark.parametrize("steer", [0.03, 0.3, -0.1])
def test_a_wrong_side_is_found_within_a_second(speed: float, steer: float) -> None:
    assert found_s(speed, steer, -1.0) < 1.0
    assert found_s(speed, steer, -1.0, 0.6) < 1.0, "an understeering car"
    assert found_s(speed, steer, 1.0) == math.inf


def test_what_says_nothing_finds_nothing() -> None:
    assert found_s(0.5, 0.3, -1.0) == math.inf, "too slow"
    assert found_s(10.0, 0.005, -1.0) == math.inf, "straight"
    assert found_s(10.0, 0.2, -1.0, 0.1) == math.inf, "front wheels that slide on ice"


def test_a_car_that_is_caught_in_a_skid_is_not_blamed() -> None:
    """It steers against its yaw rate for seconds; its rear axle slides."""
    watch = SteerSign(WHEELBASE_M)
    for step in range(250):
        watch.add(seen(0.02 * step, 15.0, -0.2, 0.6, side=-4.0))
        assert not watch.is_wrong


def test_a_car_that_slides_on_locked_wheels_is_not_blamed() -> None:
    """It turns slowly to the other side while it brakes straight on (mu 0.3); then it rolls."""
    watch = SteerSign(WHEELBASE_M)
    for step in range(100):
        watch.add(seen(0.02 * step, 4.0, 0.17, -0.1, brake=0.2), 0.17)
        assert not watch.is_wrong
    for step in range(100, 200):
        watch.add(seen(0.02 * step, 4.0, 0.17, -0.1), 0.17)
    assert watch.is_wrong


def test_quick_steering_to_and_fro_is_not_blamed_for_its_lag() -> None:
    watch = SteerSign(WHEELBASE_M)
    for step in range(500):
        now = 0.02 * step
        steer = 0.1 * math.sin(2.0 * math.pi * 0.7 * now)
        late = 0.1 * math.sin(2.0 * math.pi * 0.7 * (now - 0.3))
        watch.add(seen(now, 15.0, steer, 15.0 * late / WHEELBASE_M))
        assert not watch.is_wrong


def test_a_gap_or_a_car_that_turns_rightly_ends_the_finding() -> None:
    watch = SteerSign(WHEELBASE_M)
    for step in range(60):
        watch.add(seen(0.02 * step, 10.0, 0.1, -0.3))
    assert watch.is_wrong
    for step in range(60):
        watch.add(seen(9.0 + 0.02 * step, 10.0, 0.1, 0.3))
    assert not watch.is_wrong


def judged(sent: float, reported: float, **settings: str) -> str:
    """What is said of a car that turns left; the signs of what was sent and of what it reports."""
    watch = SteerSign(WHEELBASE_M)
    for step in range(100):
        watch.add(seen(0.02 * step, 10.0, 0.1 * reported, 10.0 * 0.1 / WHEELBASE_M), 0.1 * sent)
    return watch.advice(MoraiParameters(release="24.R2", **settings)) if watch.is_wrong else ""


def test_each_of_the_two_sides_is_named() -> None:
    assert judged(1.0, 1.0) == ""
    assert judged(1.0, -1.0).endswith("set morai.steer_reported_positive to left")
    assert judged(-1.0, 1.0).endswith(
        "set morai.steer_positive to left and morai.steer_reported_positive to right"
    )
    assert judged(-1.0, -1.0).endswith("set morai.steer_positive to left")
    assert judged(-1.0, -1.0, steer_reported_positive="right").endswith(
        "set morai.steer_positive to left and morai.steer_reported_positive to left"
    )
    assert judged(math.nan, -1.0).endswith("set morai.steer_positive to left"), "driven by hand"
    assert judged(math.nan, 1.0) == ""


def test_a_command_that_the_car_follows_half_a_second_late_is_not_blamed() -> None:
    watch = SteerSign(WHEELBASE_M)
    for step in range(500):
        now = 0.02 * step
        sent = 0.1 * math.sin(2.0 * math.pi * 0.4 * now)
        late = 0.1 * math.sin(2.0 * math.pi * 0.4 * (now - 0.5))
        watch.add(seen(now, 15.0, late, 15.0 * late / WHEELBASE_M), sent)
        assert not watch.is_wrong
