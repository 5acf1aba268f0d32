"""The safety stage as a whole: handshake, override, watchdogs, what a request may do."""

import math
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from vdsim_interface.parameters import VehicleGeometry
from vdsim_interface.safety import Safety, SafetyOutput, SafetyParameters
from vdsim_interface.values import (
    NO_DRIVER,
    Authority,
    Blinker,
    BodyState,
    CabinState,
    DriverActivity,
    Gear,
    Headlight,
    Mode,
    Odometry,
    RawCommand,
    Report,
    ReportKind,
    StateCommand,
    StateMessage,
    VehicleCommand,
    Wiper,
)

GO = VehicleCommand(0.0, 1.0, 0.1, 0.0)
NAN = math.nan


class Bench:
    """A safety stage with a vehicle that reports what a test sets, in virtual time."""

    def __init__(self, **limits: Any) -> None:
        self.safety = Safety(SafetyParameters(**limits), VehicleGeometry(), 0.01, 0.5)
        self.now = 0.0
        self.speed = 0.0
        self.front = 0.0
        self.body = BodyState(gear=Gear.DRIVE)
        self.reports_come = True
        self.reports: list[Report] = []
        self.output: SafetyOutput | None = None

    def step(self, command: VehicleCommand | RawCommand | None = None, n: int = 1) -> SafetyOutput:
        for _ in range(n):
            self.now += 0.01
            if self.reports_come:
                self.hear(
                    self.safety.on_odometry(Odometry(self.now, self.speed, self.front), self.now)
                )
                self.safety.on_body(self.body, self.now)
            fresh = None if command is None else command._replace(stamp_s=self.now)
            self.output = self.safety.step(fresh, self.now)
            self.hear(self.output.reports)
            if self.output.command.authority is not Authority.SILENT:
                self.body = replace(self.body, gear=self.output.command.body.gear)
        assert self.output is not None
        return self.output

    def hear(self, reports: tuple[Report, ...]) -> tuple[Report, ...]:
        self.reports.extend(reports)
        return reports

    def engage(self, command: VehicleCommand | RawCommand = GO) -> "Bench":
        self.step()
        result, reports = self.safety.on_change_mode(True, self.now)
        self.hear(reports)
        assert result.success, result.reason
        self.step(command, 2)
        assert self.safety.mode is Mode.AUTONOMOUS
        return self

    def ask(self, **fields: Any) -> tuple[Report, ...]:
        return self.hear(self.safety.on_state_command(StateCommand(**fields), self.now))

    def kinds(self) -> list[ReportKind]:
        return [report.kind for report in self.reports]

    def last(self, kind: ReportKind) -> str:
        return next(r.text for r in reversed(self.reports) if r.kind is kind)

    def count(self, kind: ReportKind) -> int:
        return dict(self.safety.status(self.now).counts).get(kind, 0)


# ---- engaging ------------------------------------------------------------------------------------


def test_starts_in_manual_and_idle() -> None:
    bench = Bench()
    out = bench.step(GO)
    assert out.command.mode is Mode.MANUAL
    assert out.command.authority is Authority.IDLE
    assert out.command.vehicle.long_accel_mps2 == -2.0
    status = bench.safety.status(bench.now)
    assert status.mode_reason == "start"
    assert status.last_disengage_reason == ""


def test_the_handshake_step_by_step() -> None:
    bench = Bench()
    bench.step()
    result, reports = bench.safety.on_change_mode(True, bench.now)
    assert (result.success, result.reason, result.mode) == (True, "engaging", Mode.NOT_READY)
    assert [r.text for r in reports] == ["MANUAL -> NOT_READY: asked to engage"]
    out = bench.step()
    assert out.command.mode is Mode.NOT_READY, "no command yet"
    assert out.command.authority is Authority.IDLE
    bench.reports_come = False
    assert bench.step(GO).command.mode is Mode.AUTONOMOUS
    assert bench.last(ReportKind.MODE_CHANGED) == (
        "NOT_READY -> AUTONOMOUS: "
        "handshake complete: the vehicle answers and a valid command is there"
    )
    result, reports = bench.safety.on_change_mode(True, bench.now)
    assert (result.success, result.reason, reports) == (True, "already engaged", ())


def test_the_vehicle_must_answer_after_the_request() -> None:
    bench = Bench()
    bench.step(GO)
    bench.reports_come = False
    bench.now += 0.01
    result, _ = bench.safety.on_change_mode(True, bench.now)
    assert result.success
    assert bench.step(GO).command.mode is Mode.NOT_READY
    bench.reports_come = True
    assert bench.step(GO).command.mode is Mode.AUTONOMOUS


