"""The plant turns as slipx's double-track model does, where both models say the same."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples"))
from against_slipx import CIRCLES, STEPS, Both, circles, steps

PEAK = {"linear": 0.001, "hard": 0.005}
APART_M = {"linear": 0.02, "hard": 0.1}


@pytest.fixture(scope="module")
def stepped() -> dict[str, Both]:
    return steps()


@pytest.mark.parametrize("name", STEPS)
def test_a_step_of_the_steering_ends_at_the_same_place(name: str, stepped: dict[str, Both]) -> None:
    ours, theirs = stepped[name]
    assert ours.peak_yaw_rate_radps == pytest.approx(theirs.peak_yaw_rate_radps, rel=PEAK[name])
    assert ours.yaw_rate_radps == pytest.approx(theirs.yaw_rate_radps, rel=PEAK[name])
    assert ours.vx_mps == pytest.approx(theirs.vx_mps, rel=2e-3)
    assert math.hypot(ours.x_m - theirs.x_m, ours.y_m - theirs.y_m) < APART_M[name]


def test_circles_have_the_same_yaw_rate_and_sideslip() -> None:
    driven = circles()
    assert set(driven) == set(CIRCLES)
    for ours, theirs in driven.values():
        assert ours.vx_mps == pytest.approx(theirs.vx_mps, rel=1e-4)
        assert ours.yaw_rate_radps == pytest.approx(theirs.yaw_rate_radps, rel=1e-3)
        assert ours.sideslip_rad == pytest.approx(theirs.sideslip_rad, rel=5e-3, abs=5e-5)
        assert abs(ours.yaw_rate_radps) > 0.05
