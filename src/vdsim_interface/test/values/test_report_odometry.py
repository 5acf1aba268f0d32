"""The motion in a report: what is no number must not pass for a car at rest."""

from __future__ import annotations

import math

import pytest
from vdsim_interface.values import Applied, BodyState, VehicleReport

GOOD = VehicleReport(1.0, 1.0, 5.0, 0.1, BodyState(), Applied(0.1, 0.0), rear_wheel_angle_rad=0.1)


@pytest.mark.parametrize("field", ["velocity_mps", "front_wheel_angle_rad", "rear_wheel_angle_rad"])
@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, 1e300])
def test_a_motion_that_is_no_number_stays_so(field: str, wrong: float) -> None:
    assert GOOD.odometry().is_finite()
    report = GOOD._replace(**{field: wrong})
    assert not report.odometry().is_finite()
    assert not report.feedback().odometry.is_finite()


@pytest.mark.parametrize(
    ("speed_mps", "told_mps"), [(5e-324, 0.0), (-1e-6, 0.0), (0.25, 0.25), (-0.25, -0.25)]
)
def test_a_speed_next_to_nothing_is_standstill(speed_mps: float, told_mps: float) -> None:
    assert GOOD._replace(velocity_mps=speed_mps).odometry().velocity_mps == told_mps
