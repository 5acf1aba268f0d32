"""The examples of MPC and MPPI over a slippery patch drive as their texts say."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples"))
import mpc_low_mu
import mppi_low_mu


@pytest.fixture(scope="module")
def informed() -> mpc_low_mu.Drive:
    return mpc_low_mu.drive()


def test_the_mpc_brakes_passes_and_keeps_its_tyres_below_their_limit(
    informed: mpc_low_mu.Drive,
) -> None:
    assert informed.clear_m > mpc_low_mu.CLEAR_M
    assert np.abs(informed.error_m).max() < 0.15
    assert np.abs(informed.sideslip_rad).max() < 0.08
    assert informed.vx_mps[-1] == pytest.approx(mpc_low_mu.SLOW_MPS, abs=0.3)
    assert 0.8 < informed.friction_use.max() < 0.99


def test_the_mpc_that_believes_in_a_dry_road_slides(informed: mpc_low_mu.Drive) -> None:
    believer = mpc_low_mu.drive(believe_dry=True)
    assert believer.friction_use.max() > 0.99
    assert np.abs(believer.error_m).max() > 4.0 * np.abs(informed.error_m).max()
    assert np.abs(believer.sideslip_rad).max() > 4.0 * np.abs(informed.sideslip_rad).max()


def test_its_bounded_least_squares_finds_the_minimum_within_the_bounds() -> None:
    from scipy.optimize import lsq_linear

    random = np.random.default_rng(0)
    for _ in range(20):
        rows, targets = random.normal(size=(40, 12)), random.normal(size=40)
        low, high = -random.uniform(0.01, 0.2, 12), random.uniform(0.01, 0.2, 12)
        found = mpc_low_mu.bounded_least_squares(rows, targets, low, high)
        wanted = lsq_linear(rows, targets, (low, high), tol=1e-12).x
        assert found == pytest.approx(wanted, abs=1e-5)


def test_mppi_passes_with_few_rollouts() -> None:
    done = mppi_low_mu.drive(rollouts=256)
    assert done.clear_m > mpc_low_mu.CLEAR_M
    assert np.abs(done.sideslip_rad).max() < 0.1
    assert done.vx_mps[-1] < 12.0
