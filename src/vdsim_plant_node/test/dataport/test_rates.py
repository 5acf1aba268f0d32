"""Limits and beats, in virtual time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant_node.dataport.rates import Beat, TokenBucket


def test_a_burst_passes_and_then_the_rate_counts() -> None:
    bucket = TokenBucket(10.0, 5)
    assert [bucket.allow(0.0) for _ in range(7)] == [True] * 5 + [False] * 2
    assert not bucket.allow(0.05)
    assert bucket.allow(0.16)
    assert [bucket.allow(100.0) for _ in range(6)] == [True] * 5 + [False]


@given(st.lists(st.floats(0.0, 0.02), min_size=50, max_size=400))
def test_no_more_than_the_rate_passes(gaps: list[float]) -> None:
    bucket = TokenBucket(100.0, 10)
    now, passed = 0.0, 0
    for gap in gaps:
        now += gap
        passed += bucket.allow(now)
    assert passed <= 10 + 100.0 * now + 1e-6


def test_a_beat_neither_drifts_nor_catches_up() -> None:
    beat = Beat(10.0, 5.0)
    assert beat.wait_s(5.0) == pytest.approx(0.1)
    assert beat.wait_s(5.103) == pytest.approx(0.097)
    assert beat.wait_s(5.55) == pytest.approx(0.05), "what was missed is left out"
    assert beat.wait_s(5.6 - 1e-4) == pytest.approx(0.1 + 1e-4), "never twice for one beat"