def test_a_report_of_the_moment_of_the_request_is_no_answer() -> None:
    bench = Bench()
    bench.step(GO)
    bench.safety.on_change_mode(True, bench.now)
    bench.safety.on_odometry(Odometry(bench.now, 0.0), bench.now)
    assert bench.safety.step(GO, bench.now).command.mode is Mode.NOT_READY


def test_the_handshake_expires_without_a_command() -> None:
    bench = Bench(engage_timeout_s=1.0)
    bench.step()
    bench.safety.on_change_mode(True, bench.now)
    bench.step(None, 99)
    assert bench.safety.mode is Mode.NOT_READY
    bench.step(None, 2)
    assert bench.safety.mode is Mode.MANUAL
    assert bench.last(ReportKind.MODE_CHANGED) == "NOT_READY -> MANUAL: no valid command within 1 s"
    assert bench.safety.status(bench.now).last_disengage_reason == ""


def test_the_handshake_ends_when_a_precondition_is_lost() -> None:
    """[VI-3.3]"""
    bench = Bench()
    bench.step()
    bench.safety.on_change_mode(True, bench.now)
    bench.safety.on_cabin(CabinState(doors_closed=False), bench.now)
    assert bench.step(GO).command.mode is Mode.MANUAL
    assert bench.last(ReportKind.MODE_CHANGED) == "NOT_READY -> MANUAL: a door is open"


def test_a_refusal_says_why_and_changes_nothing() -> None:
    """[VI-3.3]"""
    bench = Bench()
    bench.safety.on_cabin(CabinState(belts_fastened=False), bench.now)
    result, reports = bench.safety.on_change_mode(True, bench.now)
    assert not result.success
    assert result.reason == "the vehicle does not report; a belt is not fastened"
    assert result.mode is Mode.MANUAL
    assert [r.kind for r in reports] == [ReportKind.ENGAGE_REFUSED]
    assert reports[0].text == f"engage refused: {result.reason}"
    assert bench.count(ReportKind.ENGAGE_REFUSED) == 1


@pytest.mark.parametrize("field", [{"autonomous": True}, {"mode": Mode.AUTONOMOUS}])
def test_engaging_by_state_command(field: dict[str, Any]) -> None:
    bench = Bench()
    bench.step(GO)
    bench.ask(**field)
    assert bench.safety.mode is Mode.NOT_READY
    bench.step(GO)
    assert bench.safety.mode is Mode.AUTONOMOUS


@pytest.mark.parametrize(
    "field",
    [{"autonomous": False}, {"mode": Mode.MANUAL}, {"autonomous": True, "mode": Mode.MANUAL}],
)
def test_disengaging_by_state_command(field: dict[str, Any]) -> None:
    bench = Bench().engage()
    bench.ask(**field)
    result, _ = bench.safety.on_change_mode(False, bench.now)
    assert (result.success, result.reason) == (True, "disengaged")
    assert bench.safety.mode is Mode.MANUAL
    assert bench.last(ReportKind.MODE_CHANGED) == "AUTONOMOUS -> MANUAL: asked to disengage"
    assert bench.safety.status(bench.now).last_disengage_reason == "asked to disengage"


@pytest.mark.parametrize("mode", [Mode.NOT_READY, Mode.DISENGAGED])
def test_other_modes_cannot_be_asked_for(mode: Mode) -> None:
    bench = Bench().engage()
    reports = bench.ask(mode=mode)
    assert [r.kind for r in reports] == [ReportKind.UNDEFINED_VALUE]
    assert mode.name in reports[0].text
    assert bench.safety.mode is Mode.AUTONOMOUS
    assert bench.count(ReportKind.UNDEFINED_VALUE) == 1


# ---- auto engage ---------------------------------------------------------------------------------


def test_auto_engage_waits_for_vehicle_command_and_cabin() -> None:
    bench = Bench(auto_engage=True)
    bench.step(None, 10)
    assert bench.safety.mode is Mode.MANUAL
    bench.safety.on_cabin(CabinState(load_secured=False), bench.now)
    bench.step(GO, 10)
    assert bench.safety.mode is Mode.MANUAL
    assert ReportKind.ENGAGE_REFUSED not in bench.kinds(), "nobody asked, so nobody is told"
    bench.safety.on_cabin(CabinState(), bench.now)
    bench.step(GO)
    assert bench.safety.mode is Mode.NOT_READY
    assert bench.last(ReportKind.MODE_CHANGED).endswith("(safety.auto_engage)")
    bench.step(GO)
    assert bench.safety.mode is Mode.AUTONOMOUS


