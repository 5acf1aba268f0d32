"""A vehicle that provably does not do what it is sent ends autonomy, and only such a vehicle."""

import math
import random
from collections.abc import Callable

import pytest
from vdsim_interface.pipeline.vehicle_watch import FollowingWatch
from vdsim_interface.values import Applied, Mode, VehicleCommand, WireCommand
from vdsim_interface_kit.interface import Drive

LOST_S = 2.0


class Wire:
    """A watch with a vehicle at the other end: what is sent at a time, and what it applies."""

    def __init__(self, sent: Callable[[float], WireCommand]) -> None:
        self.watch = FollowingWatch(LOST_S)
        self.sent = sent
        self.now = 50.0

    def run(self, seconds: float, applied: Callable[[float], Applied]) -> str:
        for _ in range(round(seconds * 100)):
            self.now += 0.01
            if self.watch.add(self.sent(self.now), self.now):
                self.watch.check(applied(self.now), self.now)
        return self.watch.fault


def swinging(now: float) -> WireCommand:
    throttle = max(0.0, 0.5 * math.sin(1.3 * now))
    return WireCommand(0.3 * math.sin(2.0 * now), throttle, 0.4 if throttle == 0.0 else 0.0)


def applied_later(delay_s: float, noise: float) -> Callable[[float], Applied]:
    chance = random.Random(4)

    def applied(now: float) -> Applied:
        sent = swinging(now - delay_s)
        angle = sent.front_wheel_angle_rad + chance.gauss(0.0, noise)
        return Applied(angle, -9.0, sent.throttle, sent.brake)

    return applied


@pytest.mark.parametrize("delay_s", [0.0, 0.1, 0.3, 0.6, 0.9])
def test_a_late_and_noisy_vehicle_follows_for_an_hour(delay_s: float) -> None:
    wire = Wire(swinging)
    assert wire.run(3600.0 / 20, applied_later(delay_s, 0.01)) == ""


def test_a_frozen_report_is_found_after_the_window_and_the_time() -> None:
    wire = Wire(swinging)
    wire.run(5.0, applied_later(0.1, 0.0))
    assert wire.run(LOST_S - 0.2, lambda now: Applied(0.9, 0.0)) == ""
    fault = wire.run(0.4, lambda now: Applied(0.9, 0.0))
    assert fault.startswith("the vehicle does not follow: front wheel angle ")
    assert fault.endswith(" rad sent, 0.9 applied")


@pytest.mark.parametrize(
    ("applied", "name"),
    [
        (Applied(0.0, 0.0, 0.4, 0.3), "brake"),
        (Applied(0.0, 0.0, 0.9, 0.0), "throttle"),
        (Applied(-0.2, 0.0, 0.4, 0.0), "front wheel angle"),
    ],
)
def test_each_channel_is_compared(applied: Applied, name: str) -> None:
    wire = Wire(lambda now: WireCommand(0.0, 0.4, 0.0))
    assert f"follow: {name} " in wire.run(4.0, lambda now: applied)


def test_what_is_not_reported_or_not_sent_is_not_compared() -> None:
    wire = Wire(lambda now: WireCommand(0.1, 0.4, 0.0))
    assert wire.run(10.0, lambda now: Applied(0.1, 0.0)) == ""
    wire = Wire(lambda now: WireCommand(0.1))
    assert wire.run(10.0, lambda now: Applied(0.1, 0.0, 0.9, 0.9)) == ""


def test_a_vehicle_that_follows_again_has_no_fault() -> None:
    wire = Wire(lambda now: WireCommand(0.0, 0.4, 0.0))
    assert wire.run(4.0, lambda now: Applied(0.0, 0.0, 0.0, 0.3))
    assert wire.run(0.2, lambda now: Applied(0.0, 0.0, 0.4, 0.0)) == ""


def test_a_gap_begins_another_window() -> None:
    wire = Wire(lambda now: WireCommand(0.0, 0.4, 0.0))
    assert wire.run(2.9, lambda now: Applied(0.0, 0.0, 0.0, 0.3)) == ""
    wire.now += 5.0
    assert wire.run(2.9, lambda now: Applied(0.0, 0.0, 0.0, 0.3)) == ""


def test_a_time_that_is_a_little_earlier_discards_nothing() -> None:
    wire = Wire(lambda now: WireCommand(0.0, 0.4, 0.0))
    fault = ""
    for _ in range(12):
        fault = wire.run(0.3, lambda now: Applied(0.0, 0.0, 0.0, 0.0))
        wire.now -= 0.01002
    assert fault == "the vehicle does not follow: throttle 0.4 sent, 0 applied"


def test_autonomy_ends_with_what_is_not_followed() -> None:
    drive = Drive("vehicle").engaged()
    drive.run(2.0, VehicleCommand(0.0, 1.0))
    assert drive.pipeline.mode is Mode.AUTONOMOUS
    drive.platform.altered = {"applied": Applied(0.3, 0.0)}
    drive.run(4.0, VehicleCommand(0.0, 0.2))
    assert drive.pipeline.mode is Mode.DISENGAGED
    reason = drive.pipeline.safety_side.status(drive.now).last_disengage_reason
    assert reason == "the vehicle does not follow: front wheel angle 0 rad sent, 0.3 applied"
    drive.platform.altered = {}
    drive.run(1.0, VehicleCommand(0.0, 0.2))
    assert drive.pipeline.mode is Mode.DISENGAGED, "auto_engage does not trust it again"


def test_a_vehicle_of_a_person_is_not_judged() -> None:
    drive = Drive("vehicle").engaged()
    drive.heard(drive.pipeline.safety_side.on_change_mode(False, drive.now)[1])
    drive.platform.altered = {"applied": Applied(0.3, 0.0)}
    drive.run(10.0, VehicleCommand(0.0, 0.2))
    reason = drive.pipeline.safety_side.status(drive.now).last_disengage_reason
    assert reason == "asked to disengage"


def test_the_age_is_that_of_the_report_that_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    drive = Drive("vehicle")
    assert drive.pipeline.vehicle_side.link_statistics(drive.now) == {}, "no wire, no statistics"
    monkeypatch.setattr(drive.platform, "link_statistics", lambda now: {"age_s": 0.01})
    assert drive.pipeline.vehicle_side.link_statistics(drive.now)["age_s"] == math.inf
    drive.run(1.0)
    side = drive.pipeline.vehicle_side
    assert side.report is not None
    later = side.report.stamp_s + 0.2
    assert drive.pipeline.vehicle_side.link_statistics(later)["age_s"] == pytest.approx(0.2)
