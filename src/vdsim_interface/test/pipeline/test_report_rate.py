"""Reports that are each stale before the next are a rate that is too low, not a lossy link."""

from __future__ import annotations

import pytest
from vdsim_interface.pipeline.link_health import ReportRate, rate_fault


def seen(*arrivals_s: float) -> ReportRate:
    rate = ReportRate()
    for arrival_s in arrivals_s:
        rate.add(arrival_s)
    return rate


@pytest.mark.parametrize(
    ("arrivals_s", "gap_s"),
    [
        ((), 0.0),
        ((0.0, 0.2, 0.4, 0.6), 0.0),
        ((0.0, 0.2, 0.4, 0.6, 0.8), 0.2),
        ((0.0, 0.15, 0.4, 0.6, 0.8), 0.2),
        ((0.0, 0.2, 0.3, 0.5, 0.7), 0.0),  # one came in time
        ((0.0, 0.0, 0.2, 0.4, 0.6), 0.0),  # two at once
        ((0.0, 0.1, 0.2, 0.3, 0.4), 0.0),
        ((9.0, 0.2, 0.4, 0.6, 0.8), 0.0),  # the clock went back
        ((9.0, 0.0, 0.2, 0.4, 0.6, 0.8), 0.2),
    ],
)
def test_four_gaps_in_a_row_above_the_time_out_are_a_rate(
    arrivals_s: tuple[float, ...], gap_s: float
) -> None:
    assert seen(*arrivals_s).too_low_gap_s(0.1, 0.85) == pytest.approx(gap_s)


def test_a_silence_of_more_than_two_gaps_is_no_rate() -> None:
    rate = seen(0.0, 0.2, 0.4, 0.6, 0.8)
    assert rate.too_low_gap_s(0.1, 1.19) > 0.0
    assert rate.too_low_gap_s(0.1, 1.21) == 0.0


def test_a_longer_time_out_makes_the_same_rate_enough() -> None:
    rate = seen(0.0, 0.2, 0.4, 0.6, 0.8)
    assert rate.too_low_gap_s(0.25, 0.9) == 0.0
    rate.clear()
    assert rate.too_low_gap_s(0.1, 0.9) == 0.0


def test_no_gap_is_no_fault() -> None:
    assert rate_fault(0.0, 0.1) == ""
