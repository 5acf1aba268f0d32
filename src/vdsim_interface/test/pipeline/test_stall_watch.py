"""A process that did not run: how long, and what counts as received when."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from vdsim_interface.pipeline.stall_watch import PROOF_S, SETTLE_S, STOP_AGE_S, StallWatch

PERIOD_S = 0.01
LIMIT_S = 0.5
PLANNER = "high_level"


@pytest.fixture
def watch() -> StallWatch:
    made = StallWatch(PERIOD_S, LIMIT_S)
    assert made.look(100.0) == 0.0  # the first look sees no stall, however long the start took
    return made


def run_on(watch: StallWatch, start_s: float, end_s: float) -> Iterator[float]:
    """The times at which a process that runs looks."""
    for n in range(1, round((end_s - start_s) / PERIOD_S) + 1):
        now = start_s + n * PERIOD_S
        assert watch.look(now) == 0.0
        yield now


def test_a_process_that_runs_has_no_stall(watch: StallWatch) -> None:
    assert not any(watch.look(100.0 + n * PERIOD_S / 2) for n in range(1000))
    assert watch.look(105.0 + 0.04) == 0.0
    assert watch.received_s(105.0, PLANNER) == 105.0
    assert watch.refusal(105.0) == ""


@pytest.mark.parametrize("stall_s", [0.06, 0.3, 0.5])
def test_what_waited_counts_from_when_the_process_last_ran(
    watch: StallWatch, stall_s: float
) -> None:
    resumed_s = 100.0 + stall_s
    assert watch.look(resumed_s) == pytest.approx(stall_s)
    assert watch.look(resumed_s) == 0.0
    settle_s = min(SETTLE_S, stall_s)
    assert watch.received_s(resumed_s, PLANNER) == pytest.approx(100.0)
    assert watch.received_s(resumed_s + 0.9 * settle_s, PLANNER) == pytest.approx(100.0)
    later_s = resumed_s + 1.1 * settle_s
    assert watch.received_s(later_s, PLANNER) == later_s


def test_a_request_to_engage_that_may_have_waited_is_refused(watch: StallWatch) -> None:
    watch.look(101.0)
    assert watch.refusal(101.1) == "this process did not run for 1.00 s; ask again"
    assert watch.refusal(101.3) == ""


def test_after_a_short_stall_requests_count(watch: StallWatch) -> None:
    watch.look(100.4)
    assert watch.refusal(100.4) == ""


@pytest.mark.parametrize(("rate_hz", "patience_s"), [(10.0, 0.5), (100.0, 0.05), (1000.0, 0.05)])
def test_the_patience_follows_the_period(rate_hz: float, patience_s: float) -> None:
    watch = StallWatch(1.0 / rate_hz, LIMIT_S)
    watch.look(0.0)
    assert watch.look(0.99 * patience_s) == 0.0
    assert watch.look(2.01 * patience_s) > patience_s


@pytest.mark.parametrize("stall_s", [0.51, 1.0, 60.0])
def test_after_a_stall_that_ends_autonomy_a_stream_has_to_last(
    watch: StallWatch, stall_s: float
) -> None:
    """A loaded machine delivers late what waited, and auto_engage would drive by it."""
    settled_s = 100.0 + stall_s + SETTLE_S
    watch.look(100.0 + stall_s)
    times_s = [settled_s + 0.01 * n for n in range(1, 40)]
    received_s = [watch.received_s(now, PLANNER) for now in times_s]
    late_n = sum(at_s < now for at_s, now in zip(received_s, times_s, strict=True))
    assert late_n * 0.01 == pytest.approx(PROOF_S, abs=0.011)
    assert received_s[:late_n] == pytest.approx([100.0] * late_n)
    assert received_s[late_n:] == times_s[late_n:]


def test_what_waited_never_lasts_long_enough(watch: StallWatch) -> None:
    """A burst, and seconds later the one message that a reliable publisher repeats."""
    watch.look(101.5)
    for now in (101.8, 101.81, 101.95, 104.8, 107.8):
        assert watch.received_s(now, PLANNER) == pytest.approx(100.0)


def test_a_stream_that_lasts_proves_no_other(watch: StallWatch) -> None:
    watch.look(101.5)
    for n in range(30):
        watch.received_s(102.0 + 0.01 * n, "gamepad")
    assert watch.received_s(102.3, "gamepad") == 102.3
    assert watch.received_s(102.3, PLANNER) == pytest.approx(100.0)


def test_a_stream_that_has_lasted_may_pause_until_the_next_stall(watch: StallWatch) -> None:
    watch.look(101.5)
    for now in run_on(watch, 101.5, 102.3):
        watch.received_s(now, PLANNER)
    assert watch.received_s(150.0, PLANNER) == 150.0
    watch.look(152.0)
    assert watch.received_s(152.0 + SETTLE_S, PLANNER) == pytest.approx(102.3)


@pytest.mark.parametrize("stall_s", [0.3, 1.7])
def test_a_stall_right_after_another_does_not_make_what_waited_newer(
    watch: StallWatch, stall_s: float
) -> None:
    """A loaded machine stalls again before the middleware has delivered: all waited for both."""
    resumed_s = 100.0 + stall_s
    watch.look(resumed_s)
    watch.look(resumed_s + 0.08)
    assert watch.received_s(resumed_s + 0.08, PLANNER) == pytest.approx(100.0)
    assert watch.received_s(resumed_s + 0.2, PLANNER) == pytest.approx(100.0)
    assert bool(watch.refusal(resumed_s + 0.2)) == (stall_s > LIMIT_S)


def test_a_short_stall_proves_no_stream(watch: StallWatch) -> None:
    """After the long one has settled, what has proved itself counts as before; the rest waited."""
    watch.look(101.5)
    for now in run_on(watch, 101.5, 102.3):
        watch.received_s(now, "gamepad")
    watch.look(102.4)
    assert watch.received_s(102.4, PLANNER) == pytest.approx(100.0)
    assert watch.received_s(102.4, "gamepad") == pytest.approx(102.3)


# ---- stops ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stall_s", "sent_ago_s"), [(1.9, 5.0), (5.0, 1.9), (5.0, 0.0)])
def test_a_stop_of_up_to_two_seconds_counts(
    watch: StallWatch, stall_s: float, sent_ago_s: float
) -> None:
    resumed_s = 100.0 + stall_s
    watch.look(resumed_s)
    assert watch.refuses_stop(resumed_s, sent_ago_s) == ""


def test_a_stop_that_waited_longer_does_not(watch: StallWatch) -> None:
    watch.look(105.0)
    watch.look(105.1)  # a short stall follows the long one
    expected = "it was requested 4.20 s ago, while this process did not run: ask again"
    assert watch.refuses_stop(105.0, 4.2) == expected
    assert watch.refuses_stop(105.0 + STOP_AGE_S - 0.1, 4.2) == expected


def test_no_clock_alone_makes_a_stop_old(watch: StallWatch) -> None:
    """The clock of the sender may be any: an old stamp counts only just after a long stall."""
    assert watch.refuses_stop(100.0, 1e9) == ""
    watch.look(105.0)
    assert watch.refuses_stop(105.0 + STOP_AGE_S, 1e9) == ""