def test_without_auto_engage_nothing_happens_by_itself() -> None:
    bench = Bench()
    bench.step(GO, 50)
    assert bench.safety.mode is Mode.MANUAL


@pytest.mark.parametrize("how", ["override", "request"])
def test_auto_engage_never_after_a_person_has_taken_over(how: str) -> None:
    bench = Bench(auto_engage=True)
    bench.step(GO, 3)
    assert bench.safety.mode is Mode.AUTONOMOUS
    if how == "override":
        bench.safety.on_driver(DriverActivity(wheel=True), bench.now)
        bench.safety.on_driver(NO_DRIVER, bench.now)
    else:
        bench.safety.on_change_mode(False, bench.now)
    bench.step(GO, 100)
    assert bench.safety.mode is not Mode.AUTONOMOUS
    assert bench.safety.on_change_mode(True, bench.now)[0].success
    bench.step(GO, 2)
    assert bench.safety.mode is Mode.AUTONOMOUS


def test_auto_engage_comes_back_after_a_lost_link() -> None:
    bench = Bench(auto_engage=True)
    bench.step(GO, 3)
    bench.reports_come = False
    bench.step(GO, 120)
    assert bench.safety.mode is Mode.DISENGAGED
    bench.reports_come = True
    bench.step(GO, 3)
    assert bench.safety.mode is Mode.AUTONOMOUS


# ---- manual control ------------------------------------------------------------------------------


@pytest.mark.parametrize("control", ["pedal", "wheel", "gear_lever", "switch"])
def test_driver_override_ends_autonomy_at_once(control: str) -> None:
    """[VI-5.1] In the same call, with its reason; from then on nothing is sent."""
    bench = Bench().engage()
    reports = bench.safety.on_driver(DriverActivity(**{control: True}), bench.now)
    name = control.replace("_", " ")
    assert [r.text for r in reports] == [f"AUTONOMOUS -> DISENGAGED: driver override: {name}"]
    assert bench.safety.mode is Mode.DISENGAGED
    assert bench.safety.status(bench.now).last_disengage_reason == f"driver override: {name}"
    out = bench.step(GO)
    assert out.command.authority is Authority.SILENT
    assert out.command.raw is None
    result, _ = bench.safety.on_change_mode(True, bench.now)
    assert result.reason == f"the driver uses {name}"
    bench.safety.on_driver(NO_DRIVER, bench.now)
    assert bench.safety.on_change_mode(True, bench.now)[0].success


def test_override_in_manual_silences_and_blocks_the_handshake() -> None:
    """[VI-5.1]"""
    bench = Bench(auto_engage=True)
    bench.step()
    assert bench.safety.on_driver(DriverActivity(pedal=True), bench.now) == ()
    bench.safety.on_driver(NO_DRIVER, bench.now)
    out = bench.step(GO, 10)
    assert out.command.authority is Authority.SILENT
    assert bench.safety.mode is Mode.MANUAL


def test_nothing_of_the_stack_passes_outside_autonomous() -> None:
    """[VI-5.1] Neither motion nor gear nor lamps."""
    for raw in (False, True):
        bench = Bench()
        bench.front = 0.07
        bench.ask(headlight=Headlight.HIGH, gear=Gear.REVERSE)
        ask = RawCommand(0.0, 500, 0, 100, 0) if raw else VehicleCommand(0.0, 3.0, 0.4, 0.0)
        out = bench.step(ask, 20).command
        assert out.raw is None
        assert out.vehicle.long_accel_mps2 < 0.0
        assert out.vehicle.front_wheel_angle_rad == pytest.approx(0.07)
        assert out.body.headlight is Headlight.OFF
        assert out.body.gear is Gear.DRIVE
        assert not raw or out.vehicle.stamp_s == bench.now


def test_the_manual_block_is_told_once_while_commands_come() -> None:
    bench = Bench()
    bench.step(None, 5)
    assert ReportKind.MANUAL_BLOCK not in bench.kinds()
    bench.speed = 3.0
    bench.step(GO, 20)
    assert bench.kinds().count(ReportKind.MANUAL_BLOCK) == 1


def test_idle_brakes_a_rolling_car_smoothly() -> None:
    bench = Bench()
    bench.speed = 5.0
    decel = [bench.step().command.vehicle.long_accel_mps2 for _ in range(200)]
    assert decel[0] == pytest.approx(-0.025)
    assert max(b - a for a, b in pairwise(decel)) <= 1e-6
    assert decel[-1] == -2.5


