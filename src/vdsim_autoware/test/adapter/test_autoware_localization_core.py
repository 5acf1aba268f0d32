"""The rear axle's pose, and which initial poses are poses."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_autoware.adapter.localization import Planar, moved, start_pose, yaw_of

METRES, ANGLE = st.floats(-1e4, 1e4), st.floats(-3.0, 3.0)


@pytest.mark.parametrize(
    ("yaw_rad", "x_m", "y_m"),
    [(0.0, 8.2, 5.0), (math.pi / 2, 10.0, 3.2), (math.pi, 11.8, 5.0)],
)
def test_the_axle_is_behind_the_centre_of_gravity(yaw_rad: float, x_m: float, y_m: float) -> None:
    axle = moved(Planar(10.0, 5.0, yaw_rad), -1.8)
    assert (axle.x_m, axle.y_m) == (pytest.approx(x_m), pytest.approx(y_m))


@given(METRES, METRES, ANGLE, st.floats(-5.0, 5.0))
def test_forth_and_back_is_the_same_place(x: float, y: float, yaw: float, by: float) -> None:
    there = moved(moved(Planar(x, y, yaw), by), -by)
    assert there == (pytest.approx(x, abs=1e-6), pytest.approx(y, abs=1e-6), yaw)


@given(ANGLE)
def test_a_heading_comes_through_its_quaternion(yaw: float) -> None:
    assert yaw_of(0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)) == pytest.approx(yaw, abs=1e-9)


@pytest.mark.parametrize(
    ("x", "quaternion"),
    [
        (math.nan, (0.0, 0.0, 0.0, 1.0)),
        (math.inf, (0.0, 0.0, 0.0, 1.0)),
        (0.0, (0.0, 0.0, 0.0, 0.0)),
        (0.0, (0.0, 0.0, math.nan, 1.0)),
    ],
)
def test_what_is_no_pose_is_refused(x: float, quaternion: tuple[float, ...]) -> None:
    assert start_pose(x, 0.0, quaternion) is None  # type: ignore[arg-type]
