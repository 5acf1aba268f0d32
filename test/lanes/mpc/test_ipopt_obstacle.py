"""IPOPT on the plant's equations: its inputs drive the plant where the plan says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples"))
from ipopt_obstacle import CLEAR_M, END_M, START_MPS, Plan, drive, solve


@pytest.fixture(scope="module")
def plan() -> Plan:
    return solve()


def test_it_finds_a_way_that_is_faster_than_a_steady_one(plan: Plan) -> None:
    assert plan.status == "Solve_Succeeded"
    assert plan.time_s < 0.85 * END_M / START_MPS
    assert plan.states[-1, 0] == pytest.approx(END_M, abs=1e-4)


def test_the_plant_follows_the_plan_at_the_limit_without_feedback(plan: Plan) -> None:
    done = drive(plan)
    assert done.friction_use.max() > 0.9
    assert done.apart_m(plan).max() < 0.02
    assert done.clear_m > CLEAR_M - 0.05
    assert abs(done.states[-1, 2]) < 0.03
