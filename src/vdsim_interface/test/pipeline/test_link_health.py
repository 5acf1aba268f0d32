"""Whether the vehicle reports: told once when it stops, once when it is back."""

import math

import pytest
from vdsim_interface.pipeline.link_health import LinkHealth, silence
from vdsim_interface.values import Severity


@pytest.mark.parametrize(
    ("age_s", "text"),
    [
        (0.0, ""),
        (0.1, ""),
        (0.1001, "no report from the vehicle for 0.1 s"),
        (-0.001, "no report from the vehicle since time jumped back"),
        (-math.inf, "no report from the vehicle since time jumped back"),
        (math.inf, "no report from the vehicle yet"),
        (math.nan, "no report from the vehicle yet"),
    ],
)
def test_one_rule_says_whether_the_link_is_well(age_s: float, text: str) -> None:
    assert silence(age_s, 0.1) == text
    watch = LinkHealth(1.0)
    watch.update(0.0, 0.1, 5.0)
    told = watch.update(age_s, 0.1, 5.0)
    assert watch.is_fresh is not bool(text)
    assert [report.text for report in told] == ([text] if text else [])


def test_each_change_is_told_once() -> None:
    watch = LinkHealth(1.0)
    ages = (math.inf, 0.0, 0.05, 0.2, 0.3, -30.0, 0.01)
    told = [report for age_s in ages for report in watch.update(age_s, 0.1, 5.0)]
    silent, back = "link_timeout", "link_restored"
    assert [report.kind for report in told] == [back, silent, back]
    assert told[0].text == "vehicle link up"
    assert told[2].text == "vehicle link restored"


def test_a_vehicle_that_may_still_be_starting_is_awaited_and_then_warned_of() -> None:
    watch = LinkHealth(1.0)
    times = (5.0, 5.999, 6.0, 7.0, 34.999, 35.0, 36.0, 100.0)
    told = {now: watch.update(math.inf, 0.1, now) for now in times}
    assert not watch.is_fresh
    assert {now: [notice.kind for notice in notices] for now, notices in told.items()} == {
        **{now: [] for now in times},
        6.0: ["link_awaited"],
        35.0: ["link_absent"],
    }
    assert [notice.kind.severity for notices in told.values() for notice in notices] == [
        Severity.INFO,
        Severity.WARN,
    ]
    assert [r.text for r in watch.update(0.0, 0.1, 101.0)] == ["vehicle link up"]
    assert [r.kind for r in watch.update(0.2, 0.1, 101.2)] == ["link_timeout"]


def test_the_wait_begins_again_when_time_jumps_back() -> None:
    watch = LinkHealth(1.0)
    assert watch.update(math.inf, 0.1, 1000.0) == ()
    assert watch.update(math.inf, 0.1, 3.0) == ()
    assert watch.update(math.inf, 0.1, 3.5) == ()
    assert [notice.kind for notice in watch.update(math.inf, 0.1, 4.0)] == ["link_awaited"]


def test_the_condition_is_the_first_that_holds() -> None:
    """Every 0.2 s a report, too seldom for 0.1 s; then in time, silent, late, silent, in time."""
    link, now, told = LinkHealth(9.0), 0.0, []

    def runs(arrivals_s: list[float], *, lag_s: float = 0.0) -> None:
        nonlocal now
        for arrival_s in arrivals_s:
            now = arrival_s
            late_s = link.on_report(now, now - lag_s, 0.1)
            told.extend(link.update(late_s, 0.1, now))

    def silent() -> None:
        told.extend(link.update(0.45, 0.1, now + 0.45))

    runs([0.2 * n for n in range(6)])
    runs([1.0 + 0.01 * n for n in range(100)])
    silent()
    runs([now + 0.46], lag_s=0.3)
    silent()
    runs([now + 0.5])
    assert [notice.kind for notice in told] == [
        "link_restored", "slow_reports", "link_restored",
        "link_timeout", "late_report", "link_restored",
    ]  # fmt: skip
    # 0.03 s of the 0.3 s may be the drift of its clock.
    assert told[4].text == "the vehicle's reports arrive 0.27 s late"
    assert link.statistics()["rejected_late"] == 0.0


def test_a_link_that_was_late_and_then_falls_silent_is_silent() -> None:
    link, told, now = LinkHealth(0.5), [], 0.0
    for n in range(40):
        lag_s = 0.0 if n < 20 else 0.4
        now = 0.05 * n + lag_s
        link.on_report(now, now - lag_s, 0.1)
        told += link.update(lag_s, 0.1, now)
    told += link.update(0.8, 0.1, now + 0.4)
    assert [notice.kind for notice in told] == ["link_restored", "late_report"]
    silent = link.update(1.0, 0.1, now + 0.6)
    assert [(notice.kind, notice.text) for notice in silent] == [
        ("link_timeout", "no report from the vehicle for 1.0 s")
    ]


def test_what_waited_is_rejected_and_counted() -> None:
    link = LinkHealth(1.0)
    for now in (1.0, 1.01):
        link.on_drain(now)
        assert not link.rejects(0.1)
    link.on_drain(1.2)
    assert link.rejects(0.1)
    assert link.rejects(0.1)
    link.on_drain(1.21)
    assert not link.rejects(0.1)
    assert link.statistics()["rejected_late"] == 2.0
