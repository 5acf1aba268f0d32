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
    assert eased(-2.5, 1.0) == -2.5
    assert eased(-2.5, 0.7) == -2.5


def test_a_stop_ends_with_a_soft_brake_and_never_with_more_than_asked() -> None:
    assert eased(-2.5, 0.0) == -SOFT_END_MPS2
    assert eased(-0.3, 0.01) == -0.3
    asked = [eased(-2.5, 0.01 * n) for n in range(60)]
    assert asked == sorted(asked, reverse=True)


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
    assert not rests_shortly(0.03, 1.0, 0.08)
    assert not rests_shortly(NO_DRIVE_MPS + 0.001, -100.0, 0.08)
