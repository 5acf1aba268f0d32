"""The watch on made-up reports: what each check sees, when, and what it leaves alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.platforms.vocabulary import SIGNALS
from vdsim_interface.plausibility.checks import CHECKS, Consequence
from vdsim_interface.plausibility.watch import PlausibilityWatch
from vdsim_interface.values import Applied, BodyState, Gear, Sensors, VehicleReport
from vdsim_interface.values.capabilities import NO_EXTRAS, Capabilities

ALL = Capabilities(signals=SIGNALS, slope_from="pitch")
PERIOD_S = 0.01
RADIUS_M = 0.3
WHEELBASE_M = VehicleGeometry().wheelbase_m
IN_DRIVE = BodyState(gear=Gear.DRIVE)
Change = Callable[[VehicleReport], dict[str, Any]]


def unknown() -> float:
    return math.nan


class Car:
    """A car on a circle that reports the truth, apart from what `change` alters."""

    def __init__(
        self, capabilities: Capabilities = ALL, speed_mps: float = 8.0, curvature_1pm: float = 0.03
    ) -> None:
        self.watch = PlausibilityWatch(capabilities, VehicleGeometry())
        self.now = self.vehicle_s = 100.0
        self.speed_mps, self.accel_mps2 = speed_mps, 0.0
        self.curvature_1pm = curvature_1pm
        self.x_m = self.y_m = 0.0
        self.yaw_rad = 0.1
        self.effort_mps2 = math.nan
        self.sequence = 0
        self.found: set[str] = set()

    def report(self) -> VehicleReport:
        self.sequence += 1
        angle = math.atan(self.curvature_1pm * WHEELBASE_M)
        spin = self.speed_mps / RADIUS_M
        return VehicleReport(
            stamp_s=self.now,
            vehicle_time_s=self.vehicle_s,
            velocity_mps=self.speed_mps,
            front_wheel_angle_rad=angle,
            body=IN_DRIVE,
            applied=Applied(angle, self.accel_mps2, 0.2, 0.0),
            x_m=self.x_m,
            y_m=self.y_m,
            yaw_rad=math.remainder(self.yaw_rad, 2.0 * math.pi),
            yaw_rate_radps=self.speed_mps * self.curvature_1pm + 1e-9 * (self.sequence % 2),
            accel_x_mps2=self.accel_mps2 + 1e-9 * (self.sequence % 2),
            sensors=Sensors(wheel_spin_radps=(spin,) * 4, wheel_radius_m=RADIUS_M),
            sequence=self.sequence,
        )

    def run(self, seconds: float, change: Change | None = None) -> float:
        """Run on; return when the fault began, nan for never."""
        began, fault_s = self.now, math.nan
        for _ in range(round(seconds / PERIOD_S)):
            self.now += PERIOD_S
            self.vehicle_s += PERIOD_S
            self.speed_mps += self.accel_mps2 * PERIOD_S
            self.yaw_rad += self.speed_mps * self.curvature_1pm * PERIOD_S
            self.x_m += self.speed_mps * math.cos(self.yaw_rad) * PERIOD_S
            self.y_m += self.speed_mps * math.sin(self.yaw_rad) * PERIOD_S
            report = self.report()
            if change is not None:
                report = report._replace(**change(report))
            self.watch.update(report, lambda: self.effort_mps2)
            self.found |= self.watch.found
            if self.watch.fault and math.isnan(fault_s):
                fault_s = self.now - began
        return fault_s


def wheel_spins(factor: float) -> Change:
    return lambda report: {
        "sensors": report.sensors._replace(
            wheel_spin_radps=tuple(factor * s for s in report.sensors.wheel_spin_radps)
        )
    }


WRONG: dict[str, Change] = {
    "speed_jump": lambda report: {"velocity_mps": 0.0},
    "stamp_frozen": lambda report: {"vehicle_time_s": 104.0},
    "out_of_range": lambda report: {"front_wheel_angle_rad": 4.0},
    "speed_position": lambda report: {"x_m": 0.0, "y_m": 0.0},
    "speed_wheels": wheel_spins(0.0),
    "speed_acceleration": lambda report: {"accel_x_mps2": 6.0},
    "speed_frozen": lambda report: {"accel_x_mps2": -1.8},
    "yaw_heading": lambda report: {"yaw_rate_radps": -report.yaw_rate_radps},
    "yaw_steering": lambda report: {
        "front_wheel_angle_rad": -report.front_wheel_angle_rad,
    },
}


@pytest.mark.parametrize("name", WRONG)
def test_a_contradiction_ends_autonomy_after_its_time_and_not_before(name: str) -> None:
    check = next(check for check in CHECKS if check.name == name)
    car = Car()
    car.run(4.0)
    assert car.watch.doubt == ""
    fault_s = car.run(2.0, WRONG[name])
    assert check.hold_s <= fault_s <= check.detects_s
    assert name in car.found
    assert car.watch.fault.startswith("the reports contradict each other: ")


def test_every_check_is_tried_here_and_has_a_time() -> None:
    names = {check.name for check in CHECKS}
    assert names == {*WRONG, "pedals_no_effect"}
    assert all(check.hold_s < check.detects_s for check in CHECKS)
    assert all(set(check.signals) <= SIGNALS | {"slope"} for check in CHECKS)
    assert all(set(check.varied) <= set(check.signals) for check in CHECKS)


@pytest.mark.parametrize("name", [name for name in WRONG if name != "yaw_steering"])
def test_at_low_speed_it_is_a_notice(name: str) -> None:
    car = Car(speed_mps=2.0, curvature_1pm=0.1)
    car.run(4.0)
    change = WRONG[name] if name != "speed_jump" else lambda report: {"velocity_mps": -1.0}
    assert math.isnan(car.run(2.0, change))
    assert name in car.found


@pytest.mark.parametrize("name", ["speed_jump", "out_of_range"])
def test_the_checks_of_a_vehicle_that_reports_no_more_than_it_must(name: str) -> None:
    car = Car(NO_EXTRAS)
    car.run(4.0)
    assert math.isfinite(car.run(1.0, WRONG[name]))


@pytest.mark.parametrize("name", sorted(set(WRONG) - {"speed_jump", "out_of_range"}))
def test_a_signal_that_the_platform_does_not_name_is_not_used(name: str) -> None:
    car = Car(NO_EXTRAS)
    car.run(4.0)
    car.run(2.0, WRONG[name])
    assert car.watch.doubt == ""


UNFILLED: dict[str, Change] = {
    "position": lambda report: {"x_m": 0.0, "y_m": 0.0},
    "heading": lambda report: {"yaw_rad": 0.0},
    "yaw_rate": lambda report: {"yaw_rate_radps": 0.0},
    "acceleration": lambda report: {"accel_x_mps2": 0.0},
    "wheel_speeds": wheel_spins(0.0),
}


@pytest.mark.parametrize("name", UNFILLED)
def test_a_field_that_was_never_filled_contradicts_nothing(name: str) -> None:
    car = Car()
    car.accel_mps2 = 2.0
    car.run(3.0, UNFILLED[name])
    car.accel_mps2 = -3.0
    car.run(2.0, UNFILLED[name])
    assert car.watch.doubt == ""


def test_it_is_over_when_the_reports_agree_again() -> None:
    car = Car()
    car.run(4.0)
    car.run(1.0, WRONG["yaw_heading"])
    assert car.watch.fault
    car.run(0.8)
    assert car.watch.fault, "held for a second, so that it is not missed"
    car.run(1.5)
    assert (car.watch.fault, car.watch.doubt, car.watch.found) == ("", "", frozenset())


@pytest.mark.parametrize("name", ["speed_jump", "stamp_frozen"])
def test_a_jump_and_a_frozen_stamp_are_over_too(name: str) -> None:
    car = Car()
    car.run(4.0)
    car.run(0.6, WRONG[name])
    assert car.watch.fault
    car.run(3.0)
    assert car.watch.doubt == ""


def test_one_wrong_report_is_a_notice() -> None:
    car = Car()
    car.run(4.0)
    assert math.isnan(car.run(PERIOD_S, WRONG["speed_jump"]))
    assert car.watch.doubt == "the speed jumped from 8 to 0 m/s"
    assert math.isnan(car.run(3.0))
    assert car.watch.doubt == ""


def test_a_pause_is_no_contradiction() -> None:
    car = Car()
    car.run(4.0)
    paused = car.report()
    for _ in range(300):
        car.now += PERIOD_S
        paused = paused._replace(stamp_s=car.now, sequence=paused.sequence + 1)
        car.watch.update(paused, unknown)
        assert car.watch.doubt == ""
    car.run(4.0)
    assert car.watch.doubt == ""


@pytest.mark.parametrize("back_s", [90.0, 3.0, -1.0])
def test_a_reset_is_no_contradiction(back_s: float) -> None:
    car = Car()
    car.run(4.0)
    car.vehicle_s -= back_s
    car.speed_mps, car.x_m, car.yaw_rad = 1.0, -500.0, 3.0
    car.run(4.0)
    assert car.watch.doubt == ""


def test_another_place_at_another_speed_is_a_scenario_without_a_stamp_too() -> None:
    car = Car(replace(ALL, signals=SIGNALS - {"vehicle_time"}))
    car.run(4.0)
    car.speed_mps, car.x_m, car.yaw_rad = 0.0, -50.0, 3.0
    car.run(4.0)
    assert car.watch.doubt == ""


def test_the_same_report_again_changes_nothing() -> None:
    car = Car()
    car.run(4.0)
    report = car.report()._replace(velocity_mps=0.0)
    car.watch.update(report, unknown)
    doubt = car.watch.doubt
    for _ in range(100):
        car.watch.update(report, unknown)
    assert car.watch.doubt == doubt
    assert car.watch.fault == ""


def test_a_heading_that_wraps_is_continuous() -> None:
    car = Car(curvature_1pm=0.2, speed_mps=4.0)
    car.run(30.0)
    assert car.watch.doubt == ""


@pytest.mark.parametrize("gap_s", [0.02, 0.1, 0.24, 0.5, 3.0])
def test_lost_reports_are_no_contradiction(gap_s: float) -> None:
    car = Car()
    car.accel_mps2 = 2.0
    for _ in range(6):
        car.run(1.0)
        for _ in range(round(gap_s / PERIOD_S)):
            car.now += PERIOD_S
            car.vehicle_s += PERIOD_S
            car.speed_mps += car.accel_mps2 * PERIOD_S
            car.yaw_rad += car.speed_mps * car.curvature_1pm * PERIOD_S
            car.x_m += car.speed_mps * math.cos(car.yaw_rad) * PERIOD_S
            car.y_m += car.speed_mps * math.sin(car.yaw_rad) * PERIOD_S
    assert car.watch.doubt == ""


# ---- pedals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("speed_mps", "effort_mps2"), [(0.0, 2.0), (8.0, 2.0), (8.0, -3.0)])
def test_pedals_without_effect_are_a_notice(speed_mps: float, effort_mps2: float) -> None:
    car = Car(speed_mps=speed_mps)
    car.run(2.0)
    car.effort_mps2 = effort_mps2
    car.run(1.0)
    assert car.watch.doubt == ""
    assert math.isnan(car.run(0.6))
    assert car.watch.found == {"pedals_no_effect"}


@pytest.mark.parametrize(
    ("accel_mps2", "effort_mps2", "speed_mps"),
    [(1.0, 2.0, 8.0), (-1.0, -3.0, 30.0), (0.0, 1.0, 0.0), (0.0, -3.0, 0.0), (0.0, math.nan, 8.0)],
)
def test_pedals_that_have_an_effect_or_cannot_are_none(
    accel_mps2: float, effort_mps2: float, speed_mps: float
) -> None:
    car = Car(speed_mps=speed_mps)
    car.accel_mps2, car.effort_mps2 = accel_mps2, effort_mps2
    car.run(5.0)
    assert car.watch.doubt == ""


def test_on_a_hill_the_slope_counts() -> None:
    car = Car(speed_mps=5.0)
    car.effort_mps2 = 9.80665 * math.sin(0.2)
    car.run(5.0, lambda report: {"pitch_rad": -0.2})
    assert car.watch.doubt == ""


def test_wheels_that_slip_take_the_effort() -> None:
    car = Car(speed_mps=5.0)
    car.run(2.0)
    car.effort_mps2 = 3.0
    spinning = wheel_spins(1.5)
    car.run(0.4, spinning)
    assert "pedals_no_effect" not in car.watch.found


def test_only_what_is_unsafe_to_follow_ends_autonomy() -> None:
    ends = {check.name for check in CHECKS if check.consequence is Consequence.ENDS_AUTONOMY}
    assert ends == {check.name for check in CHECKS} - {"pedals_no_effect"}


def test_a_speed_in_steps_is_none_that_stands_still() -> None:
    """A sensor of 1 km/h: between two steps the speed stays the same to the bit."""
    car = Car(curvature_1pm=0.0)
    step_mps = 1.0 / 3.6
    car.accel_mps2 = -0.5
    car.run(8.0, lambda report: {"velocity_mps": step_mps * round(report.velocity_mps / step_mps)})
    assert "speed_frozen" not in car.found


@pytest.mark.parametrize("speed_mps", [0.0, 0.9])
def test_at_rest_a_speed_may_stand_still(speed_mps: float) -> None:
    """On a hill an accelerometer measures what holds the car."""
    car = Car(speed_mps=speed_mps)
    car.run(4.0, lambda report: {"accel_x_mps2": 2.0 + 1e-9 * (report.sequence % 2)})
    assert "speed_frozen" not in car.found


@pytest.mark.parametrize("hertz", [4.0, 10.5, 19.0, 20.0, 21.0, 39.0])
def test_a_motion_that_swings_fast_is_no_contradiction(hertz: float) -> None:
    """A driver who catches a skid, a brake that pulses: faster than the moments of the checks."""
    car = Car(curvature_1pm=0.0)
    rate, accel = 0.6, 8.0

    def swings(report: VehicleReport) -> dict[str, Any]:
        pace = 2.0 * math.pi * hertz
        phase = pace * car.vehicle_s
        return {
            "yaw_rate_radps": rate * math.cos(phase),
            "yaw_rad": 0.1 + rate / pace * math.sin(phase),
            "accel_x_mps2": accel * math.cos(phase),
            "velocity_mps": report.velocity_mps + accel / pace * math.sin(phase),
        }

    car.run(4.0, swings)
    assert car.found == set()
