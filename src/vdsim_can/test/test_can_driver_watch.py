"""Overrides with threshold, hysteresis and time; faults, latched or not."""

import math

import pytest
from vdsim_can.car import Control, FaultRow, OverrideRow
from vdsim_can.platform.driver_watch import DriverWatch, FaultWatch, OverrideWatch
from vdsim_can_kit.dbw_car import named

TORQUE = OverrideRow(
    control=Control.WHEEL,
    signal=named("STEER_STATUS.TORQUE"),
    threshold=3.0,
    hysteresis=1.0,
    for_ms=50.0,
    text="the driver turns the wheel",
)
FAULT = named("STEER_STATUS.FAULT")


@pytest.mark.parametrize(
    ("values", "active"),
    [
        ([3.5] * 5, False),  # 40 ms
        ([3.5] * 6, True),
        ([-3.5] * 6, True),
        ([3.0] * 20, False),
        ([3.5] * 4 + [2.9] + [3.5] * 4, False),
        ([3.5] * 6 + [2.1] * 20, True),
        ([3.5] * 6 + [1.9], False),
        ([3.5] * 6 + [math.nan] * 20, True),
        ([math.nan] * 20, False),
        ([3.5] * 3 + [math.nan] + [3.5] * 4, False),
    ],
)
def test_an_override_begins_after_its_time_and_ends_below_its_hysteresis(
    values: list[float], active: bool
) -> None:
    watch = OverrideWatch(TORQUE)
    for number, value in enumerate(values):
        watch.update(1.0 + 0.01 * number, value)
    assert watch.is_active is active


def test_time_that_jumps_back_does_not_make_an_override_of_the_past() -> None:
    watch = OverrideWatch(TORQUE)
    assert not watch.update(100.0, 3.5)
    assert not watch.update(1.0, 3.5)
    assert not watch.update(1.04, 3.5)
    assert watch.update(1.05, 3.5)


def test_all_controls_in_use_are_named() -> None:
    brake = OverrideRow(control=Control.PEDAL, signal=named("P.BRAKE"), threshold=0.1)
    watch = DriverWatch((TORQUE, brake))
    values = {TORQUE.signal: 5.0, brake.signal: 0.5}
    for number in range(7):
        used = watch.update(0.01 * number, lambda name: values[name])
    assert used == {Control.WHEEL, Control.PEDAL}
    assert watch.text == "the driver turns the wheel (STEER_STATUS.TORQUE); pedal (P.BRAKE)"


def _fault(*, latched: bool) -> FaultWatch:
    row = FaultRow(
        signal=FAULT, when=frozenset({2, 3}), text="the actuator has failed", latched=latched
    )
    return FaultWatch((row,))


def test_a_fault_lasts_as_long_as_the_car_reports_it() -> None:
    watch = _fault(latched=False)
    assert watch.update(lambda name: 1.0, autonomous=True) == ""
    assert watch.update(lambda name: 3.0, autonomous=True) == (
        "the actuator has failed (STEER_STATUS.FAULT is 3)"
    )
    assert watch.update(lambda name: 0.0, autonomous=True) == ""


def test_a_latched_fault_stays_until_autonomy_is_off_and_the_signal_is_known_to_be_well() -> None:
    watch = _fault(latched=True)
    text = watch.update(lambda name: 2.0, autonomous=True)
    assert watch.update(lambda name: 0.0, autonomous=True) == text
    assert watch.update(lambda name: None, autonomous=False) == text
    assert watch.update(lambda name: 0.0, autonomous=False) == ""
    assert watch.update(lambda name: 0.0, autonomous=True) == ""