def test_taking_over_is_bumpless() -> None:
    """Engaged in a bend at speed: the first output is at the measured angle, near zero accel."""
    bench = Bench()
    bench.speed, bench.front = 8.0, 0.1
    bench.step()
    bench.safety.on_change_mode(False, bench.now)
    bench.step(None, 20)
    bench.engage(VehicleCommand(0.0, 1.0, -0.1, 0.0))
    assert bench.output is not None
    vehicle = bench.output.command.vehicle
    assert vehicle.front_wheel_angle_rad == pytest.approx(0.1, abs=0.015)
    # one period of the handshake (-0.025), then two of 10 m/s3
    assert vehicle.long_accel_mps2 == pytest.approx(0.175)


def test_the_vehicle_itself_may_leave_autonomy() -> None:
    bench = Bench().engage()
    assert bench.safety.on_vehicle_ready(True, bench.now) == ()
    bench.hear(bench.safety.on_vehicle_ready(False, bench.now))
    assert bench.safety.mode is Mode.DISENGAGED
    assert "left autonomous operation by itself" in bench.last(ReportKind.MODE_CHANGED)
    assert bench.step(GO).command.authority is Authority.IDLE
    assert not bench.safety.on_change_mode(True, bench.now)[0].success
    bench.safety.on_vehicle_ready(True, bench.now)
    assert bench.safety.on_change_mode(True, bench.now)[0].success


def test_stop_ends_in_manual_for_good() -> None:
    bench = Bench(auto_engage=True).engage()
    reports = bench.safety.stop()
    assert [r.text for r in reports] == ["AUTONOMOUS -> MANUAL: the interface is deactivated"]
    out = bench.step(GO, 20)
    assert out.command.authority is Authority.IDLE
    assert out.command.vehicle.long_accel_mps2 < 0.0


# ---- watchdogs -----------------------------------------------------------------------------------


def test_commands_stop_coming() -> None:
    bench = Bench().engage()
    bench.speed = 8.0
    bench.front = 0.05
    bench.step(VehicleCommand(0.0, 0.5, 0.1, 0.0), 100)
    assert bench.output is not None
    held = bench.output.command.vehicle.front_wheel_angle_rad
    bench.step(None, 49)
    assert ReportKind.COMMAND_TIMEOUT not in bench.kinds(), "0.49 s old is not yet too old"
    out = bench.step(None, 3).command
    assert bench.kinds().count(ReportKind.COMMAND_TIMEOUT) == 1
    assert out.body.blinker is Blinker.HAZARD
    accel = [bench.step(None).command.vehicle.long_accel_mps2 for _ in range(150)]
    steps = [b - a for a, b in pairwise(accel)]
    assert min(steps) >= -0.0251
    assert accel[-1] == -2.5
    assert bench.output.command.vehicle.front_wheel_angle_rad == held
    assert bench.safety.mode is Mode.AUTONOMOUS
    assert bench.safety.status(bench.now).command_age_s == pytest.approx(2.02)
    out = bench.step(VehicleCommand(0.0, 0.0, 0.0, 0.0), 40).command
    assert out.body.blinker is Blinker.OFF, "the cause is gone, so is the change"
    assert out.vehicle.long_accel_mps2 == 0.0


def test_the_link_goes_stale_then_counts_as_lost() -> None:
    bench = Bench().engage()
    bench.speed = 8.0
    bench.step(GO, 20)
    bench.reports_come = False
    bench.step(GO, 9)
    assert ReportKind.LINK_TIMEOUT not in bench.kinds()
    out = bench.step(GO, 3).command
    assert ReportKind.LINK_TIMEOUT in bench.kinds()
    assert out.body.blinker is Blinker.HAZARD
    assert out.authority is Authority.COMMAND
    bench.step(GO, 85)
    assert bench.safety.mode is Mode.AUTONOMOUS
    bench.step(GO, 5)
    assert bench.safety.mode is Mode.DISENGAGED
    reason = bench.safety.status(bench.now).last_disengage_reason
    assert re.fullmatch(r"no report from the vehicle for 1\.0\d s", reason)
    assert bench.step(GO).command.authority is Authority.IDLE


def test_a_short_gap_of_the_link_only_interrupts() -> None:
    bench = Bench().engage()
    bench.speed = 5.0
    bench.reports_come = False
    bench.step(GO, 50)
    bench.reports_come = True
    out = bench.step(GO, 60).command
    assert bench.safety.mode is Mode.AUTONOMOUS
    assert out.vehicle.long_accel_mps2 == pytest.approx(1.0)


