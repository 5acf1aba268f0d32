"""The example's MPC drives the plant, whose tyres saturate, on a dry and on a slippery road."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples"))
from mpc_lane_change import BACK_M, LANE_M, OUT_M, STEER_MAX_RAD, Drive, drive

SLIPPERY = 0.45


@pytest.fixture(scope="module")
def dry() -> Drive:
    return drive()


def test_it_changes_lanes_twice_and_stays_near_the_path(dry: Drive) -> None:
    between = (dry.x_m > OUT_M[1]) & (dry.x_m < BACK_M[0])
    assert between.sum() > 20
    assert np.abs(dry.y_m[between] - LANE_M).max() < 0.2
    assert np.abs(dry.error_m).max() < 0.2
    assert abs(dry.y_m[-1]) < 0.05
    assert np.abs(dry.steer_rad).max() <= STEER_MAX_RAD
    assert 0.5 < dry.friction_use.max() < 0.8


def test_feedback_returns_to_the_path_from_beside_it(dry: Drive) -> None:
    open_loop = drive(start_y_m=0.8, steering=dry.steer_rad)
    closed = drive(start_y_m=0.8)
    assert np.abs(open_loop.error_m[-20:]).min() > 0.5
    assert np.abs(closed.error_m[-20:]).max() < 0.05


def test_on_a_slippery_road_a_controller_that_knows_it_keeps_the_tyres_below_their_limit() -> None:
    informed, uninformed = drive(mu=SLIPPERY), drive(mu=SLIPPERY, assumed_mu=0.9)
    assert informed.friction_use.max() < 0.95
    assert np.abs(informed.error_m).max() < 0.8
    assert uninformed.friction_use.max() > 0.97
    assert np.abs(uninformed.error_m).max() > 1.3 * np.abs(informed.error_m).max()
