"""Whether the vehicle reports: told once when it stops, once when it is back."""

import math

import pytest
from vdsim_interface.pipeline.tracking_monitor import TrackingParameters
from vdsim_interface.pipeline.vehicle_watch import VehicleWatch, silence
from vdsim_interface.values import Notice


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
    watch = VehicleWatch(TrackingParameters(), 0.01)
    watch.update(0.0, 0.1, 5.0)
    told = watch.update(age_s, 0.1, 5.0)
    assert watch.is_fresh is not bool(text)
    assert [report.text for report in told] == ([text] if text else [])


def test_each_change_is_told_once() -> None:
    watch = VehicleWatch(TrackingParameters(), 0.01)
    ages = (math.inf, 0.0, 0.05, 0.2, 0.3, -30.0, 0.01)
    told = [report for age_s in ages for report in watch.update(age_s, 0.1, 5.0)]
    silent, back = "link_timeout", "link_restored"
    assert [report.kind for report in told] == [back, silent, back]
    assert told[0].text == "vehicle link up"
    assert told[2].text == "vehicle link restored"


def test_a_vehicle_may_take_a_moment_for_its_first_report() -> None:
    watch = VehicleWatch(TrackingParameters(), 0.01)
    assert watch.update(math.inf, 0.1, 5.0) == ()
    assert watch.update(math.inf, 0.1, 5.999) == ()
    assert not watch.is_fresh
    [report] = watch.update(math.inf, 0.1, 6.0)
    assert report == Notice("link_timeout", "no report from the vehicle yet")
    assert watch.update(math.inf, 0.1, 7.0) == ()
    assert [r.text for r in watch.update(0.0, 0.1, 8.0)] == ["vehicle link up"]


def test_the_age_is_that_of_the_report_that_counts() -> None:
    watch = VehicleWatch(TrackingParameters(), 0.01)
    assert watch.link_statistics({}, 0.2) == {}
    assert watch.link_statistics({"accepted": 7.0}, 0.2) == {"accepted": 7.0, "age_s": 0.2}
    assert watch.link_statistics({"age_s": 0.01}, math.inf) == {"age_s": math.inf}
