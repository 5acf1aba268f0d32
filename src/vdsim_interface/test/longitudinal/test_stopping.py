"""The end of a stop: positive drives, negative brakes."""

import pytest
from vdsim_interface.longitudinal.standing_brake import SOFT_END_MPS2
from vdsim_interface.longitudinal.stopping import (
    NO_DRIVE_MPS,
    eased,
    rests_shortly,
    without_rise,
)

DT = 0.01


def test_a_stop_is_braked_as_asked_until_its_last_speed() -> None:
    assert eased(-2.5, 1.0, -2.5, 0.08) == -2.5
    assert eased(-2.5, 0.7, -2.5, 0.08) == -2.5


def test_a_stop_ends_with_a_soft_brake_and_never_with_more_than_asked() -> None:
    assert eased(-2.5, 0.0, 0.0, 0.08) == -SOFT_END_MPS2
    assert eased(-0.3, 0.01, -0.3, 0.08) == -0.3
    asked = [eased(-2.5, 0.01 * n, -1.0, 0.0) for n in range(60)]
    assert asked == sorted(asked, reverse=True)


@pytest.mark.parametrize("lag_s", [0.03, 0.08, 0.2])
def test_a_brake_that_lags_is_eased_by_its_lag_earlier(lag_s: float) -> None:
    assert eased(-2.5, 0.2 + 2.0 * lag_s, -2.0, lag_s) == pytest.approx(eased(-2.5, 0.2, 0.0, 0.0))
    assert eased(-2.5, 0.2, 1.0, lag_s) == eased(-2.5, 0.2, 0.0, lag_s), "gaining speed"
    assert eased(-2.5, 0.1, -2.0 / lag_s, lag_s) == -SOFT_END_MPS2, "it rests before the brake acts"


@pytest.mark.parametrize("slope_mps2", [0.98, 1.9])
def test_a_lagging_brake_has_let_go_when_a_hill_brings_the_car_to_rest(slope_mps2: float) -> None:
    """What is left of the brake is a jolt on top of that of the hill."""
    left = []
    for known_lag_s in (0.0, 0.08):
        speed, brake, accel = 2.0, max(2.5 - slope_mps2, 0.0), -2.5
        while speed > 0.0:
            wanted = max(-eased(-2.5, speed, accel, known_lag_s) - slope_mps2, 0.0)
            brake += (wanted - brake) * DT / (0.08 + DT)
            accel = -slope_mps2 - brake
            speed += accel * DT
        left.append(brake)
    assert left[1] < 0.6 * left[0]


def test_the_drive_of_a_stop_only_falls() -> None:
    assert without_rise(1.0, 0.5, 2.0, DT) == pytest.approx(0.49)
    assert without_rise(1.0, -0.5, 2.0, DT) == 0.0
    assert without_rise(1.0, 0.001, 2.0, DT) == 0.0
    assert without_rise(0.2, 0.5, 2.0, DT) == 0.2
    assert without_rise(-1.0, 0.5, 2.0, DT) == -1.0
    assert without_rise(1.0, 0.5, NO_DRIVE_MPS, DT) == 0.0


def test_the_holding_brake_begins_when_the_car_rests_or_will_within_its_lag() -> None:
    assert rests_shortly(0.009, 0.0, 0.08)
    assert rests_shortly(0.03, -1.0, 0.08)
    assert not rests_shortly(0.033, -1.0, 0.08)
    assert not rests_shortly(0.25, -1.0, 0.625), "at 0.4 of the lag it just rests: not yet"
    assert not rests_shortly(0.03, 1.0, 0.08)
    assert not rests_shortly(NO_DRIVE_MPS + 0.001, -100.0, 0.08)
