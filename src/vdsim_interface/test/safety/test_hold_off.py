"""auto_engage waits longer after each failed try; a request never waits."""

from __future__ import annotations

import pytest
from vdsim_interface.safety.engagement import LONGEST_N, HoldOff
from vdsim_interface.values import Mode
from vdsim_interface_kit.safety_stage import GO, Bench


def drive_with_reports_every(period_n: int, seconds: float, **limits: object) -> Bench:
    """One period in `period_n` brings a report; the stack commands all the time."""
    bench = Bench(auto_engage=True, rig="driverless", **limits)
    for tick in range(round(100 * seconds)):
        bench.reports_come = tick % period_n == 0
        bench.step(GO)
    return bench


def starts(bench: Bench) -> list[str]:
    texts = [notice.text for notice in bench.notices if notice.kind == "mode_changed"]
    return [text for text in texts if "-> NOT_READY" in text]


def test_a_vehicle_that_reports_too_seldom_is_not_tried_five_times_a_second() -> None:
    bench = drive_with_reports_every(20, 60.0)
    # After 1, 2, 4, 8, 16 and 32 s: 0, 1, 3, 7, 15, 31 s after the first one, and a period each.
    assert len(starts(bench)) == 6
    assert bench.last("mode_changed") == (
        "NOT_READY -> MANUAL: the vehicle's reports have stopped, or arrive late; "
        "it tries again by itself in 32 s"
    )


def test_the_status_says_that_it_waits_and_why() -> None:
    bench = drive_with_reports_every(20, 2.0)
    blocked = bench.safety.blocked(bench.now)
    assert "the vehicle's reports have stopped" in blocked
    assert "2 tries to engage by itself failed; it waits for 2 s" in blocked


def test_a_request_does_not_wait_and_ends_the_series() -> None:
    bench = drive_with_reports_every(20, 20.0)
    bench.reports_come = True
    bench.step(GO, 10)
    assert bench.safety.mode is Mode.MANUAL, "it waits"
    assert bench.safety.on_change_mode(True, bench.now)[0].success
    bench.step(GO, 3)
    assert bench.safety.mode is Mode.AUTONOMOUS
    bench.reports_come = False
    bench.step(GO, 120)
    bench.reports_come = True
    bench.step(GO, 3)
    assert bench.safety.mode is Mode.AUTONOMOUS, "and by itself without a wait"


def test_the_next_try_comes_after_the_wait() -> None:
    bench = drive_with_reports_every(20, 0.5)
    bench.reports_come = True
    bench.step(GO, 50)
    assert bench.safety.mode is Mode.MANUAL
    bench.step(GO, 50)
    assert bench.safety.mode is Mode.AUTONOMOUS


def test_zero_is_no_hold_off() -> None:
    bench = drive_with_reports_every(20, 10.0, engage_hold_off_s=0.0)
    assert len(starts(bench)) >= 49
    assert "by itself in" not in bench.last("mode_changed")


def test_autonomy_that_ends_at_once_counts_as_a_try_that_failed() -> None:
    bench = Bench(auto_engage=True, rig="driverless", link_lost_s=0.1)
    for tick in range(3000):
        bench.reports_come = tick % 40 < 20  # 0.2 s with reports, 0.2 s without
        bench.step(GO)
    # Tries follow waits of 1, 2, 4, 8, 16 s; without a wait there would be 75.
    assert len(starts(bench)) == 5


@pytest.mark.parametrize("first_s", [0.5, 1.0, 60.0])
def test_the_wait_doubles_up_to_its_bound(first_s: float) -> None:
    hold_off = HoldOff()
    waits = [hold_off.on_failed(0.0, first_s) for _ in range(20)]
    assert waits[:6] == [first_s * 2.0**n for n in range(6)]
    assert set(waits[6:]) == {LONGEST_N * first_s}


def test_time_that_jumps_back_ends_a_wait() -> None:
    hold_off = HoldOff()
    hold_off.on_failed(1000.0, 1.0)
    assert hold_off.waits(1000.5, 1.0)
    assert not hold_off.waits(999.0, 1.0)
    assert not hold_off.waits(1001.0, 1.0)


def test_without_a_failed_try_there_is_no_wait() -> None:
    hold_off = HoldOff()
    assert hold_off.wait_s(1.0) == 0.0
    assert not hold_off.waits(0.5, 1.0)
    assert hold_off.on_failed(0.0, 0.0) == 0.0
    assert hold_off.failed_n == 0


@pytest.mark.parametrize(("lasted_s", "failed_n"), [(0.75, 2), (1.0, 0), (2.0, 0)])
def test_autonomy_that_lasts_as_long_as_the_first_wait_ends_the_series(
    lasted_s: float, failed_n: int
) -> None:
    hold_off = HoldOff()
    hold_off.on_failed(0.0, 1.0)
    hold_off.on_ready(4.0)
    hold_off.on_end(4.0 + lasted_s, 1.0)
    assert hold_off.failed_n == failed_n
    hold_off.on_end(4.25, 1.0)
    assert hold_off.failed_n == failed_n, "it is judged once"
