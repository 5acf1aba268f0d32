"""Control -> acceleration and wheel angle: how velocity and acceleration combine."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_autoware.adapter import AutowareParameters, Control
from vdsim_autoware.adapter.control import acceleration, steering
from vdsim_interface.values import Gear

D, R, P = Gear.DRIVE, Gear.REVERSE, Gear.PARK
ASIS = AutowareParameters()
ALONE = AutowareParameters(longitudinal="acceleration")
SPEED = AutowareParameters(longitudinal="velocity")
TRUSTING = AutowareParameters(use_undefined_acceleration=True)
REAL = st.floats(-1e6, 1e6)


def control(velocity: float, accel: float, *, defined: bool = True, steer: float = 0.0) -> Control:
    return Control(0.0, steer, velocity, accel, defined)


CASES = [
    # parameters, gear, speed, velocity, acceleration, defined -> along the body
    (ASIS, D, 5.0, 10.0, 1.5, True, 1.5),
    (ASIS, D, 10.0, 10.0, 0.8, True, 0.8),  # uphill: the speed is kept by a positive acceleration
    (ASIS, D, 10.5, 10.0, 0.8, True, 0.4),  # above the velocity the drive fades out
    (ASIS, D, 12.0, 10.0, 0.8, True, 0.0),
    (ASIS, D, 12.0, 10.0, -0.7, True, -0.7),  # and a brake passes as it is
    (ASIS, D, 3.0, 0.0, -0.5, True, -0.5),  # a smooth stop stays smooth
    (ASIS, D, 0.0, 0.0, -0.5, True, -2.0),  # and at rest the car is held
    (ASIS, D, 0.0, 0.0, 1.0, True, -2.0),  # velocity 0 wins at rest
    (ASIS, D, 0.0, 3.0, 1.0, True, 1.0),
    (ASIS, R, -2.0, -5.0, 1.0, True, -1.0),  # speeding up in reverse counts as positive
    (ASIS, R, -2.0, -5.0, -1.0, True, 1.0),
    (ASIS, R, -7.0, -5.0, 1.0, True, 0.0),
    (ASIS, R, 0.0, 0.0, -3.0, True, 3.0),
    (ASIS, P, 0.0, 5.0, 1.0, True, 1.0),
    (ASIS, P, 0.0, -5.0, 1.0, True, -1.0),  # in P and N the sign of the velocity decides
    (ASIS, D, 2.0, -5.0, 2.0, True, 0.0),  # backward in DRIVE: no drive
    (ASIS, D, 3.0, 5.0, 9.9, False, 2.0),  # not defined: 1/s times the error of the speed
    (ASIS, D, 5.0, 3.0, 9.9, False, -2.0),
    (ASIS, R, -1.0, -3.0, 9.9, False, -2.0),
    (TRUSTING, D, 3.0, 5.0, 1.0, False, 1.0),
    (ALONE, D, 5.0, 0.0, 1.5, False, 1.5),
    (ALONE, D, 0.0, 0.0, -0.5, True, -0.5),
    (SPEED, D, 5.0, 6.0, -9.0, True, 1.0),
    (SPEED, D, 0.0, 0.0, 9.0, True, -2.0),
    (SPEED, D, 0.0, 30.0, 9.0, True, 3.0),  # in the range of the acceleration
    (SPEED, D, 30.0, 0.0, 9.0, True, -6.0),
]


@pytest.mark.parametrize(
    ("parameters", "gear", "speed", "velocity", "accel", "defined", "out"), CASES
)
def test_velocity_and_acceleration_combine(
    parameters: AutowareParameters,
    gear: Gear,
    speed: float,
    velocity: float,
    accel: float,
    defined: bool,
    out: float,
) -> None:
    got = acceleration(control(velocity, accel, defined=defined), gear, speed, parameters)
    assert got.value == pytest.approx(out)
    assert got.text == ""


@pytest.mark.parametrize(("accel", "used"), [(5.0, 3.0), (-9.0, -6.0)])
def test_an_acceleration_out_of_range_is_clamped_and_named(accel: float, used: float) -> None:
    got = acceleration(control(20.0, accel), D, 5.0, ASIS)
    assert got.value == used
    assert got.text == f"acceleration={accel:.3g} is outside -6 to 3: {used:g} is used"


@pytest.mark.parametrize(("angle", "used"), [(0.9, 0.55), (-0.9, -0.55), (0.3, 0.3)])
def test_the_steering_is_clamped_at_the_cars_limit(angle: float, used: float) -> None:
    got = steering(control(0.0, 0.0, steer=angle), ASIS)
    assert got.value == used
    assert bool(got.text) == (angle != used)


@given(
    REAL, REAL, st.booleans(), REAL, st.sampled_from(Gear), st.sampled_from([ASIS, SPEED, ALONE])
)
def test_every_command_gives_an_acceleration_in_range(
    velocity: float,
    accel: float,
    defined: bool,
    speed: float,
    gear: Gear,
    parameters: AutowareParameters,
) -> None:
    got = acceleration(control(velocity, accel, defined=defined), gear, speed, parameters)
    assert math.isfinite(got.value)
    assert abs(got.value) <= 6.0


@given(REAL, REAL, st.floats(-50.0, 50.0))
def test_nothing_drives_a_car_that_is_faster_than_the_velocity_by_the_margin(
    velocity: float, accel: float, speed: float
) -> None:
    got = acceleration(control(velocity, accel), D, speed, ASIS)
    if speed >= velocity + ASIS.velocity_margin_mps:
        assert got.value <= 0.0