def test_what_is_not_finite_is_dropped_and_the_last_good_one_counts() -> None:
    bench = Bench().engage()
    bench.speed = 5.0
    bench.step(GO, 40)
    for bad in (NAN, math.inf, -math.inf):
        bench.step(VehicleCommand(0.0, bad, 0.0, 0.0), 5)
        bench.step(VehicleCommand(0.0, 0.0, bad, 0.0), 5)
    assert bench.output is not None
    assert bench.output.command.vehicle.long_accel_mps2 == pytest.approx(1.0)
    assert bench.count(ReportKind.NON_FINITE_COMMAND) == 30
    bench.step(VehicleCommand(0.0, NAN, NAN, NAN), 30)
    assert ReportKind.COMMAND_TIMEOUT in bench.kinds(), "only bad ones: as if none came"
    bench.step(GO, 60)
    assert bench.output.command.vehicle.long_accel_mps2 == pytest.approx(1.0)


def test_a_report_that_is_not_finite_is_as_if_never_sent() -> None:
    bench = Bench().engage()
    before = bench.safety.status(bench.now).report_age_s
    reports = bench.safety.on_odometry(Odometry(bench.now + 0.01, NAN), bench.now + 0.01)
    assert [r.kind for r in reports] == [ReportKind.NON_FINITE_REPORT]
    assert bench.safety.status(bench.now).report_age_s == before
    assert bench.count(ReportKind.NON_FINITE_REPORT) == 1


def test_time_that_jumps_back_ends_autonomy() -> None:
    bench = Bench(auto_engage=True)
    bench.step(GO, 3)
    reports = bench.safety.restart()
    assert [r.text for r in reports] == [
        "AUTONOMOUS -> DISENGAGED: time jumped back: what was heard before it does not count"
    ]
    status = bench.safety.status(bench.now)
    assert status.report_age_s == math.inf
    assert status.command_age_s == math.inf
    bench.now = 0.0
    bench.step(None, 5)
    assert bench.safety.mode is Mode.DISENGAGED
    bench.step(GO, 3)
    assert bench.safety.mode is Mode.AUTONOMOUS


# ---- cabin, hand brake, gear through the stage ---------------------------------------------------


def test_a_door_opened_on_the_way_stops_the_car_still_steering() -> None:
    """[VI-3.3]"""
    bench = Bench().engage()
    bench.speed = 8.0
    bench.step(GO, 20)
    bench.safety.on_cabin(CabinState(doors_closed=False), bench.now)
    out = bench.step(VehicleCommand(0.0, 1.0, 0.12, 0.0), 150)
    assert ReportKind.CABIN_UNSECURED in bench.kinds()
    assert out.command.vehicle.long_accel_mps2 == -2.5
    assert out.command.vehicle.front_wheel_angle_rad == pytest.approx(0.12)
    assert bench.safety.mode is Mode.AUTONOMOUS
    bench.safety.on_cabin(CabinState(), bench.now)
    assert bench.step(GO, 60).command.vehicle.long_accel_mps2 == pytest.approx(1.0)


def test_park_at_speed_is_refused_with_a_reason() -> None:
    """[VI-3.2]"""
    bench = Bench().engage()
    bench.speed = 3.0
    bench.step(GO)
    reports = bench.ask(gear=Gear.PARK)
    assert [r.kind for r in reports] == [ReportKind.GEAR_PARK_MOVING]
    assert bench.count(ReportKind.GEAR_PARK_MOVING) == 1
    assert bench.step(GO, 100).command.body.gear is Gear.DRIVE
    bench.speed = 0.0
    assert bench.step(VehicleCommand(0.0), 100).command.body.gear is Gear.DRIVE


def test_a_repeating_sender_parks_when_the_car_stands() -> None:
    bench = Bench().engage()
    bench.speed = 3.0
    message = StateMessage(gear=2)
    for n in range(300):
        if n == 200:
            bench.speed = 0.0
        if n % 10 == 0:
            bench.hear(bench.safety.on_state_message(message, bench.now))
        bench.step(VehicleCommand(0.0))
    assert bench.output is not None
    assert bench.output.command.body.gear is Gear.PARK
    assert bench.kinds().count(ReportKind.GEAR_PARK_MOVING) == 1


def test_undefined_numbers_in_a_message_are_counted() -> None:
    bench = Bench().engage()
    reports = bench.safety.on_state_message(StateMessage(gear=17), bench.now)
    assert [r.kind for r in reports] == [ReportKind.UNDEFINED_VALUE]
    assert bench.count(ReportKind.UNDEFINED_VALUE) == 1


