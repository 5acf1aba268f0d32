import math
from dataclasses import replace
from typing import Any

import pytest
from vdsim_interface.controller.curvature_trim import BOUND_LESS, BOUND_MORE, CurvatureTrim
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.values import (
    Applied,
    Authority,
    BodyCommand,
    BodyState,
    HighLevelCommand,
    Mode,
    PlatformCommand,
    SafeCommand,
    VehicleCommand,
    VehicleReport,
)

CAR = VehicleGeometry(front_wheel_angle_max_rad=0.5)
ANGLE_RAD = 0.03
DT = 0.01


def period(trim: CurvatureTrim, n: int, **changes: Any) -> float:
    """Return the wheel angle of one period in a bend of 0.01 1/m at 10 m/s."""
    values: dict[str, Any] = {
        "authority": Authority.COMMAND,
        "curvature": 0.01,
        "speed": 10.0,
        "yaw_rate": 0.09,
        "measured": ANGLE_RAD,
        "limited": ANGLE_RAD,
        "vehicle_s": n * DT,
        "fresh": True,
    } | changes
    controlled = VehicleCommand(0.0, 0.0, ANGLE_RAD, 0.0)
    motion = controlled._replace(front_wheel_angle_rad=values["limited"])
    command = PlatformCommand(values["authority"], Mode.AUTONOMOUS, motion, BodyCommand())
    received = HighLevelCommand(0.0, values["speed"], values["curvature"])
    safe = SafeCommand(0.0, command, received=received, controlled=controlled)
    report = VehicleReport(
        stamp_s=n * DT,
        vehicle_time_s=values["vehicle_s"],
        velocity_mps=values["speed"],
        front_wheel_angle_rad=values["measured"],
        body=BodyState(),
        applied=Applied(0.0, 0.0),
        yaw_rate_radps=values["yaw_rate"],
    )
    return trim.step(safe, report, fresh=values["fresh"]).front_wheel_angle_rad


def after(seconds: float, **changes: Any) -> CurvatureTrim:
    trim = CurvatureTrim(CAR)
    for n in range(round(seconds / DT)):
        period(trim, n, **changes)
    return trim


def test_too_little_yaw_rate_gives_more_angle_slowly() -> None:
    trim = after(0.1)
    assert 0.0 < trim.share < 0.02
    assert period(trim, 10) == pytest.approx(ANGLE_RAD * (1.0 + trim.share))


@pytest.mark.parametrize(
    ("yaw_rate", "bound"), [(-0.1, BOUND_MORE), (1e-9, BOUND_MORE), (0.9, BOUND_LESS)]
)
def test_a_yaw_rate_that_is_wrong_changes_the_angle_within_its_bounds(
    yaw_rate: float, bound: float
) -> None:
    assert after(20.0, yaw_rate=yaw_rate).share == bound


@pytest.mark.parametrize(
    "changes",
    [
        {"curvature": 0.0},
        {"speed": 1.0},
        {"curvature": 0.05},
        {"limited": 0.02},
        {"yaw_rate": math.nan},
        {"yaw_rate": 0.0},  # the report of a vehicle that has none
        {"vehicle_s": 5.0},
        {"vehicle_s": math.nan},
        {"fresh": False},
        {"authority": Authority.IDLE},
    ],
)
def test_it_learns_in_steady_bends_that_nothing_limits(changes: dict[str, Any]) -> None:
    assert after(3.0, **changes).share == 0.0


def test_while_the_wheels_turn_it_does_not_learn() -> None:
    trim = CurvatureTrim(CAR)
    for n in range(100):
        period(trim, n, measured=0.001 * n)
    assert trim.share == 0.0


def test_without_authority_it_starts_again_from_nothing() -> None:
    trim = after(3.0)
    assert trim.share > 0.05
    assert period(trim, 301, authority=Authority.IDLE) == ANGLE_RAD
    assert trim.share == 0.0


def test_without_reports_the_wheels_stay_where_autonomy_left_them() -> None:
    """As when a lost link has ended autonomy; the next report is of the angle with its share."""
    trim = after(3.0)
    angle_rad = period(trim, 301)
    assert angle_rad > 1.05 * ANGLE_RAD
    for n in range(302, 400):
        assert period(trim, n, authority=Authority.IDLE, fresh=False) == angle_rad
    assert period(trim, 400, authority=Authority.IDLE) == ANGLE_RAD
    assert trim.share == 0.0


def test_switched_off_it_changes_nothing() -> None:
    trim = CurvatureTrim(replace(CAR, curvature_correction=False))
    assert {period(trim, n) for n in range(300)} == {ANGLE_RAD}


def test_the_angle_stays_within_the_car() -> None:
    trim = CurvatureTrim(replace(CAR, front_wheel_angle_max_rad=0.031))
    assert max(period(trim, n) for n in range(1000)) == 0.031
