"""Limits and beats, in virtual time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant_node.dataport.rates import Beat, RequestRates, TokenBucket


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


@pytest.mark.parametrize("path", ["/api/start", "/api/settings", "/api/reset"])
def test_a_flood_of_what_is_expensive_leaves_driving_and_watching_their_rate(path: str) -> None:
    rates = RequestRates()
    for tick in range(1000):
        now = tick / 200.0
        refusals = [rates.refusal("POST", path, now) for _ in range(50)]
        assert refusals.count("") <= (40 if tick == 0 else 1)
        assert refusals[-1] == "rate: more than 20 starts, checks and resets a second"
        assert rates.refusal("POST", "/api/io", now) == ""
        assert rates.refusal("GET", "/api/stream", now) == ""


def test_a_flood_of_anything_else_is_limited_too() -> None:
    rates = RequestRates()
    refusals = [rates.refusal("GET", f"/{number}", 0.0) for number in range(300)]
    assert refusals.count("") == 250
    assert refusals[-1] == "rate: more than 500 requests a second"
    assert rates.refusal("POST", "/api/reset", 0.0) == ""