def test_gear_requests_need_a_known_speed() -> None:
    bench = Bench().engage()
    bench.reports_come = False
    bench.step(GO, 20)
    assert [r.kind for r in bench.ask(gear=Gear.PARK)] == [ReportKind.GEAR_SPEED_UNKNOWN]


@pytest.mark.parametrize(
    ("speed", "given"), [(0.0, True), (0.3, True), (-0.3, True), (0.31, False)]
)
def test_the_hand_brake_is_refused_while_the_car_moves(speed: float, given: bool) -> None:
    bench = Bench().engage()
    bench.speed = speed
    bench.step(GO)
    reports = bench.ask(hand_brake=True, headlight=Headlight.ON)
    assert [r.kind for r in reports] == ([] if given else [ReportKind.HAND_BRAKE_MOVING])
    out = bench.step(GO).command
    assert out.body.hand_brake is given
    assert out.body.headlight is Headlight.ON, "the rest of the request is done"
    assert out.vehicle.long_accel_mps2 <= 0.0 or not given


def test_the_hand_brake_is_refused_while_the_speed_is_unknown() -> None:
    bench = Bench().engage()
    bench.reports_come = False
    bench.step(GO, 20)
    assert [r.kind for r in bench.ask(hand_brake=True)] == [ReportKind.HAND_BRAKE_MOVING]
    assert bench.ask(hand_brake=False) == ()


def test_no_throttle_against_a_hand_brake_that_the_car_has() -> None:
    bench = Bench().engage()
    bench.body = replace(bench.body, hand_brake=True)
    bench.speed = 2.0
    out = bench.step(GO, 5)
    assert out.command.vehicle.long_accel_mps2 == 0.0
    assert ReportKind.HAND_BRAKE_SET in bench.kinds()


def test_what_the_driver_sets_is_not_undone_by_an_older_wish() -> None:
    """Hand brake released by request, driver takes over and sets it, autonomy comes back: set."""
    bench = Bench().engage()
    bench.ask(hand_brake=False, gear=Gear.LOW, horn=True)
    bench.step(GO, 5)
    bench.safety.on_driver(DriverActivity(pedal=True), bench.now)
    bench.safety.on_driver(NO_DRIVER, bench.now)
    bench.body = replace(bench.body, hand_brake=True, gear=Gear.NEUTRAL)
    bench.step(None, 5)
    bench.engage(VehicleCommand(0.0))
    assert bench.output is not None
    assert bench.output.command.body.hand_brake
    assert bench.output.command.body.gear is Gear.NEUTRAL
    assert bench.output.command.body.horn, "lamps and horn are still wished for"


def test_a_gear_only_request_does_not_release_the_hand_brake() -> None:
    bench = Bench()
    bench.body = replace(bench.body, hand_brake=True)
    bench.engage(VehicleCommand(0.0))
    bench.ask(gear=Gear.NEUTRAL)
    body = bench.step(VehicleCommand(0.0), 60).command.body
    assert body.hand_brake
    assert body.gear is Gear.NEUTRAL


def test_automatic_gear_is_named_as_a_change() -> None:
    bench = Bench().engage(VehicleCommand(0.0))
    out = bench.step(VehicleCommand(0.0, -1.0, 0.0, 0.0))
    assert out.command.body.gear is Gear.REVERSE
    assert (ReportKind.GEAR_AUTOMATIC, "gear") in {(c.kind, c.channel) for c in out.changes}
    assert ReportKind.GEAR_AUTOMATIC in bench.kinds()
    assert out.command.vehicle.long_accel_mps2 == 2.0, "the brake holds, in the sense of REVERSE"
    out = bench.step(VehicleCommand(0.0, -1.0, 0.0, 0.0), 60)
    assert out.command.vehicle.long_accel_mps2 == pytest.approx(-1.0)


def test_stale_commands_choose_no_gear() -> None:
    bench = Bench().engage(VehicleCommand(0.0))
    bench.step(VehicleCommand(0.0, 0.2, 0.0, 0.0))
    bench.step(None, 60)
    assert bench.step(None).command.body.gear is Gear.DRIVE


def test_wipers_switch_the_lights_on_and_off_again() -> None:
    """[VI-3.4]"""
    bench = Bench().engage()
    bench.ask(wiper=Wiper.LOW)
    assert bench.step(GO).command.body.headlight is Headlight.ON
    assert ReportKind.WIPER_HEADLIGHT in bench.kinds()
    bench.ask(wiper=Wiper.OFF)
    assert bench.step(GO).command.body.headlight is Headlight.OFF


