"""PARK, a direction and the hand brake: speed and wheels must agree that the car stands."""

from __future__ import annotations

import math

import pytest
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.safety.body import hand_brake_refusal
from vdsim_interface.safety.gearbox import Gearbox, refusal
from vdsim_interface.safety.inputs import Inputs
from vdsim_interface.values import BodyState, Gear, Odometry, notice_kinds, wheels_stand
from vdsim_interface.values.speeds import WHEEL_MARGIN_MPS

LIMITS = SafetyParameters()
STANDING_MPS = LIMITS.standstill_speed_mps
CHANGE_MPS = LIMITS.gear_change_speed_mps


@pytest.mark.parametrize("wheel_mps", [math.nan, 0.0, STANDING_MPS + WHEEL_MARGIN_MPS - 1e-9])
def test_wheels_that_stand_or_are_not_reported_permit(wheel_mps: float) -> None:
    for sign in (1.0, -1.0):
        assert wheels_stand(sign * wheel_mps, STANDING_MPS)
        assert refusal(Gear.DRIVE, Gear.PARK, 0.0, LIMITS, sign * wheel_mps) is None
        assert refusal(Gear.DRIVE, Gear.REVERSE, 0.0, LIMITS, sign * wheel_mps) is None
        assert hand_brake_refusal(0.0, LIMITS, sign * wheel_mps) is None


def test_wheels_may_be_a_fifth_of_a_metre_per_second_faster() -> None:
    assert wheels_stand(0.25, 0.125)
    assert not wheels_stand(0.375, 0.125)


@pytest.mark.parametrize("wheel_mps", [STANDING_MPS + WHEEL_MARGIN_MPS + 1e-6, 5.8, -5.8])
def test_wheels_that_turn_refuse_park(wheel_mps: float) -> None:
    notice = refusal(Gear.DRIVE, Gear.PARK, 0.0, LIMITS, wheel_mps)
    assert notice is not None
    assert notice.kind is notice_kinds.GEAR_PARK_MOVING
    assert notice.text == (
        f"PARK refused: the wheels turn at {wheel_mps:.2f} m/s while the speed is 0.00 m/s; "
        "both must agree"
    )


@pytest.mark.parametrize(
    ("requested", "wheel_mps", "refused"),
    [
        (Gear.REVERSE, CHANGE_MPS + WHEEL_MARGIN_MPS + 1e-6, True),
        (Gear.REVERSE, CHANGE_MPS + WHEEL_MARGIN_MPS - 1e-6, False),
        (Gear.REVERSE, -5.0, False),
        (Gear.DRIVE, -CHANGE_MPS - WHEEL_MARGIN_MPS - 1e-6, True),
        (Gear.DRIVE, 5.0, False),
        (Gear.NEUTRAL, 5.0, False),
    ],
)
def test_wheels_that_turn_against_it_refuse_a_direction(
    requested: Gear, wheel_mps: float, refused: bool
) -> None:
    notice = refusal(Gear.PARK, requested, 0.0, LIMITS, wheel_mps)
    assert (notice is not None) is refused
    if notice is not None:
        assert notice.kind is notice_kinds.GEAR_DIRECTION_MOVING
        assert notice.text.startswith(f"{requested.name} refused: the wheels turn at ")


@pytest.mark.parametrize("wheel_mps", [CHANGE_MPS + WHEEL_MARGIN_MPS + 1e-6, -5.0])
def test_wheels_that_turn_refuse_the_hand_brake(wheel_mps: float) -> None:
    notice = hand_brake_refusal(0.0, LIMITS, wheel_mps)
    assert notice is not None
    assert notice.kind is notice_kinds.HAND_BRAKE_MOVING
    assert f"the wheels turn at {wheel_mps:.2f} m/s while the speed is 0.00 m/s" in notice.text


def test_the_speed_alone_still_refuses() -> None:
    for wheel_mps in (0.0, math.nan):
        assert refusal(Gear.DRIVE, Gear.PARK, 5.0, LIMITS, wheel_mps) is not None
        assert refusal(Gear.DRIVE, Gear.REVERSE, 5.0, LIMITS, wheel_mps) is not None
        assert hand_brake_refusal(5.0, LIMITS, wheel_mps) is not None


def reports(wheel_mps: float) -> Inputs:
    """At 0 s the car stands in D, and its fastest wheel turns."""
    inputs = Inputs()
    inputs.odometry = Odometry(0.0)
    inputs.on_body(BodyState(gear=Gear.DRIVE), wheel_mps)
    return inputs


@pytest.mark.parametrize(("wheel_mps", "gear"), [(0.0, Gear.REVERSE), (5.0, Gear.DRIVE)])
def test_the_automatic_direction_needs_both(wheel_mps: float, gear: Gear) -> None:
    gearbox = Gearbox()
    gearbox.mirror_vehicle(Gear.DRIVE)
    gearbox.arm_automatic()
    gearbox.step(-1.0, 0.0, reports(wheel_mps), LIMITS, 0.01, by_speed=True)
    assert gearbox.gear is gear


@pytest.mark.parametrize("wheel_mps", [5.0, 0.0])
def test_a_request_that_waits_is_checked_with_the_wheels_again(wheel_mps: float) -> None:
    gearbox = Gearbox()
    gearbox.mirror_vehicle(Gear.DRIVE)
    assert gearbox.request(Gear.PARK, reports(0.0), LIMITS, 0.0, checked=True) == ()
    _, notices = gearbox.step(0.0, 0.0, reports(wheel_mps), LIMITS, 0.01)
    if wheel_mps:
        assert gearbox.gear is Gear.DRIVE
        assert notices[0].kind is notice_kinds.GEAR_PARK_MOVING
    else:
        assert gearbox.gear is Gear.PARK
