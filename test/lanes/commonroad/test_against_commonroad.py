"""Level l3 answers a sine of the steering as CommonRoad's multi-body model of 29 states does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples"))
from l3_against_commonroad import STEERING, Peaks, comparison, table

Found = dict[tuple[str, float], tuple[Peaks, Peaks, Peaks]]
CASES = [(slip, f) for slip in ("of the body", "of the axles") for f in STEERING]


@pytest.fixture(scope="module")
def found() -> Found:
    drives = comparison()
    print(table(drives))
    return drives


@pytest.mark.parametrize("case", CASES)
def test_the_peaks_agree(found: Found, case: tuple[str, float]) -> None:
    reference, ours, _ = found[case]
    assert ours.ay_mps2 == pytest.approx(reference.ay_mps2, rel=0.02)
    assert ours.roll_rad == pytest.approx(reference.roll_rad, rel=0.03)
    assert ours.yaw_rate_radps == pytest.approx(reference.yaw_rate_radps, rel=0.02)
    assert ours.body_ay_mps2 == pytest.approx(reference.body_ay_mps2, rel=0.025)


def test_level_l2_misses_the_roll(found: Found) -> None:
    reference, _, plain = found["of the axles", 2.0]
    assert plain.ay_mps2 > 1.1 * reference.ay_mps2
    assert plain.roll_rad > 1.1 * reference.roll_rad