def test_oscillation_is_told_and_smoothed() -> None:
    """[VI-3.1]"""
    bench = Bench().engage()
    bench.speed = 5.0
    outputs = []
    for n in range(300):
        ask = VehicleCommand(0.0, 1.0 if n % 10 < 5 else -1.0, 0.0, 0.0)
        outputs.append(bench.step(ask).command.vehicle.long_accel_mps2)
    assert ReportKind.HIGH_FREQUENCY in bench.kinds()
    assert max(outputs[:40]) - min(outputs[:40]) > 0.8
    assert max(outputs[200:]) - min(outputs[200:]) < 0.3
    assert bench.step(GO, 150).command.vehicle.long_accel_mps2 == pytest.approx(1.0)


def test_what_oscillated_before_engaging_does_not_count() -> None:
    bench = Bench()
    for n in range(100):
        bench.step(VehicleCommand(0.0, 1.0 if n % 10 < 5 else -1.0, 0.0, 0.0))
    bench.engage()
    bench.step(GO, 5)
    assert ReportKind.HIGH_FREQUENCY not in bench.kinds()


# ---- raw, and safety switched off ----------------------------------------------------------------

RAW = RawCommand(0.0, 300, 0, 50, 0)


def test_raw_passes_untouched_and_unbounded() -> None:
    """[VI-3.5] Only the block and the watchdogs stand before a raw command."""
    bench = Bench().engage(RAW)
    big = RawCommand(0.0, 4000000000, 0, 2000000000, -2000000000)
    out = bench.step(big)
    assert out.command.raw == big._replace(stamp_s=bench.now)
    assert [c for c in out.changes if c.kind is not ReportKind.GEAR_AUTOMATIC] == []


def test_raw_stops_when_it_must() -> None:
    bench = Bench().engage(RAW)
    bench.speed, bench.front = 5.0, 0.2
    bench.step(RAW, 10)
    while bench.step(None).command.raw is not None:
        pass
    assert bench.output is not None
    assert bench.output.command.vehicle.long_accel_mps2 == pytest.approx(-0.025), "smoothly"
    out = bench.step(None, 5).command
    assert out.raw is None
    assert out.vehicle.long_accel_mps2 < 0.0
    assert out.vehicle.front_wheel_angle_rad == pytest.approx(0.2)
    assert ReportKind.COMMAND_TIMEOUT in bench.kinds()
    assert bench.step(RAW).command.raw is not None
    bench.reports_come = False
    assert bench.step(RAW, 12).command.raw is None
    bench.reports_come = True
    assert bench.step(RAW).command.raw is not None
    bench.safety.on_cabin(CabinState(doors_closed=False), bench.now)
    assert bench.step(RAW).command.raw is None


def test_raw_throttle_leaves_park_forward() -> None:
    bench = Bench()
    bench.body = BodyState(gear=Gear.PARK)
    bench.engage(RawCommand(0.0))
    assert bench.step(RawCommand(0.0, 0, 100), 5).command.body.gear is Gear.PARK
    assert bench.step(RAW).command.body.gear is Gear.DRIVE
    assert bench.step(RAW, 100).command.body.gear is Gear.DRIVE


def test_with_safety_off_only_block_and_watchdogs_are_left() -> None:
    """[VI-3.5]"""
    bench = Bench(enabled=False).engage(VehicleCommand(0.0))
    bench.speed = 20.0
    bench.safety.on_cabin(CabinState(doors_closed=False), bench.now)
    wild = VehicleCommand(0.0, 30.0, 1.2, 0.7)
    out = bench.step(wild)
    vehicle = out.command.vehicle
    assert vehicle.long_accel_mps2 == 30.0
    assert vehicle.front_wheel_angle_rad == pytest.approx(1.2)
    assert vehicle.rear_wheel_angle_rad == pytest.approx(0.7)
    assert out.changes == ()
    bench.ask(gear=Gear.PARK, hand_brake=True, wiper=Wiper.HIGH)
    body = bench.step(wild).command.body
    assert body.gear is Gear.PARK
    assert body.hand_brake
    assert body.headlight is Headlight.OFF
    assert bench.step(None, 60).command.vehicle.long_accel_mps2 < 0.0
    bench.safety.on_driver(DriverActivity(pedal=True), bench.now)
    assert bench.step(wild).command.authority is Authority.SILENT


def test_with_safety_off_a_raw_command_ignores_the_cabin() -> None:
    """[VI-3.5]"""
    bench = Bench(enabled=False)
    bench.safety.on_cabin(CabinState(doors_closed=False), bench.now)
    bench.engage(RAW)
    assert bench.step(RAW).command.raw is not None


def test_new_limits_hold_from_the_next_step() -> None:
    bench = Bench().engage()
    bench.speed = 5.0
    bench.step(GO, 50)
    limits = SafetyParameters(accel_max_mps2=0.4, brake_jerk_max_mps3=1000.0)
    bench.safety.configure(limits, VehicleGeometry())
    assert bench.step(GO).command.vehicle.long_accel_mps2 == pytest.approx(0.4)
    bench.safety.configure(limits, VehicleGeometry(front_wheel_angle_max_rad=0.02))
    assert bench.step(GO).command.vehicle.front_wheel_angle_rad == pytest.approx(0.02)


def test_every_output_is_float32() -> None:
    """What passes between stages is what the messages can carry."""
    bench = Bench().engage()
    bench.speed = 5.0
    bench.step(VehicleCommand(0.0, 0.1, 0.0123456789, 0.0), 30)
    assert bench.output is not None
    angle = bench.output.command.vehicle.front_wheel_angle_rad
    assert angle != 0.0123456789
    assert angle == pytest.approx(0.0123456789, rel=1e-7)


# ---- bounds to the point -------------------------------------------------------------------------


def test_every_age_may_be_exactly_its_limit() -> None:
    """Times that add up exactly: at the limit it still holds, beyond it no more."""
    limits = SafetyParameters(report_timeout_s=0.125, link_lost_s=1.0, engage_timeout_s=3.0)
    safety = Safety(limits, VehicleGeometry(), 0.01, 0.5)
    safety.on_odometry(Odometry(0.0, 5.0), 0.0)
    safety.on_body(BodyState(gear=Gear.DRIVE), 0.0)
    assert safety.on_change_mode(True, 0.0)[0].success
    safety.on_odometry(Odometry(3.0, 5.0), 3.0)
    assert safety.step(None, 3.0).command.mode is Mode.NOT_READY
    safety.step(VehicleCommand(3.0, 0.0, 0.0, 0.0), 3.0)
    assert safety.mode is Mode.AUTONOMOUS
    kinds = {c.kind for c in safety.step(None, 3.125).changes}
    assert ReportKind.LINK_TIMEOUT not in kinds
    (refused,) = safety.on_state_command(StateCommand(gear=Gear.PARK), 3.125)
    assert refused.kind is ReportKind.GEAR_PARK_MOVING, "the speed still counts as known"
    (refused,) = safety.on_state_command(StateCommand(gear=Gear.REVERSE), 3.126)
    assert refused.kind is ReportKind.GEAR_SPEED_UNKNOWN
    assert ReportKind.LINK_TIMEOUT in {c.kind for c in safety.step(None, 3.126).changes}
    safety.on_odometry(Odometry(3.5, 5.0), 3.5)
    assert ReportKind.COMMAND_TIMEOUT not in {c.kind for c in safety.step(None, 3.5).changes}
    assert ReportKind.COMMAND_TIMEOUT in {c.kind for c in safety.step(None, 3.501).changes}
    assert safety.step(None, 4.5).command.mode is Mode.AUTONOMOUS
    assert safety.step(None, 4.501).command.mode is Mode.DISENGAGED


@pytest.mark.parametrize(("speed", "held"), [(0.1, True), (-0.1, True), (0.101, False)])
def test_standing_is_at_most_the_standstill_speed(speed: float, held: bool) -> None:
    bench = Bench().engage(VehicleCommand(0.0))
    bench.speed = speed
    accel = bench.step(VehicleCommand(0.0)).command.vehicle.long_accel_mps2
    assert (accel == -2.0) is held


def test_the_smallest_raw_throttle_leaves_park_and_none_leaves_reverse() -> None:
    bench = Bench()
    bench.body = BodyState(gear=Gear.PARK)
    bench.engage(RawCommand(0.0))
    assert bench.step(RawCommand(0.0, 1)).command.body.gear is Gear.DRIVE
    bench = Bench()
    bench.body = BodyState(gear=Gear.REVERSE)
    bench.engage(RawCommand(0.0))
    assert bench.step(RAW, 100).command.body.gear is Gear.REVERSE


@pytest.mark.parametrize(("age", "engages"), [(0.5, True), (0.501, False)])
def test_a_command_engages_by_itself_while_it_is_fresh(age: float, engages: bool) -> None:
    safety = Safety(SafetyParameters(auto_engage=True), VehicleGeometry(), 0.01, 0.5)
    safety.step(VehicleCommand(0.0), 0.0)
    safety.on_odometry(Odometry(age, 0.0), age)
    safety.step(None, age)
    assert (safety.mode is Mode.NOT_READY) is engages
